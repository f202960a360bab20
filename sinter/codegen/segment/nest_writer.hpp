#pragma once
// Appends to a nest what the nest that it is made from does not have (what both have, nest_copier copies),
// and the parts that are common to nests which walk pieces of rows.

#include <sinter/codegen/nest/nest.hpp>

#include <initializer_list>

namespace sinter {

class nest_writer {
 public:
  explicit nest_writer(nest& to) : to_(to) {}

  /// An instruction as it is; gives its number, as the following do.
  std::uint32_t append(const instruction& made);
  /// An operation that is computed in the type of its last argument.
  std::uint32_t apply(operation op, element_type type, std::initializer_list<std::uint32_t> arguments);
  std::uint32_t literal(element_type type, double value);
  /// A run-time integer.
  std::uint32_t constant(std::int64_t value);
  /// The position along an axis.
  std::uint32_t position(unsigned axis);
  /// The element at `from`, of the access' type.
  std::uint32_t read(access from);
  void store(access to, std::uint32_t value);
  /// Elements of the piece that is at hand, along an axis which counts pieces of `length` in rows of `whole`.
  /// Each is `inner` elements.
  std::uint32_t elements_of_piece(unsigned axis, std::int64_t length, std::int64_t whole, std::int64_t inner,
                                  element_type type);

 private:
  std::uint32_t leaf(operation op, element_type type, std::uint64_t payload);

  nest& to_;
};

/// A nest over pieces of the rows of `whole` that reduces the axes `walked`, some of those that `whole`
/// reduces: the outermost has `length` elements, and one more axis, the last, counts the `pieces` of a row.
/// `length` 0: that axis stays whole. It has the run-time integers of `whole`, but no instruction yet.
nest nest_of_pieces(const nest& whole, std::uint32_t walked, std::int64_t length, std::int64_t pieces);

/// A nest over what is left of those rows, an element for each piece. It has nothing but axes.
nest nest_over_pieces(const nest& whole, std::uint32_t walked, std::int64_t pieces);

}  // namespace sinter
