"""Types of scalars, values from outside, views, streams, and calls within calls."""

from .rows import rows_of

rules, operands, builder = (
    "sinter/codegen/types/type_rules.hpp",
    "sinter/dsl/detail/operand.hpp",
    "sinter/codegen/graph/graph_builder.cpp",
)
types, view, uses, timeline = (
    "sinter/codegen/types/element_type.hpp",
    "sinter/dsl/view.hpp",
    "sinter/runtime/order/use_record.cpp",
    "sinter/runtime/order/stream_timeline.cpp",
)

refused_rows = (
    rows_of(
        (
            "a C++ float beside an integer is weak",
            [
                (
                    rules,
                    "return {types.compute.type, own.weak && !is_boolean(types.compute.type)};",
                    "return {types.compute.type, false};",
                )
            ],
            "integers with a C++ float are float32, and strong operands promote before nan",
        )
    )
    + rows_of(
        (
            "of three operands strong ones promote first",
            [(rules, "apply_rule(rule, promote(a, b, c));", "apply_rule(rule, promote(promote(a, b), c));")],
            "integers with a C++ float are float32, and strong operands promote before nan",
        ),
        (
            "what weak operands alone make is weak",
            [
                (
                    rules,
                    "types.result.weak = types.compute.weak = a.weak && !",
                    "types.result.weak = types.compute.weak = false && a.weak && !",
                )
            ],
            "what floating numbers make of floating numbers yields to the array it meets",
        ),
        (
            "a weak integer is compared with an array by value",
            [
                (
                    builder,
                    "      if (a.weak != b.weak) return compare_weak(op, operands[0], operands[1], where);\n",
                    "",
                )
            ],
            "uint8 is compared exactly with any integer",
        ),
        drawn=True,
    )
    + rows_of(
        (
            "a boolean is not compared with a number",
            [
                (
                    operands,
                    "return is_boolean(info_of<A>::type.type) != is_boolean(info_of<B>::type.type);",
                    "return false;",
                )
            ],
            "compile_fail_gcc",
        ),
        (
            "a view is not assigned to a view with a name",
            [
                (
                    view,
                    "  view& operator=(const view&) & {\n    static_assert(detail::never<T>, SINTER_NAMED_VIEW);\n",
                    "  view& operator=(const view&) & {\n",
                )
            ],
            "compile_fail_gcc",
        ),
        program="ctest sinter_headers",
    )
)

front_rows = rows_of(
    (
        "a value of another graph is refused",
        [(builder, "  if (!has(operand)) throw_no_value(graph_, operation::view, operand, where);\n", "")],
        "values of no graph, of another one, and of one that was begun anew",
    ),
    (
        "object code that holds nothing is refused",
        [("sinter/runtime/object/object_code.cpp", "  if (code == nullptr)\n", "  if (false)\n")],
        "object code that holds nothing",
    ),
    (
        "a broadcast has memory of its own within a broadcast",
        [
            (
                "sinter/dsl/detail/recording.cpp",
                "state_.scratches[state_.scratch_depth++].get();",
                "state_.scratches[0 * state_.scratch_depth++].get();",
            )
        ],
        "a log hook that calls does not disturb a broadcast on its way",
    ),
    (
        "a stream waits for the work before that shares its memory",
        [
            (
                uses,
                "    if (!on.follows(point)) missing.push_back(point);",
                "    if (on.follows(point)) missing.push_back(point);",
            )
        ],
        "a call on another stream waits there for what it shares, and one on the same asks nothing",
    ),
    (
        "memory goes back after work of all streams",
        [
            (
                uses,
                "  each_in(unordered_.load(std::memory_order_acquire), add);\n  each_in(&reads_, add);\n}",
                "  each_in(unordered_.load(std::memory_order_acquire), add);\n}",
            )
        ],
        "results, copies and memory that goes back keep the order of streams",
    ),
    (
        "a number that an event does not cover makes another event",
        [
            (
                timeline,
                "if (covered_ >= number) return {this, covered_};",
                "if (covered_ + 1 >= number) return {this, covered_};",
            )
        ],
        "threads on one stream: another stream waits for all of them",
    ),
    (
        "a capture that would have to wait is refused",
        [
            (
                timeline,
                "other.has_ended() || other.capture() != capture ||",
                "other.has_ended() ||",
            )
        ],
        "a capture that would have to wait is refused before the stream is touched",
    ),
)
