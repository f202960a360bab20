#include <sinter/codegen/base/default_arithmetic.hpp>
#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/graph/scatters/scatter_node.hpp>
#include <sinter/codegen/reference/interpreter.hpp>
#include <sinter/codegen/reference/moved_elements.hpp>
#include <sinter/codegen/scalars/scalar_limits.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

namespace sinter::inline v0 {
namespace {

class interpretation {
 public:
  interpretation(const graph& recorded, std::span<const reference_array> inputs,
                 std::span<const std::uint64_t> scalars, reference_precision precision)
      : graph_(recorded), inputs_(inputs), scalars_(scalars), precision_(precision) {
    std::vector<array_layout> layouts;
    for (const reference_array& input : inputs)
      layouts.push_back({.type = input.type,
                         .rank = static_cast<std::uint8_t>(input.extents.size()),
                         .extents = input.extents.data()});
    infer_shapes(recorded, layouts, scalars, shapes_);
    check_parameter_limits(recorded, scalars);
    check_derived_limits(recorded, scalars);
  }

  void run(std::vector<reference_array>& results) {
    const default_arithmetic modes;
    evaluate_nodes();
    results.clear();
    for (const node_id output : graph_.outputs) results.push_back(values_[output]);
  }
  void evaluate_nodes() {
    values_.clear();
    components_.clear();
    for (node_id id = 0; id < graph_.nodes.size(); ++id) values_.push_back(value_of_node(id));
  }
  /// A result of the latest evaluation.
  const reference_array& output(std::size_t number) const { return values_[graph_.outputs[number]]; }

 private:
  reference_array value_of_node(node_id id) {
    const node& entry = graph_.nodes[id];
    if (entry.op == operation::input) return inputs_[entry.payload];
    if (entry.op == operation::component) return components_.at(entry.inputs[0])[entry.payload];
    if (has_body(entry.op)) {
      components_[id] = entry.op == operation::when  ? chosen(entry, id)
                        : combines_by_body(entry.op) ? combined(entry, id)
                                                     : repeated(entry, id);
      return {};
    }
    reference_array made = make_array(entry.type, shapes_.of(id));
    switch (entry.op) {
      case operation::parameter:
        set(made, 0, load_reference(entry.type, scalars_[entry.payload]));
        break;
      case operation::literal:
        set(made, 0, load_reference(entry.type, entry.payload));
        break;
      case operation::extent:
        set(made, 0, {0, static_cast<std::uint64_t>(shapes_.of(entry.inputs[0])[entry.payload])});
        break;
      case operation::coordinate:
        fill(made, [&](const coordinates& at) { return position_of(entry, made, at); });
        break;
      case operation::cast: {
        const reference_array& source = values_[entry.inputs[0]];
        for (std::size_t i = 0; i < made.size(); ++i)
          set(made, i, cast_reference(source.type, source.at(i), entry.type));
        break;
      }
      case operation::view:
        fill(made, [&](const coordinates& at) { return viewed_at(entry, at); });
        break;
      case operation::argsort:
        argsort(entry, made);
        break;
      case operation::scatter:
        scatter(entry, made);
        break;
      case operation::element:
        fill(made, [&](const coordinates& at) { return element_at(entry, at); });
        break;
      case operation::external:
        fill(made, [&](const coordinates& at) { return called_at(entry, at); });
        break;
      default:
        if (is_part(entry.op))
          fill(made, [&](const coordinates& at) { return moved_at(entry, at); });
        else if (is_reduction(entry.op))
          fill(made, [&](const coordinates& at) { return reduced_at(entry, at); });
        else if (is_scan(entry.op))
          scan(entry, made);
        else
          fill(made, [&](const coordinates& at) { return applied_at(entry, at); });
        break;
    }
    return made;
  }

  static reference_value position_of(const node& entry, const reference_array& space, const coordinates& at) {
    const bool is_row_major = entry.payload == entry.rank;
    return {0, is_row_major ? offset_of(at, space.extents) : static_cast<std::uint64_t>(at[entry.payload])};
  }

