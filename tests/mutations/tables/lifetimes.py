"""Memory of threads and objects of the process, which destructors of a program's objects need."""

from .rows import rows_of

owner, kept = "sinter/codegen/base/thread_memory.cpp", "sinter/codegen/base/thread_memory.hpp"
with_thread_locals = [
    (
        owner,
        "    if (process_key().is_valid) pthread_setspecific(process_key().key, fresh.get());\n",
        "    struct ending {\n      destroy_list* list;\n      ~ending() { end_thread(list); }\n    };\n"
        "    static thread_local const ending at_end{fresh.get()};\n",
    ),
    (kept, "delete std::exchange(kept_, nullptr);", "kept_->~T();"),
]

life_rows = rows_of(
    (
        "a thread's memory outlives its thread_local objects",
        with_thread_locals,
        "lifetime_on_thread_before_use",
    ),
    (
        "a thread's memory outlives the static objects of the program",
        with_thread_locals,
        "lifetime_global_before_use",
    ),
    (
        "memory that a thread's end asks for is made anew",
        [(owner, "  list_of_thread = nullptr;\n", "")],
        "lifetime_by_thread_key_after_use",
    ),
    program="ctest sinter_lifetime_program",
) + rows_of(
    (
        "no thread_local memory has another owner",
        [
            (
                "sinter/dsl/creation.cpp",
                "  graph_builder& builder = thread_memory<filling_memory>::get().builder;\n",
                "  static thread_local filling_memory memory;\n  graph_builder& builder = memory.builder;\n",
            )
        ],
        "thread_memory_has_one_owner",
    ),
    (
        "no object of the library is destroyed with the process",
        [
            (
                "sinter/runtime/dispatch/function_table.cpp",
                "static auto& functions = *new function_table;",
                "static function_table functions;",
            )
        ],
        "thread_memory_has_one_owner",
    ),
    program="ctest sinter_objects",
)
