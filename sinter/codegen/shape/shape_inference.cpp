#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/composed_function.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/shape/body_shapes.hpp>
#include <sinter/codegen/shape/parts_shapes.hpp>
#include <sinter/codegen/shape/scatter_shapes.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace sinter::inline v0 {
namespace {

// ---- messages, built only to be thrown ----

/// A composition is named as its caller knows it: softmax, not max.
std::string name_of(const node& reduction) {
  const bool composed = !combines_by_body(reduction.op) && reduction.attribute != 0;
  return std::string(composed ? composed_function_names[reduction.attribute] : facts_of(reduction.op).name);
}

std::string describe_operation(const graph& recorded, const shape_table& shapes, node_id id) {
  const node& entry = recorded.nodes[id];
  std::string text = std::string(facts_of(entry.op).name) + "(";
  const char* separator = "";
  for (const node_id operand : recorded.operands_of(entry)) {
    text += separator + describe(recorded.nodes[operand].type, shapes.of(operand));
    separator = ", ";
  }
  return text + ")" + describe_place(recorded, id);
}

std::span<const view_item> items_of(const graph& recorded, const node& entry) {
  const view_range range = recorded.views[entry.payload];
  return std::span(recorded.view_items).subspan(range.first, range.count);
}

bool is_at_same_place(const graph& recorded, node_id a, node_id b) {
  if (std::max(a, b) >= recorded.locations.size()) return false;
  const std::source_location &first = recorded.locations[a], &second = recorded.locations[b];
  return first.line() != 0 && first.line() == second.line() && first.column() == second.column() &&
         std::strcmp(first.file_name(), second.file_name()) == 0;
}

/// The reduction or scan that masks its elements by this `where`, which is recorded where that is called. The
/// node itself if the user calls where().
node_id masked_reduction(const graph& recorded, node_id id) {
  if (recorded.nodes[id].op != operation::where) return id;
  for (node_id user = id + 1; user < recorded.nodes.size(); ++user) {
    const node& entry = recorded.nodes[user];
    if (!is_reduction(entry.op) && !is_scan(entry.op)) continue;
    const bool takes = combines_by_body(entry.op) ? std::ranges::find(recorded.operands_of(entry), id) !=
                                                        recorded.operands_of(entry).end()
                                                  : entry.inputs[0] == id;
    if (takes && is_at_same_place(recorded, id, user)) return user;
  }
  return id;
}

[[noreturn]] void throw_mask(const graph& recorded, const shape_table& shapes, node_id masked,
                             node_id where) {
  const node_id mask = recorded.nodes[where].inputs[0], elements = recorded.nodes[where].inputs[1];
  const auto text = [&](node_id id) { return describe(recorded.nodes[id].type, shapes.of(id)); };
  throw shape_error(name_of(recorded.nodes[masked]) + describe_place(recorded, masked) +
                    ": the mask of only_where(mask) is " + text(mask) +
                    " and does not broadcast with the elements, " + text(elements) +
                    ": give a mask of their shape, or of extent 1 where it is the same along an axis");
}

[[noreturn]] void throw_broadcast(const graph& recorded, const shape_table& shapes, node_id id,
                                  std::size_t axis, std::int64_t first, std::int64_t second) {
  if (const node_id masked = masked_reduction(recorded, id); masked != id)
    throw_mask(recorded, shapes, masked, id);
  throw shape_error("cannot broadcast " + describe_operation(recorded, shapes, id) + ": axis " +
                    std::to_string(axis) + " of the result would be " + std::to_string(first) + " and " +
                    std::to_string(second));
}

[[noreturn]] void throw_index(const graph& recorded, const shape_table& shapes, node_id id, std::size_t axis,
                              std::int64_t index, std::int64_t extent) {
  const node& entry = recorded.nodes[id];
  const node_id operand = entry.inputs[0];
  throw shape_error("view " + describe_view(items_of(recorded, entry)) + " of " +
                    describe(recorded.nodes[operand].type, shapes.of(operand)) +
                    describe_place(recorded, id) + ": index " + std::to_string(index) + " is outside axis " +
                    std::to_string(axis) + " of extent " + std::to_string(extent));
}

[[noreturn]] void throw_step(const graph& recorded, const shape_table& shapes, node_id id, std::size_t axis) {
  const node& entry = recorded.nodes[id];
  const node_id operand = entry.inputs[0];
  throw shape_error("view " + describe_view(items_of(recorded, entry)) + " of " +
                    describe(recorded.nodes[operand].type, shapes.of(operand)) +
                    describe_place(recorded, id) + ": the slice of axis " + std::to_string(axis) +
                    " has step 0");
}

[[noreturn]] void throw_empty(const graph& recorded, const shape_table& shapes, node_id id,
                              std::size_t axis) {
  const node& entry = recorded.nodes[id];
  throw shape_error(name_of(entry) + " of " +
                    describe(recorded.nodes[entry.inputs[0]].type, shapes.of(entry.inputs[0])) +
                    describe_place(recorded, id) + ": there is no element to choose along axis " +
                    std::to_string(axis) + " of extent 0");
}

[[noreturn]] void throw_inputs(const graph& recorded, std::size_t arrays, std::size_t scalars) {
  throw shape_error("a function of " + std::to_string(recorded.inputs.size()) + " arrays and " +
                    std::to_string(recorded.parameters.size()) + " scalars" + describe(recorded.defined_at) +
                    " was given " + std::to_string(arrays) + " and " + std::to_string(scalars));
}

[[noreturn]] void throw_input(const graph& recorded, std::size_t index, const array_layout& given) {
  const input_declaration& declared = recorded.inputs[index];
  const std::string message =
      "array " + std::to_string(index) + " of a function" + describe(recorded.defined_at) + " is " +
      describe(declared.type, declared.rank) + ", not " + describe(given.type, given.rank);
  if (given.type != declared.type) throw type_error(message);
  throw shape_error(message);
}

// ---- rules ----

constexpr bool inside(std::int64_t index, std::int64_t extent) {
  return index >= 0 ? index < extent : index >= -extent;
}

/// NumPy's resolution of a slice whose step is not 0.
resolved_slice resolve_slice(const view_item& item, std::int64_t extent,
                             std::span<const std::uint64_t> scalars) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const std::int64_t given = item.step.absent() ? 1 : value_of(item.step, scalars);
  const std::int64_t step = given == least ? least + 1 : given;  // so that it can be negated
  // A bound outside the axis becomes the nearest position where a slice in this direction can start or stop.
  const std::int64_t lowest = step > 0 ? 0 : -1;
  const std::int64_t highest = step > 0 ? extent : extent - 1;
  const auto clamped = [&](const bound& from, std::int64_t otherwise) {
    if (from.absent()) return otherwise;
    const std::int64_t value = value_of(from, scalars);
    return std::clamp(value < 0 ? value + extent : value, lowest, highest);
  };
  const std::int64_t start = clamped(item.start, step > 0 ? lowest : highest);
  const std::int64_t stop = clamped(item.stop, step > 0 ? highest : lowest);
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  if (distance <= 0) return {0, 1, 0};
  const std::int64_t count = (distance - 1) / (step > 0 ? step : -step) + 1;
  return {start, count == 1 ? 1 : step, count};  // one element never uses its step, which may be huge
}

