#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/equal_extents.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/shape/parts_shapes.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

namespace sinter::inline v0 {
namespace {

// ---- messages, built only to be thrown ----

std::string describe_array(const graph& recorded, const shape_table& shapes, node_id id) {
  return describe(recorded.nodes[id].type, shapes.of(id));
}

std::string describe_part(const graph& recorded, const shape_table& shapes, node_id id) {
  const node& entry = recorded.nodes[id];
  const bool pads = entry.op == operation::extended && is_pad(entry);
  return std::string(pads ? "pad" : facts_of(entry.op).name) + " of " +
         describe_array(recorded, shapes, entry.inputs[0]) + describe_place(recorded, id);
}

[[noreturn]] void throw_part(const graph& recorded, const shape_table& shapes, node_id id,
                             const std::string& reason) {
  throw shape_error(describe_part(recorded, shapes, id) + ": axis " +
                    std::to_string(part_axis(recorded.nodes[id])) + " has " + reason);
}

[[noreturn]] void throw_too_many(const graph& recorded, const shape_table& shapes, node_id id) {
  throw out_of_memory(describe_part(recorded, shapes, id) +
                          ": an axis of the result has more elements than 64 bits count: split it",
                      std::numeric_limits<std::size_t>::max(), 0);
}

[[noreturn]] void throw_concatenate(const graph& recorded, const shape_table& shapes, node_id id,
                                    std::size_t axis) {
  const node& entry = recorded.nodes[id];
  throw shape_error("concatenate of " + describe_array(recorded, shapes, entry.inputs[0]) + " and " +
                    describe_array(recorded, shapes, entry.inputs[1]) + " along axis " +
                    std::to_string(part_axis(entry)) + describe_place(recorded, id) + ": their axes " +
                    std::to_string(axis) + " differ; only the axis along which they stand may");
}

[[noreturn]] void throw_gather(const graph& recorded, const shape_table& shapes, node_id id,
                               std::size_t axis) {
  const node& entry = recorded.nodes[id];
  throw shape_error(describe_part(recorded, shapes, id) + " at positions of " +
                    describe_array(recorded, shapes, entry.inputs[1]) + ": their axes " +
                    std::to_string(axis) + " differ; only axis " + std::to_string(part_axis(entry)) +
                    " may, and axes of one element are repeated");
}

[[noreturn]] void throw_no_element(const graph& recorded, const shape_table& shapes, node_id id) {
  throw shape_error(describe_part(recorded, shapes, id) + " along axis " +
                    std::to_string(axis_in_source(recorded.nodes[id])) +
                    ": the axis has no elements, so there is none at any position");
}

/// The array of which a chain of merged and split axes was made.
node_id reshaped_from(const graph& recorded, node_id id) {
  while (recorded.nodes[id].op == operation::merged || recorded.nodes[id].op == operation::split)
    id = recorded.nodes[id].inputs[0];
  return id;
}

/// An axis whose extent a node is: "axis 1 of float32[2,3]".
std::string describe_axis(const graph& recorded, const shape_table& shapes, node_id array,
                          std::uint64_t axis) {
  return "axis " + std::to_string(axis) + " of " + describe_array(recorded, shapes, array);
}

/// Axes that are multiplied with each other and have other numbers of elements; see equal_extents.hpp.
[[noreturn]] void throw_product(const graph& recorded, const shape_table& shapes, node_id id) {
  constexpr std::string_view names[] = {"matmul", "dot", "vecdot", "einsum"};
  const node& entry = recorded.nodes[id];
  const refused_product refused = product_of_extent(shapes.integer(entry.inputs[1]));
  std::string text(names[static_cast<std::size_t>(refused.function)]);
  text += describe_place(recorded, id) + ": ";
  const node& choice = recorded.nodes[entry.inputs[1]];
  const node* const compared = choice.op == operation::where ? &recorded.nodes[choice.inputs[0]] : nullptr;
  std::string axes;
  for (std::size_t i = 0; compared != nullptr && i < compared->arity; ++i) {
    const node& extent = recorded.nodes[compared->inputs[i]];
    if (extent.op != operation::extent) continue;
    axes += (axes.empty() ? "" : " and ") + describe_axis(recorded, shapes, extent.inputs[0], extent.payload);
    axes += " with " + std::to_string(shapes.of(extent.inputs[0])[extent.payload]);
  }
  if (axes.empty()) axes = describe_axis(recorded, shapes, entry.inputs[0], part_axis(entry));
  if (refused.label != 0) text += std::string("label '") + refused.label + "' is that of ";
  throw shape_error(text + axes + " elements: axes that are multiplied have equally many");
}

[[noreturn]] void throw_split(const graph& recorded, const shape_table& shapes, node_id id) {
  const node& entry = recorded.nodes[id];
  const unsigned axis = part_axis(entry);
  const auto extents = shapes.of(entry.inputs[0]);
  const node_id from = reshaped_from(recorded, id);
  std::int64_t count = 1;
  for (const std::int64_t extent : shapes.of(from)) count *= extent;
  std::string shape;
  const auto append = [&](const std::string& extent) { shape += (shape.empty() ? "[" : ",") + extent; };
  for (unsigned i = 0; i < axis; ++i) append(std::to_string(extents[i]));
  if (!is_whole(entry)) append("-1");
  append(std::to_string(shapes.integer(entry.inputs[1])));
  for (std::size_t i = axis + 1; i < extents.size(); ++i) append(std::to_string(extents[i]));
  throw shape_error("cannot reshape " + describe_array(recorded, shapes, from) +
                    describe_place(recorded, id) + ": " + std::to_string(count) + " elements do not fill " +
                    shape + "]");
}

void check_integers(const graph& recorded, node_id id, const scalar_values& integers,
                    const shape_table& shapes) {
  for (const node_id scalar : scalars_of(recorded.nodes[id]))
    if (integers.wraps(scalar))
      throw_part(recorded, shapes, id,
                 "a size or position that is computed with numbers beyond 64 bits: pass smaller ones");
}

// ---- rules ----

std::int64_t product(const graph& recorded, const shape_table& shapes, node_id id, std::int64_t a,
                     std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw_too_many(recorded, shapes, id);
  return result;
}

/// A pad has all elements of its axis: numbers of elements before and after them are not negative.
void check_pad(const graph& recorded, node_id id, const shape_table& shapes, std::int64_t source) {
  const node& entry = recorded.nodes[id];
  const std::int64_t first = shapes.integer(entry.inputs[1]), extent = shapes.integer(entry.inputs[2]);
  const auto refuse = [&](std::int64_t amount, std::string_view side) {
    throw_part(recorded, shapes, id,
               std::to_string(source) + " elements, and would have " + std::to_string(amount) + " more " +
                   std::string(side) + " them: a slice takes elements away");
  };
  if (first > 0) refuse(-first, "before");
  if (extent >= source && first + (extent - source) >= 0) return;
  const auto after = static_cast<std::uint64_t>(extent) - static_cast<std::uint64_t>(source) +
                     static_cast<std::uint64_t>(first);
  refuse(static_cast<std::int64_t>(after), "after");
}

std::int64_t extent_of_extended(const graph& recorded, node_id id, const shape_table& shapes,
                                std::int64_t source) {
  const node& entry = recorded.nodes[id];
  const std::int64_t extent = shapes.integer(entry.inputs[2]);
  if (is_pad(entry)) check_pad(recorded, id, shapes, source);
  const extension rule = extension_of(entry);
  const auto refuse = [&](const std::string& reason) {
    throw_part(recorded, shapes, id,
               std::to_string(source) + " elements, and would have " + std::to_string(extent) + reason);
  };
  if (extent < 0) refuse(rule == extension::repeat ? " of each" : "");
  switch (rule) {
    case extension::broadcast:
      if (source != 1 && source != extent) refuse(": only an axis of one element is broadcast");
      return extent;
    case extension::repeat:
      return product(recorded, shapes, id, source, extent);
    default:
      if (source == 0 && extent != 0) refuse(": there is no element that could stand past its ends");
      return extent;
  }
}

void infer_concatenate(const graph& recorded, node_id id, const shape_table& shapes,
                       std::span<std::int64_t> result) {
  const node& entry = recorded.nodes[id];
  const auto a = shapes.of(entry.inputs[0]), b = shapes.of(entry.inputs[1]);
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    result[axis] = a[axis];
    if (axis == part_axis(entry)) {
      if (__builtin_add_overflow(a[axis], b[axis], &result[axis])) throw_too_many(recorded, shapes, id);
    } else if (a[axis] != b[axis]) {
      throw_concatenate(recorded, shapes, id, axis);
    }
  }
}

void infer_gather(const graph& recorded, node_id id, const shape_table& shapes,
                  std::span<std::int64_t> result) {
  const node& entry = recorded.nodes[id];
  const auto source = shapes.of(entry.inputs[0]), index = shapes.of(entry.inputs[1]);
  bool is_empty = false;
  for (std::size_t axis = 0; axis < source.size(); ++axis) {
    const bool is_along = axis == part_axis(entry);
    if (!is_along && index[axis] != 1 && source[axis] != 1 && index[axis] != source[axis])
      throw_gather(recorded, shapes, id, axis);
    result[axis] = is_along || source[axis] == 1 ? index[axis] : source[axis];
    is_empty |= result[axis] == 0;
  }
  if (!is_empty && source[part_axis(entry)] == 0) throw_no_element(recorded, shapes, id);
}

void infer_diagonal(const graph& recorded, node_id id, const shape_table& shapes,
                    std::span<std::int64_t> result) {
  const node& entry = recorded.nodes[id];
  const auto source = shapes.of(entry.inputs[0]);
  const std::int64_t offset = shapes.integer(entry.inputs[1]);
  const std::int64_t rows = source[part_axis(entry)], columns = source[second_axis(entry)];
  const std::int64_t extent =
      offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns);
  auto to = result.begin();
  for (unsigned axis = 0; axis < source.size(); ++axis)
    if (axis != part_axis(entry) && axis != second_axis(entry)) *to++ = source[axis];
  *to = std::max<std::int64_t>(extent, 0);
}