  reference_value viewed_at(const node& entry, const coordinates& at) const {
    const view_range range = graph_.views[entry.payload];
    const auto items = std::span(graph_.view_items).subspan(range.first, range.count);
    const reference_array& source = values_[entry.inputs[0]];
    return source.at(offset_of(viewed_from(items, source.extents, scalars_, at), source.extents));
  }

  /// The element of an operand that a part has at a position.
  reference_value moved_at(const node& entry, const coordinates& at) const {
    if (entry.op == operation::gather) return gathered_at(entry, at);
    std::array<std::span<const std::int64_t>, 2> extents;
    std::array<std::int64_t, 2> integers{};
    for (unsigned i = 0; i < (entry.op == operation::concatenate ? 2 : 1); ++i)
      extents[i] = values_[entry.inputs[i]].extents;
    const auto scalars = scalars_of(entry);
    for (std::size_t i = 0; i < scalars.size(); ++i)
      integers[i] = static_cast<std::int64_t>(values_[scalars[i]].integers[0]);
    const element_position from = moved_from(entry, extents, integers, at);
    const reference_array& source = values_[entry.inputs[from.operand]];
    return source.at(offset_of(from.at, source.extents));
  }

  /// The element of a gather's source; out of range the nearest one.
  reference_value gathered_at(const node& entry, const coordinates& at) const {
    const reference_array& source = values_[entry.inputs[0]];
    const std::uint64_t index = broadcast_at(values_[entry.inputs[1]], at).integer;
    coordinates from(at);
    for (std::size_t axis = 0; axis < from.size(); ++axis)
      if (source.extents[axis] == 1) from[axis] = 0;
    const std::size_t axis = part_axis(entry);
    from[axis] = position_of_index(index, element_type::int64, source.extents[axis],
                                   is_checked(entry) ? index_rule::checked : index_rule::known);
    return source.at(offset_of(from, source.extents));
  }

  /// Combines elements of the base with updates, one after the other.
  void scatter(const node& entry, reference_array& made) const {
    const unsigned axis = form_of_scatter(entry).axis;
    const std::int64_t extent = made.extents[axis];
    made = values_[entry.inputs[0]];
    reference_array visited = make_array(element_type::boolean, values_[entry.inputs[2]].extents);
    fill(visited, [&](const coordinates& at) {
      auto index = static_cast<std::int64_t>(broadcast_at(values_[entry.inputs[1]], at).integer);
      if (index < 0 && form_of_scatter(entry).rule == scatter_rule::reported) index += extent;
      if (index < 0 || index >= extent) return reference_value{};
      coordinates to(at);
      to[axis] = index;
      const std::size_t place = offset_of(to, made.extents);
      const std::array<reference_value, 2> both{made.at(place), broadcast_at(values_[entry.inputs[2]], at)};
      set(made, place, evaluate(form_of_scatter(entry).combine, entry.type, precision_, both));
      return reference_value{};
    });
  }

  /// Positions of each row, in the order of its keys; of equal ones the first comes first.
  void argsort(const node& entry, reference_array& made) const {
    const reference_array& keys = values_[entry.inputs[0]];
    const auto length = static_cast<std::size_t>(made.extents.back());
    std::vector<std::size_t> order(length);
    for (std::size_t row = 0; row + length <= made.size() && length != 0; row += length) {
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::sort(order, {}, [&](std::size_t at) { return std::pair(keys.at(row + at).integer, at); });
      for (std::size_t at = 0; at < length; ++at) set(made, row + at, reference_value{.integer = order[at]});
    }
  }

  /// The element that a body takes of an array. Of an array without elements 0: nothing uses it.
  reference_value element_at(const node& entry, const coordinates& at) const {
    const auto operands = graph_.operands_of(entry);
    const reference_array& source = values_[operands[0]];
    if (source.size() == 0) return {};
    coordinates from;
    for (const node_id index : operands.subspan(1))
      from.push_back(position_of_index(broadcast_at(values_[index], at).integer, graph_.nodes[index].type,
                                       source.extents[from.size()], rule_of_element(entry)));
    return source.at(offset_of(from, source.extents));
  }