resolved_slice resolve_index(std::int64_t index, std::int64_t extent) {
  return {index < 0 ? index + extent : index, 0, 1};
}

/// Extents of a view's result.
void infer_view(const graph& recorded, node_id id, std::span<const std::uint64_t> scalars,
                const shape_table& shapes, std::span<std::int64_t> result) {
  const std::span<const std::int64_t> source = shapes.of(recorded.nodes[id].inputs[0]);
  std::size_t from = 0, to = 0;
  for (const view_item& item : items_of(recorded, recorded.nodes[id])) {
    switch (item.what) {
      case view_item::kind::permute:
        result[to++] = source[static_cast<std::size_t>(item.start.value)];
        ++from;
        break;
      case view_item::kind::newaxis:
        result[to++] = 1;
        break;
      case view_item::kind::index: {
        const std::int64_t index = value_of(item.start, scalars);
        if (!inside(index, source[from])) throw_index(recorded, shapes, id, from, index, source[from]);
        ++from;
        break;
      }
      case view_item::kind::slice:
        if (!item.step.absent() && value_of(item.step, scalars) == 0) throw_step(recorded, shapes, id, from);
        result[to++] = resolve_slice(item, source[from++], scalars).count;
        break;
    }
  }
  while (from < source.size()) result[to++] = source[from++];
}

