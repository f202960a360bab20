#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/scatters/scatter_call.hpp>
#include <sinter/codegen/graph/scatters/scatter_node.hpp>
#include <sinter/codegen/shape/scatter_shapes.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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

// ---- what would fit a call ----

using extents = std::span<const std::int64_t>;

std::string shape_of(extents of) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < of.size(); ++axis)
    text += (axis == 0 ? "" : ",") + std::to_string(of[axis]);
  return text + "]";
}

/// Whether an array is broadcast to a shape.
bool fits(extents array, extents shape) {
  if (array.size() > shape.size()) return false;
  const extents last = shape.last(array.size());
  return std::ranges::equal(array, last, [](std::int64_t a, std::int64_t b) { return a == 1 || a == b; });
}
/// Whether two arrays are broadcast together.
bool fit_together(extents a, extents b) {
  const std::size_t common = std::min(a.size(), b.size());
  return std::ranges::equal(a.last(common), b.last(common),
                            [](std::int64_t m, std::int64_t n) { return m == 1 || n == 1 || m == n; });
}

std::string fit_of_updates(const scatter_call& call, extents array, extents indices, extents updates) {
  if (array.size() == 1)
    return fit_together(indices, updates) ? ""
                                          : "updates of " + shape_of(indices) + " would fit, or indices of " +
                                                shape_of(updates) + ": they are broadcast together";
  std::vector<std::int64_t> wanted(array.begin(), array.end());
  const std::size_t axis = call.axis;
  if (indices.size() <= 1) {
    wanted[axis] = indices.empty() ? 1 : indices[0];
    const bool repeats = wanted[axis] == 1 && updates.size() + axis >= array.size();
    if (repeats) wanted[axis] = updates[updates.size() + axis - array.size()];  // one index for all of them
    return fits(updates, wanted)
               ? ""
               : "updates of " + shape_of(wanted) +
                     " would fit, or of a shape that is broadcast to it: there is an index for "
                     "each along axis " +
                     std::to_string(axis);
  }
  wanted[axis] = indices[axis];
  if (!fits(indices, wanted))
    return "indices of " + shape_of(wanted) +
           " would fit: their extents are those of the array, but for axis " + std::to_string(axis);
  return "updates of " + shape_of(wanted) + " would fit, or of a shape that is broadcast to it";
}

/// Why a number of counts or segments is refused; empty: it is not.
std::string fault_in_count(const graph& recorded, const shape_table& shapes, node_id id) {
  const node& entry = recorded.nodes[id];
  if (entry.op != operation::extended || shapes.integer(entry.inputs[2]) >= 0) return {};
  return "the result would have " + std::to_string(shapes.integer(entry.inputs[2])) +
         " elements along an axis: their number is not negative";
}

std::string fit_of_call(const scatter_call& call, std::span<const extents> shapes) {
  const auto all_alike = [&](std::string_view what) {
    for (const extents& each : shapes.subspan(1))
      if (!fit_together(each, shapes[0]))
        return std::string(what) + " of " + shape_of(shapes[0]) + " would fit";
    return std::string();
  };
  switch (call.function) {
    case scatter_function::bincount:
    case scatter_function::histogram:
      return all_alike("weights");
    case scatter_function::histogram2d:
      return fit_together(shapes[0], shapes[1]) ? all_alike("weights") : all_alike("y");
    case scatter_function::segment_sum:
    case scatter_function::segment_mean:
    case scatter_function::segment_min:
    case scatter_function::segment_max:
      if (shapes[1][0] == shapes[0][call.axis]) return {};
      return "segments of " + shape_of(shapes[0].subspan(call.axis, 1)) +
             " would fit: there is one for each row along axis " + std::to_string(call.axis);
    case scatter_function::compress:
      return std::ranges::equal(shapes[0], shapes[1]) ? ""
                                                      : "a mask of " + shape_of(shapes[0]) + " would fit";
    case scatter_function::assigned_where:
      if (!std::ranges::equal(shapes[0], shapes[2])) return "a mask of " + shape_of(shapes[0]) + " would fit";
      return "values of " + shape_of(shapes[0]) + " would fit, or of a shape that is broadcast to it";
    case scatter_function::assigned_at:
      for (const extents& each : shapes.subspan(3))
        if (!fit_together(each, shapes[2]))
          return "indices of one shape would fit: they are broadcast together";
      return "values of the shape that is read at the indices would fit, or of one that is broadcast to it";
    default:
      return fit_of_updates(call, shapes[0], shapes[1], shapes[2]);
  }
}

}  // namespace

[[noreturn]] void throw_call(const graph& recorded, const shape_table& shapes, node_id id,
                             const scatter_call& call, const std::string& reason) {
  std::string given;
  std::vector<extents> all;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const node_id operand = call.operands[i];
    if (operand == no_operand) continue;
    all.push_back(shapes.of(operand));
    given += (given.empty() ? ": " : ", ") + std::string(operand_role(call.function, i)) + " " +
             describe_operand(recorded, shapes, operand);
  }
  std::string fit = fault_in_count(recorded, shapes, id);
  if (fit.empty() && all.size() == call.operands.size()) fit = fit_of_call(call, all);
  throw shape_error(std::string(name_of(call.function)) + describe_place(recorded, id) + given + ": " +
                    (fit.empty() ? reason : fit));
}

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