  /// A value in the shape of a result of a node with bodies.
  reference_array broadcast(node_id id, unsigned result, const reference_array& from) const {
    const auto owner =
        std::ranges::lower_bound(shapes_.first_result, id, {}, &std::pair<node_id, std::uint32_t>::first);
    const unsigned rank = rank_of_component(graph_, graph_.nodes[id], result);
    reference_array made =
        make_array(from.type, std::span(shapes_.results[owner->second + result]).first(rank));
    fill(made, [&](const coordinates& at) { return broadcast_at(from, at); });
    return made;
  }

  /// The inputs of a node's bodies; of a loop with its iteration's number, and its states in their shapes.
  std::vector<reference_array> inputs_of_bodies(const node& entry, node_id id) const {
    const body_layout layout = layout_of(entry.op);
    const auto operands = graph_.operands_of(entry);
    std::vector<reference_array> inputs;
    if (layout.iteration == 1) inputs.push_back(make_array(element_type::int64, {}));
    const std::size_t states = layout.has_states ? component_count(graph_, entry) : 0;
    for (std::size_t i = layout.lead; i < operands.size(); ++i) {
      const std::size_t state = i - layout.lead;
      inputs.push_back(state < states ? broadcast(id, static_cast<unsigned>(state), values_[operands[i]])
                                      : values_[operands[i]]);
    }
    return inputs;
  }

  /// The states after a loop. An element whose condition does not hold stays as it is from then on.
  std::vector<reference_array> repeated(const node& entry, node_id id) {
    const body_layout layout = layout_of(entry.op);
    const std::size_t states = component_count(graph_, entry);
    std::vector<reference_array> inputs = inputs_of_bodies(entry, id);
    const auto first = inputs.begin() + layout.iteration;
    const auto last = first + static_cast<std::ptrdiff_t>(states);
    const std::uint64_t count =
        entry.op == operation::repeat_while
            ? UINT64_MAX
            : static_cast<std::uint64_t>(std::max<std::int64_t>(
                  0, static_cast<std::int64_t>(values_[graph_.operands_of(entry)[0]].integers[0])));
    interpretation body(body_of(graph_, entry), inputs, {}, precision_);
    reference_array active;  // of a loop with a condition: the elements for which it has held so far
    for (std::uint64_t step = 0; step < count; ++step) {
      inputs[0].integers[0] = step;
      body.evaluate_nodes();
      if (layout.conditions == 1) {
        const reference_array& holds = body.output(0);
        if (step == 0) active = holds;
        for (std::size_t i = 0; i < holds.size(); ++i) active.integers[i] &= holds.integers[i];
        if (std::ranges::all_of(active.integers, [](std::uint64_t each) { return each == 0; })) break;
      }
      std::vector<reference_array> next(first, last);
      for (std::size_t k = 0; k < states; ++k)
        fill(next[k], [&](const coordinates& at) {
          const bool changes = layout.conditions == 0 || broadcast_at(active, at).integer != 0;
          return broadcast_at(
              changes ? body.output(layout.conditions + k) : first[static_cast<std::ptrdiff_t>(k)], at);
        });
      std::ranges::move(next, first);
    }
    return {first, last};
  }

  std::vector<reference_array> chosen(const node& entry, node_id id) {
    const std::vector<reference_array> inputs = inputs_of_bodies(entry, id);
    interpretation then(body_of(graph_, entry), inputs, {}, precision_);
    interpretation otherwise(body_of(graph_, entry, 1), inputs, {}, precision_);
    then.evaluate_nodes();
    otherwise.evaluate_nodes();
    const reference_array& condition = values_[graph_.operands_of(entry)[0]];
    std::vector<reference_array> results;
    for (unsigned k = 0; k < component_count(graph_, entry); ++k) {
      reference_array made = broadcast(id, k, then.output(k));
      fill(made, [&](const coordinates& at) {
        return broadcast_at(broadcast_at(condition, at).integer != 0 ? then.output(k) : otherwise.output(k),
                            at);
      });
      results.push_back(std::move(made));
    }
    return results;
  }