/// NumPy's reshape: an array without elements has any number of rows of it.
void infer_split(const graph& recorded, node_id id, const shape_table& shapes,
                 std::span<std::int64_t> result) {
  const node& entry = recorded.nodes[id];
  const auto source = shapes.of(entry.inputs[0]);
  const unsigned axis = part_axis(entry);
  const std::int64_t whole = source[axis], extent = shapes.integer(entry.inputs[1]);
  if (is_whole(entry) && refuses_product(extent)) throw_product(recorded, shapes, id);
  if (extent < 0) throw_split(recorded, shapes, id);
  auto to = std::copy_n(source.begin(), axis, result.begin());
  if (is_whole(entry)) {
    const bool is_empty = std::ranges::find(source.first(axis), 0) != source.begin() + axis ||
                          std::ranges::find(source.subspan(axis + 1), 0) != source.end();
    if (whole != extent && !is_empty) throw_split(recorded, shapes, id);
  } else {
    if (extent == 0 ? whole != 0 : whole % extent != 0) throw_split(recorded, shapes, id);
    *to++ = extent == 0 ? 0 : whole / extent;
  }
  *to++ = extent;
  std::copy(source.begin() + axis + 1, source.end(), to);
}

}  // namespace

void want_integers(const graph& recorded, scalar_values& integers, shape_table& shapes) {
  shapes.integers.resize(recorded.nodes.size());
  for (const node& entry : recorded.nodes)
    for (const node_id scalar : scalars_of(entry)) integers.want(scalar);
  integers.want_operands();
}