/// Extents of a reduction's result: 1 along the reduced axes.
void infer_reduction(const graph& recorded, node_id id, const shape_table& shapes,
                     std::span<std::int64_t> result) {
  const node& entry = recorded.nodes[id];
  const std::span<const std::int64_t> source = shapes.of(entry.inputs[0]);
  std::size_t empty = result.size();  // the first reduced axis without elements
  bool no_results = false;
  for (std::size_t axis = 0; axis < result.size(); ++axis) {
    const bool reduced = (entry.payload >> axis & 1) != 0;
    result[axis] = reduced ? 1 : source[axis];
    if (reduced && source[axis] == 0) empty = std::min(empty, axis);
    no_results |= !reduced && source[axis] == 0;
  }
  if (empty != result.size() && !no_results && needs_elements(entry.op) &&
      (entry.payload & start_if_empty) == 0)
    throw_empty(recorded, shapes, id, empty);
}

[[noreturn]] void throw_no_element(const graph& recorded, const shape_table& shapes, node_id id) {
  throw shape_error(describe_operation(recorded, shapes, id) +
                    ": an axis without elements has none at any index");
}

/// Broadcasts the operands of a node, aligned at their last axes; of an element its indices.
void infer_broadcast(const graph& recorded, node_id id, const shape_table& shapes,
                     std::span<std::int64_t> result) {
  const node& entry = recorded.nodes[id];
  std::fill(result.begin(), result.end(), 1);
  for (const node_id input : recorded.operands_of(entry).subspan(entry.op == operation::element ? 1 : 0)) {
    const std::span<const std::int64_t> operand = shapes.of(input);
    const std::size_t shift = result.size() - operand.size();
    for (std::size_t axis = 0; axis < operand.size(); ++axis) {
      std::int64_t& common = result[axis + shift];
      if (operand[axis] == common || operand[axis] == 1) continue;
      if (common != 1) throw_broadcast(recorded, shapes, id, axis + shift, common, operand[axis]);
      common = operand[axis];
    }
  }
}

void infer_element(const graph& recorded, node_id id, const shape_table& shapes,
                   std::span<std::int64_t> result) {
  infer_broadcast(recorded, id, shapes, result);
  const node& element = recorded.nodes[id];
  const auto source = shapes.of(recorded.operands_of(element)[0]);
  if (rule_of_element(element) != index_rule::known && std::ranges::find(source, 0) != source.end() &&
      std::ranges::find(result, 0) == result.end())
    throw_no_element(recorded, shapes, id);
}

/// Of a node that computes values from those of its operands.
void infer_values(const graph& recorded, node_id id, const shape_table& shapes,
                  std::span<std::int64_t> result) {
  const operation op = recorded.nodes[id].op;
  if (is_reduction(op))
    infer_reduction(recorded, id, shapes, result);
  else if (op == operation::element)
    infer_element(recorded, id, shapes, result);
  else if (op == operation::scatter)
    infer_scatter(recorded, id, shapes, result);
  else
    infer_broadcast(recorded, id, shapes, result);
}

const std::int64_t* shape_of_result(const shape_table& shapes, const node& component) {
  const auto owner = std::ranges::lower_bound(shapes.first_result, component.inputs[0], {},
                                              &std::pair<node_id, std::uint32_t>::first);
  return shapes.results[owner->second + component.payload].data();
}

struct call_operands {
  std::span<const array_layout> inputs;
  std::span<const std::uint64_t> scalars;
  const scalar_values& integers;
};

