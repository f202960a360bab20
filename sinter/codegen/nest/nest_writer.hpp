#pragma once
// Appends new instructions and accesses to a nest.

#include <sinter/codegen/nest/nest.hpp>

#include <initializer_list>

namespace sinter::inline v0 {

class nest_writer {
 public:
  explicit nest_writer(nest& to) : to_(to) {}

  /// Appends an instruction unchanged. Returns its index, as the functions below do.
  std::uint32_t append(const instruction& made);
  /// Appends an operation computed in the type of its last argument.
  std::uint32_t apply(operation op, element_type type, std::initializer_list<std::uint32_t> arguments);
  std::uint32_t literal(element_type type, double value);
  /// A result of a reduction or scan by a body.
  std::uint32_t component(std::uint32_t owner, element_type type, std::size_t number);
  /// A run-time integer.
  std::uint32_t constant(std::int64_t value);
  /// The position along an axis.
  std::uint32_t position(unsigned axis);
  /// What a position access is.
  std::uint32_t coordinate(std::uint32_t access);
  /// The element at `from`, with the access's type.
  std::uint32_t read(access from);
  void store(access to, std::uint32_t value);
  /// The number of elements of the current piece, along an axis that counts pieces of `length` in rows of
  /// `whole`. Each counts as `inner` elements.
  std::uint32_t elements_of_piece(unsigned axis, std::int64_t length, std::int64_t whole, std::int64_t inner,
                                  element_type type);

 private:
  std::uint32_t leaf(operation op, element_type type, std::uint64_t payload);

  nest& to_;
};

}  // namespace sinter::inline v0