  /// The results of a reduction or scan by a body: combines elements one after the other, in row-major order.
  std::vector<reference_array> combined(const node& entry, node_id id) {
    const std::size_t count = component_count(graph_, entry);
    const auto operands = graph_.operands_of(entry);
    const std::vector<std::int64_t> extents(shapes_.of(id).begin(), shapes_.of(id).end());
    const std::uint64_t axes =
        entry.op == operation::scan ? std::uint64_t{1} << scanned_axis(entry) : reduced_axes(entry);
    std::vector<reference_array> inputs, results;
    for (const node_id operand : operands) inputs.push_back(make_array(values_[operand].type, {}));
    for (std::size_t i = 2 * count; i < operands.size(); ++i) inputs[i] = values_[operands[i]];
    coordinates row_extents = extents;  // of rows, each of which is combined to one value
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      if ((axes >> axis & 1) != 0) row_extents[axis] = 1;
    for (std::size_t k = 0; k < count; ++k) {
      reference_array made =
          make_array(values_[operands[k]].type, entry.op == operation::scan ? extents : row_extents);
      fill(made, [&](const coordinates&) { return values_[operands[count + k]].at(0); });
      results.push_back(std::move(made));
    }
    interpretation body(body_of(graph_, entry), inputs, {}, precision_);
    std::vector<bool> begun(count_of(row_extents), false);
    reference_array visited = make_array(element_type::boolean, extents);
    fill(visited, [&](const coordinates& at) {
      coordinates row(at);
      for (std::size_t axis = 0; axis < row.size(); ++axis)
        if ((axes >> axis & 1) != 0) row[axis] = 0;
      coordinates before(at);  // where a scan's last result of this row is
      if (entry.op == operation::scan) --before[scanned_axis(entry)];
      const std::size_t row_number = offset_of(row, row_extents);
      const bool goes_on = begun[row_number];
      for (std::size_t k = 0; k < count && goes_on; ++k) {
        const std::size_t from = entry.op == operation::scan ? offset_of(before, extents) : row_number;
        set(inputs[k], 0, results[k].at(from));
        set(inputs[count + k], 0, broadcast_at(values_[operands[k]], at));
      }
      if (goes_on) body.evaluate_nodes();
      const std::size_t to = entry.op == operation::scan ? offset_of(at, extents) : row_number;
      for (std::size_t k = 0; k < count; ++k)
        set(results[k], to, goes_on ? body.output(k).at(0) : broadcast_at(values_[operands[k]], at));
      begun[row_number] = true;
      return reference_value{};
    });
    return results;
  }

  /// One result of a reduction: combines its elements one after the other, in row-major order.
  reference_value reduced_at(const node& entry, const coordinates& at) const {
    const reference_array& source = values_[entry.inputs[0]];
    coordinates extents(at.size(), 1), own(at);
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      if ((entry.payload >> axis & 1) != 0) extents[axis] = source.extents[axis];
    const std::size_t count = count_of(extents);
    if (count == 0 && needs_elements(entry.op))
      return load_reference(source.type, start_bits(entry.op, source.type));
    reference_value found = start_of(entry, source.type);
    std::uint64_t position = 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t rest = i;
      for (std::size_t axis = at.size(); axis-- > 0;) {
        const auto extent = static_cast<std::size_t>(extents[axis]);
        if ((entry.payload >> axis & 1) != 0) own[axis] = static_cast<std::int64_t>(rest % extent);
        rest /= extent;
      }
      const reference_value element = source.at(offset_of(own, source.extents));
      if (finds_position(entry.op)) {
        if (i == 0 || is_before(entry.op, source.type, element, found)) {
          found = element;
          position = i;
        }
        continue;
      }
      const std::array<reference_value, 2> both{found, element};
      found = i == 0 && needs_elements(entry.op)
                  ? element
                  : evaluate(facts_of(entry.op).combine, source.type, precision_, both);
    }
    return finds_position(entry.op) ? reference_value{0, position} : found;
  }

  /// Combines each element with the result of the one before it.
  void scan(const node& entry, reference_array& made) const {
    const reference_array& source = values_[entry.inputs[0]];
    std::size_t distance = 1;
    for (std::size_t axis = entry.payload + 1; axis < made.extents.size(); ++axis)
      distance *= static_cast<std::size_t>(made.extents[axis]);
    const auto extent = static_cast<std::size_t>(made.extents[entry.payload]);
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (i / distance % extent == 0) {
        set(made, i, source.at(i));
        continue;
      }
      const std::array<reference_value, 2> both{made.at(i - distance), source.at(i)};
      set(made, i, evaluate(facts_of(entry.op).combine, source.type, precision_, both));
    }
  }