/// The shape of one node; throws what does not fit.
void infer_node(const graph& recorded, node_id id, const call_operands& given, shape_table& shapes) {
  const node& entry = recorded.nodes[id];
  const std::span<std::int64_t> result = std::span(shapes.extents).subspan(shapes.first[id], entry.rank);
  switch (entry.op) {
    case operation::input:
      std::copy_n(given.inputs[entry.payload].extents, entry.rank, result.begin());
      break;
    case operation::parameter:
    case operation::literal:
    case operation::extent:
      break;
    case operation::repeat:
    case operation::repeat_while:
    case operation::when:
    case operation::reduce:
    case operation::scan:
      infer_body_shapes(recorded, id, shapes, result, infer_shapes);
      break;
    case operation::component:
      std::copy_n(shape_of_result(shapes, entry), entry.rank, result.begin());
      break;
    case operation::view:
      infer_view(recorded, id, given.scalars, shapes, result);
      break;
    default:
      if (is_part(entry.op))
        infer_part(recorded, id, given.integers, shapes, result);
      else
        infer_values(recorded, id, shapes, result);
      break;
  }
}

}  // namespace

resolved_slice resolve(const view_item& item, std::int64_t extent, std::span<const std::uint64_t> scalars) {
  if (item.what == view_item::kind::index) {
    const std::int64_t index = value_of(item.start, scalars);
    if (!inside(index, extent))
      throw shape_error("index " + std::to_string(index) + " is outside an axis of extent " +
                        std::to_string(extent));
    return resolve_index(index, extent);
  }
  if (!item.step.absent() && value_of(item.step, scalars) == 0) throw shape_error("a slice has step 0");
  return resolve_slice(item, extent, scalars);
}

void infer_shapes(const graph& recorded, std::span<const array_layout> inputs,
                  std::span<const std::uint64_t> scalars, shape_table& shapes) {
  if (inputs.size() != recorded.inputs.size() || scalars.size() != recorded.parameters.size())
    throw_inputs(recorded, inputs.size(), scalars.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].type != recorded.inputs[i].type || inputs[i].rank != recorded.inputs[i].rank)
      throw_input(recorded, i, inputs[i]);

  std::uint32_t total = 0;
  shapes.first.clear();
  bool has_parts = false;
  for (const node& entry : recorded.nodes) {
    shapes.first.push_back(total);
    total += entry.rank;
    has_parts |= is_part(entry.op);
  }
  shapes.first.push_back(total);
  shapes.extents.resize(total);
  shapes.results.clear();
  shapes.first_result.clear();
  scalar_values integers(recorded, scalars);
  if (has_parts) want_integers(recorded, integers, shapes);

  const call_operands given{inputs, scalars, integers};
  for (node_id id = 0; id < recorded.nodes.size(); ++id) {
    try {
      infer_node(recorded, id, given, shapes);
    } catch (const shape_error& refused) {
      if (const scatter_call* const call = find_call(recorded.calls, id))
        throw_call(recorded, shapes, id, *call, refused.what());
      throw;
    }
    if (has_parts) set_integer(recorded, id, integers, shapes);
  }
}

void check_parameter_limits(const graph& recorded, std::span<const std::uint64_t> scalars) {
  for (const auto& [index, type] : recorded.parameter_limits) {
    const element_type from = recorded.parameters[index];
    if (fits(from, scalars[index], type)) continue;
    for (node_id id = 0; id < recorded.nodes.size(); ++id) {
      const node& entry = recorded.nodes[id];
      if (type != element_type::uint64 || entry.op != operation::parameter || entry.payload != index)
        continue;
      const std::string refused = describe_refused_power(recorded, id, scalars[index]);
      if (!refused.empty()) throw type_error(refused);
    }
    throw type_error("scalar " + std::to_string(index) + " of a function" + describe(recorded.defined_at) +
                     " is " + describe_scalar(from, scalars[index]) + ", which does not fit " +
                     std::string(facts_of(type).name));
  }
}

}  // namespace sinter::inline v0
