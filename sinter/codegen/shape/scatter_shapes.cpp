#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/scatters/scatter_node.hpp>
#include <sinter/codegen/shape/scatter_shapes.hpp>

#include <algorithm>
#include <string>

namespace sinter::inline v0 {
namespace {

std::string describe_operand(const graph& recorded, const shape_table& shapes, node_id id) {
  return describe(recorded.nodes[id].type, shapes.of(id));
}

[[noreturn]] void throw_scatter(const graph& recorded, const shape_table& shapes, node_id id,
                                std::size_t axis) {
  const node& entry = recorded.nodes[id];
  throw shape_error("scatter" + describe_place(recorded, id) + " into " +
                    describe_operand(recorded, shapes, entry.inputs[0]) + " at positions of " +
                    describe_operand(recorded, shapes, entry.inputs[1]) + " with updates of " +
                    describe_operand(recorded, shapes, entry.inputs[2]) + ": their axes " +
                    std::to_string(axis) + " differ; along axis " +
                    std::to_string(form_of_scatter(entry).axis) +
                    " positions and updates have one extent, along others that of the array");
}

}  // namespace

void infer_scatter(const graph& recorded, node_id id, const shape_table& shapes,
                   std::span<std::int64_t> result) {
  const node& entry = recorded.nodes[id];
  const auto base = shapes.of(entry.inputs[0]), index = shapes.of(entry.inputs[1]),
             updates = shapes.of(entry.inputs[2]);
  for (std::size_t axis = 0; axis < base.size(); ++axis)
    if (index[axis] != updates[axis] || (axis != form_of_scatter(entry).axis && index[axis] != base[axis]))
      throw_scatter(recorded, shapes, id, axis);
  std::ranges::copy(base, result.begin());
}

}  // namespace sinter::inline v0
