#pragma once
// Arrays, views and expressions in output streams, as NumPy prints arrays: `std::cout << x`.
//
// Threads: several threads may print an array at once, as long as none writes it.
// Throws: what reading the elements throws: index_error, execution_error or device_error of the work before,
// out_of_memory; of expressions what a call throws (dsl/fuse.hpp).
// After a failure: nothing of the array has been written; its elements are as they were.

#include <sinter/dsl/array.hpp>

#include <iosfwd>

namespace sinter::inline v0::detail {

/// Writes the text of the elements. Copies to the host what the text shows: of more than 1,000 elements the
/// first and the last three along each axis.
SINTER_API void print_elements(std::ostream& to, const runtime::operand& elements);

// Here, they are found by the arguments' bases, and are no candidates for other output where `using namespace
// sinter` stands. Any function that a program has for its own printing is more specialised, and chosen.
template <class X>
  requires(has_operators<X>() && kind_of_operand<X> == operand_kind::array)
std::ostream& operator<<(std::ostream& to, const X& elements) {
  print_elements(to, elements.erased());
  return to;
}
template <class X>
  requires(has_operators<X>() && kind_of_operand<X> == operand_kind::lazy)
std::ostream& operator<<(std::ostream& to, const X& expression) {
  const array<evaluated_element<X>, info_of<X>::rank> elements(expression);
  print_elements(to, elements.erased());
  return to;
}
template <class X>
  requires(kind_of_operand<X> == operand_kind::value)
auto operator<<(std::ostream&, const X&) {
  static_assert(never<X>, "a value has no elements while recording: return it, and print the array");
}

}  // namespace sinter::inline v0::detail
