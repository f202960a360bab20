#pragma once
// Lists the functions of a program from its binary: each stateless fused callable whose operand types are
// known leaves a note where it is compiled. The note costs no instruction, no relocation and no constructor,
// and the linker places it with the code that it belongs to.

#include <sinter/codegen/base/export.hpp>

#include <cstddef>
#include <string>

namespace sinter::inline v0 {

/// Records every function that has a note in the program or its loaded libraries, and appends the graphs to a
/// file as SINTER_RECORD does, but without calls, because extents are unknown. Each is recorded in a child
/// process, since the state that it refers to may not be initialised; failures are reported on stderr.
/// Returns how many were written; throws device_error if the file cannot be written.
///
/// With SINTER_LIST_FUNCTIONS=file a program does this instead of running: main() is never called.
SINTER_API std::size_t list_functions(const std::string& path);

namespace detail {

/// Stands for a callable type in notes.
template <class F>
struct [[gnu::visibility("hidden")]] callable_mark {
  static inline char here;
};

// A note of two words: references relative to their own address, or numbers. It is in the COMDAT group of the
// enclosing function ("?"), so that the linker keeps both or neither; without a group it is always kept
// ("R").
#if defined(__x86_64__)
#define SINTER_NOTES 1
#define SINTER_SYMBOL "i"
#elif defined(__aarch64__)
#define SINTER_NOTES 1
#define SINTER_SYMBOL "S"
#else
#define SINTER_NOTES 0
#endif
#define SINTER_NOTE(kind, first, second)                                      \
  ".pushsection .note.sinter,\"aR?\",@note\n\t.balign 4\n\t.long 7, 8, " kind \
  "\n\t.asciz \"Sinter\"\n\t.balign 4\n\t.long " first "\n\t.long " second "\n\t.popsection"

}  // namespace detail
}  // namespace sinter::inline v0