void set_integer(const graph& recorded, node_id id, scalar_values& integers, shape_table& shapes) {
  if (!integers.is_wanted(id)) return;
  const node& entry = recorded.nodes[id];
  const bool is_extent = entry.op == operation::extent;
  integers.evaluate_node(id, is_extent ? &shapes.of(entry.inputs[0])[entry.payload] : nullptr);
  if (const reference_value* const value = integers.find(id); value != nullptr)
    shapes.integers[id] = static_cast<std::int64_t>(value->integer);
}

void infer_part(const graph& recorded, node_id id, const scalar_values& integers, const shape_table& shapes,
                std::span<std::int64_t> result) {
  check_integers(recorded, id, integers, shapes);
  const node& entry = recorded.nodes[id];
  const auto source = shapes.of(entry.inputs[0]);
  const unsigned axis = part_axis(entry);
  switch (entry.op) {
    case operation::extended:
      std::ranges::copy(source, result.begin());
      result[axis] = extent_of_extended(recorded, id, shapes, source[axis]);
      return;
    case operation::concatenate:
      return infer_concatenate(recorded, id, shapes, result);
    case operation::window: {
      const std::int64_t extent = shapes.integer(entry.inputs[1]);
      if (extent < 1 || extent > source[axis])
        throw_part(recorded, shapes, id,
                   std::to_string(source[axis]) + " elements, and no windows of " + std::to_string(extent));
      std::ranges::copy(source, result.begin());
      result[axis] = source[axis] - extent + 1;
      result[source.size()] = extent;
      return;
    }
    case operation::gather:
      return infer_gather(recorded, id, shapes, result);
    case operation::diagonal:
      return infer_diagonal(recorded, id, shapes, result);
    case operation::merged:
      std::copy_n(source.begin(), axis + 1, result.begin());
      result[axis] = product(recorded, shapes, id, source[axis], source[axis + 1]);
      std::copy(source.begin() + axis + 2, source.end(), result.begin() + axis + 1);
      return;
    default:
      return infer_split(recorded, id, shapes, result);
  }
}

}  // namespace sinter::inline v0
