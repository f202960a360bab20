#pragma once
// The functions of a program as its binary tells them: a fused callable without state, whose operands' types
// are known, leaves a note where it is compiled. The note costs no instruction, no relocation and no
// constructor, and goes wherever the linker puts the code that it belongs to.

#include <cstddef>
#include <string>

namespace sinter {

/// Records every function that notes of the program and its loaded libraries tell of, and appends them to a
/// file as SINTER_RECORD does, without calls: extents are not known. Each is recorded in a process of its
/// own, since what it refers to may not be set up; those that fail are told on the error stream. Returns how
/// many were written; throws device_error where the file cannot be.
///
/// With SINTER_LIST_FUNCTIONS=file a program does this and ends before it begins: its main() is never called.
std::size_t list_functions(const std::string& path);

namespace detail {

/// Stands for a callable type in notes.
template <class F>
struct [[gnu::visibility("hidden")]] callable_mark {
  static inline char here;
};

// A note of two words: references relative to themselves, or numbers. In the group of the function that it is
// in ("?"), if that has one, so that both stay or both go; without one it stays ("R").
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
}  // namespace sinter
