#include <sinter/codegen/nest/nest_writer.hpp>
#include <sinter/codegen/types/scalar.hpp>

namespace sinter::inline v0 {

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

std::uint32_t nest_writer::component(std::uint32_t owner, element_type type, std::size_t number) {
  instruction made;
  made.op = operation::component;
  made.type = made.compute = type;
  made.arity = 1;
  made.arguments[0] = owner;
  made.payload = number;
  return append(made);
}

std::uint32_t nest_writer::position(unsigned axis) {
  access along;
  along.what = access::kind::position;
  along.type = element_type::int64;
  along.strides[axis] = 1;
  to_.accesses.push_back(along);
  return coordinate(static_cast<std::uint32_t>(to_.accesses.size() - 1));
}

std::uint32_t nest_writer::coordinate(std::uint32_t access) {
  return leaf(operation::coordinate, element_type::int64, access);
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
                                             std::int64_t inner, element_type type) {
  constexpr element_type integer = element_type::int64;
  const std::uint32_t at_most = constant(length);
  const std::uint32_t before = apply(operation::multiply, integer, {position(axis), at_most});
  const std::uint32_t left = apply(operation::subtract, integer, {constant(whole), before});
  const std::uint32_t held = apply(operation::minimum, integer, {left, at_most});
  std::uint32_t elements = apply(operation::maximum, integer, {held, constant(0)});
  if (inner != 1) elements = apply(operation::multiply, integer, {elements, constant(inner)});
  return apply(operation::cast, type, {elements});
}

std::uint32_t nest_writer::leaf(operation op, element_type type, std::uint64_t payload) {
  instruction made;
  made.op = op;
  made.type = made.compute = type;
  made.payload = payload;
  return append(made);
}

}  // namespace sinter::inline v0
