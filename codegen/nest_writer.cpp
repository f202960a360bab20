#include <sinter/codegen/nest_writer.hpp>
#include <sinter/codegen/scalar.hpp>

#include <bit>

namespace sinter {

std::uint32_t nest_writer::append(const instruction& made) {
  to_.body.push_back(made);
  return static_cast<std::uint32_t>(to_.body.size() - 1);
}

std::uint32_t nest_writer::apply(operation op, element_type type,
                                 std::initializer_list<std::uint32_t> arguments) {
  instruction made;
  made.op = op;
  made.type = made.compute = type;
  for (const std::uint32_t argument : arguments) made.arguments[made.arity++] = argument;
  if (made.arity > 0) made.compute = to_.body[made.arguments[made.arity - 1u]].type;
  return append(made);
}

std::uint32_t nest_writer::literal(element_type type, double value) {
  return leaf(operation::literal, type, real_bits(type, value));
}

std::uint32_t nest_writer::constant(std::int64_t value) {
  to_.constants.push_back(value);
  return leaf(operation::extent, element_type::int64, to_.constants.size() - 1);
}

std::uint32_t nest_writer::position(unsigned axis) {
  access along;
  along.what = access::kind::position;
  along.type = element_type::int64;
  along.strides[axis] = 1;
  to_.accesses.push_back(along);
  return leaf(operation::coordinate, element_type::int64, to_.accesses.size() - 1);
}

std::uint32_t nest_writer::read(access from) {
  from.what = access::kind::read;
  to_.accesses.push_back(from);
  return leaf(operation::input, from.type, to_.accesses.size() - 1);
}

void nest_writer::store(access to, std::uint32_t value) {
  to.what = access::kind::write;
  to_.stores.push_back({value, static_cast<std::uint32_t>(to_.accesses.size())});
  to_.accesses.push_back(to);
}

std::uint32_t nest_writer::elements_of_piece(unsigned axis, std::int64_t length, std::int64_t whole,
                                             element_type type) {
  constexpr element_type integer = element_type::int64;
  const std::uint32_t at_most = constant(length);
  const std::uint32_t before = apply(operation::multiply, integer, {position(axis), at_most});
  const std::uint32_t left = apply(operation::subtract, integer, {constant(whole), before});
  const std::uint32_t held = apply(operation::minimum, integer, {left, at_most});
  return apply(operation::cast, type, {apply(operation::maximum, integer, {held, constant(0)})});
}

std::uint32_t nest_writer::leaf(operation op, element_type type, std::uint64_t payload) {
  instruction made;
  made.op = op;
  made.type = made.compute = type;
  made.payload = payload;
  return append(made);
}

nest nest_of_pieces(const nest& whole, std::int64_t length, std::int64_t pieces) {
  const auto reduced = static_cast<unsigned>(std::countr_zero(whole.reduced));
  nest made = nest_over_pieces(whole, length);
  made.extents[whole.rank] = pieces;
  made.rank = whole.rank + 1;
  made.split = static_cast<int>(whole.rank);
  made.whole = whole.extents[reduced];
  made.constants = whole.constants;
  return made;
}

nest nest_over_pieces(const nest& whole, std::int64_t pieces) {
  nest made;
  made.rank = whole.rank;
  made.extents = whole.extents;
  made.extents[static_cast<unsigned>(std::countr_zero(whole.reduced))] = pieces;
  made.reduced = whole.reduced;
  return made;
}

}  // namespace sinter
