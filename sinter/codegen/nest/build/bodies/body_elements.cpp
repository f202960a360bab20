#include <sinter/codegen/nest/build/bodies/body_elements.hpp>

#include <sinter/codegen/nest/build/nest_accesses.hpp>
#include <sinter/codegen/nest/nest_writer.hpp>

#include <algorithm>

namespace sinter::inline v0 {

const node_demands::demand& body_elements::in_memory(std::uint32_t array) const {
  const node_demands::demand* at = &demands_.all[array];
  while (find_stored(stored_, at->node) == nullptr && call_.recorded.nodes[at->node].op != operation::input)
    at = &demands_.all[at->inputs[0]];
  return *at;
}

std::uint32_t body_elements::position_of(std::uint32_t index, std::int64_t extent, index_rule rule) {
  constexpr element_type integer = element_type::int64;
  nest_writer out(nest_);
  if (rule == index_rule::clip)
    return out.apply(operation::clip, integer, {index, out.literal(integer, 0), out.constant(extent - 1)});
  if (rule != index_rule::wrap) return index;
  const element_type type = nest_.body[index].type;
  std::uint32_t modulus = out.constant(extent);
  if (type != integer) modulus = out.apply(operation::cast, type, {modulus});
  const std::uint32_t rest = out.apply(operation::remainder, type, {index, modulus});
  return type == integer ? rest : out.apply(operation::cast, integer, {rest});
}

std::uint32_t body_elements::append(std::uint32_t array, std::span<const std::uint32_t> indices,
                                    index_rule rule, node_id user, std::vector<index_check>& checks) {
  const node_id source = demands_.all[array].node;
  const auto extents = call_.shapes.of(source);
  nest_writer out(nest_);
  const element_type type = call_.recorded.nodes[source].type;
  if (!nest_.shape_generic && std::ranges::find(extents, 0) != extents.end()) {
    const std::uint32_t zero = out.literal(component_of(type), 0);
    return is_complex(type) ? out.apply(operation::make_complex, type, {zero, zero}) : zero;
  }
  positions_.clear();
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    if (rule != index_rule::checked) {
      positions_.push_back(position_of(indices[axis], extents[axis], rule));
      continue;
    }
    index_check check = checked_position(nest_, indices[axis], extents[axis]);
    check.along = {user, source, static_cast<std::uint32_t>(axis)};
    positions_.push_back(check.position);
    checks.push_back(std::move(check));
  }
  const node_demands::demand& from = in_memory(array);
  const memory_of_node memory = memory_of(call_, stored_, from.node);
  access made;
  made.what = access::kind::gathered;
  made.place = memory.place;
  made.array = memory.array;
  made.type = type;
  const auto rank = call_.recorded.nodes[from.node].rank;
  instruction read;
  read.op = operation::input;
  read.type = read.compute = type;
  read.arity = 1;
  read.arguments[0] = writer_.offset(demands_.maps_of(from, rank), std::span(memory.strides).first(rank));
  read.payload = add_access(nest_, made, 0);
  return out.append(read);
}

}  // namespace sinter::inline v0