  static reference_value start_of(const node& entry, element_type type) {
    const std::uint64_t one = facts_of(entry.op).start == reduction_start::one ? 1 : 0;
    return is_inexact(type) ? reference_value{static_cast<long double>(one), 0} : reference_value{0, one};
  }

  /// Whether argmax or argmin chooses an element over an earlier one.
  static bool is_before(operation op, element_type type, const reference_value& element,
                        const reference_value& found) {
    if (is_floating(type)) {
      if (std::isnan(found.real)) return false;
      return std::isnan(element.real) ||
             (op == operation::argmax ? element.real > found.real : element.real < found.real);
    }
    const bool is_signed = kind_of(type) == element_kind::signed_integer;
    const auto a = static_cast<std::int64_t>(element.integer), b = static_cast<std::int64_t>(found.integer);
    const bool less = is_signed ? a < b : element.integer < found.integer;
    return op == operation::argmax ? !less && element.integer != found.integer : less;
  }

  reference_value called_at(const node& entry, const coordinates& at) const {
    const external_function& called = *graph_.externals[entry.payload];
    if (called.address == 0)
      throw error("the reference cannot evaluate the external function '" + called.name +
                  "': it has no function pointer (there is " + called.forms + "); add one with on_cpu()");
    std::array<std::uint64_t, max_external_arguments> bits{};
    for (unsigned i = 0; i < entry.arity; ++i)
      bits[i] = store_reference(called.arguments[i], broadcast_at(values_[entry.inputs[i]], at));
    std::uint64_t result = 0;
    called.call(called.address, bits.data(), &result);
    return load_reference(called.result, result);
  }

  reference_value applied_at(const node& entry, const coordinates& at) const {
    std::array<reference_value, 3> operands;
    for (unsigned i = 0; i < entry.arity; ++i) operands[i] = broadcast_at(values_[entry.inputs[i]], at);
    const element_type compute = graph_.nodes[entry.inputs[entry.arity - 1u]].type;
    const reference_value result = evaluate(entry.op, compute, precision_,
                                            std::span<const reference_value>(operands).first(entry.arity));
    const bool rounds = precision_ == reference_precision::native && graph_.mode == arithmetic_mode::strict;
    return rounds && is_storage_only(entry.type) ? reference_value{rounded(entry.type, result.real), 0}
                                                 : result;
  }

  const graph& graph_;
  std::span<const reference_array> inputs_;
  std::span<const std::uint64_t> scalars_;
  reference_precision precision_;
  shape_table shapes_;
  std::vector<reference_array> values_;
  std::map<node_id, std::vector<reference_array>> components_;  ///< of nodes with bodies
};

}  // namespace

// Elements are little-endian, as on every supported target.
reference_array load_reference(element_type type, std::span<const std::int64_t> extents,
                               const void* elements) {
  reference_array made = make_array(type, extents);
  const element_type part = component_of(type);
  const std::size_t parts = size_of(type) / size_of(part);
  const auto* bytes = static_cast<const std::byte*>(elements);
  for (std::size_t i = 0; i < made.size(); ++i) {
    reference_value both[2];
    for (std::size_t p = 0; p < parts; ++p, bytes += size_of(part)) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, bytes, size_of(part));
      both[p] = load_reference(part, bits);
    }
    both[0].imaginary = both[1].real;
    set(made, i, both[0]);
  }
  return made;
}

void store_reference(const reference_array& from, void* elements) {
  const element_type part = component_of(from.type);
  auto* bytes = static_cast<std::byte*>(elements);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const reference_value value = from.at(i);
    for (std::size_t p = 0; p < size_of(from.type) / size_of(part); ++p, bytes += size_of(part)) {
      const std::uint64_t bits = store_reference(part, p == 0 ? value : reference_value{value.imaginary});
      std::memcpy(bytes, &bits, size_of(part));
    }
  }
}

void interpret(const graph& recorded, std::span<const reference_array> inputs,
               std::span<const std::uint64_t> scalars, std::vector<reference_array>& results,
               reference_precision precision) {
  interpretation(recorded, inputs, scalars, precision).run(results);
}

}  // namespace sinter::inline v0
