#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/shape/body_shapes.hpp>

#include <algorithm>
#include <string>

namespace sinter::inline v0 {
namespace {

using extents_of_result = std::array<std::int64_t, max_rank>;

/// The shape of all values of a reduction or scan together, which its node has, and those of its results.
void infer_combining(const graph& recorded, node_id id, shape_table& shapes,
                     std::span<std::int64_t> extents) {
  const node& entry = recorded.nodes[id];
  std::ranges::fill(extents, 1);
  const unsigned count = component_count(recorded, entry);
  for (unsigned k = 0; k < count; ++k) {
    const node_id value = recorded.operands_of(entry)[k];
    const auto given = shapes.of(value);
    for (std::size_t axis = 0; axis < given.size(); ++axis) {
      std::int64_t& common = extents[axis + extents.size() - given.size()];
      if (given[axis] == common || given[axis] == 1) continue;
      if (common != 1)
        throw shape_error(std::string(facts_of(entry.op).name) + describe_place(recorded, id) + ": value " +
                          std::to_string(k) + " is " + describe(recorded.nodes[value].type, given) +
                          ", which does not broadcast with those before it: axis " +
                          std::to_string(axis + extents.size() - given.size()) + " is " +
                          std::to_string(common));
      common = given[axis];
    }
  }
  extents_of_result result;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    result[axis] =
        entry.op == operation::reduce && (reduced_axes(entry) >> axis & 1) != 0 ? 1 : extents[axis];
  shapes.first_result.emplace_back(id, static_cast<std::uint32_t>(shapes.results.size()));
  shapes.results.insert(shapes.results.end(), count, result);
}

class body_inference {
 public:
  body_inference(const graph& recorded, node_id id, shape_table& shapes, shape_inference infer)
      : graph_(recorded),
        id_(id),
        entry_(recorded.nodes[id]),
        shapes_(shapes),
        layout_(layout_of(entry_.op)),
        infer_(infer) {
    if (shapes.of_bodies.empty()) shapes.of_bodies.emplace_back();
  }

  /// At most one extent grows in a round, from 1.
  void run() {
    const auto first = static_cast<std::uint32_t>(shapes_.results.size());
    shapes_.first_result.emplace_back(id_, first);
    const unsigned count = component_count(graph_, entry_);
    for (unsigned k = 0; k < count; ++k) shapes_.results.push_back(first_shape(k));
    bool changes = true;
    while (changes) {
      changes = false;
      for (unsigned which = 0; which < body_count(entry_.op); ++which) {
        const graph& body = body_of(graph_, entry_, which);
        infer(body, first);
        for (unsigned k = 0; k < count; ++k) {
          changes |= meet(k, first + k, body, body.outputs[layout_.conditions + k],
                          layout_.has_states ? " in the body" : " on a side");
          if (layout_.conditions == 1)
            changes |= meet(k, first + k, body, body.outputs[0], ", the condition");
        }
      }
      changes &= layout_.has_states;
    }
  }

 private:
  unsigned rank_of(unsigned k) const { return rank_of_component(graph_, entry_, k); }

  /// The first value's shape in the rank of the state, or that of the condition.
  extents_of_result first_shape(unsigned k) const {
    extents_of_result made;
    made.fill(1);
    const auto given = shapes_.of(graph_.operands_of(entry_)[layout_.has_states ? layout_.lead + k : 0]);
    std::ranges::copy(given, made.begin() + static_cast<std::ptrdiff_t>(rank_of(k) - given.size()));
    return made;
  }

  /// Shapes in a body whose states have the shapes found so far.
  void infer(const graph& body, std::uint32_t first) {
    constexpr std::int64_t none = 0;
    std::vector<array_layout>& layouts = shapes_.layouts;
    layouts.clear();
    const auto operands = graph_.operands_of(entry_);
    if (layout_.iteration == 1) layouts.push_back({.type = body.inputs[0].type, .rank = 0, .extents = &none});
    for (std::size_t i = layout_.lead; i < operands.size(); ++i) {
      const std::size_t state = i - layout_.lead;
      const input_declaration& declared = body.inputs[state + layout_.iteration];
      const bool is_state = layout_.has_states && state < component_count(graph_, entry_);
      layouts.push_back(
          {.type = declared.type,
           .rank = declared.rank,
           .extents = is_state ? shapes_.results[first + state].data() : shapes_.of(operands[i]).data()});
    }
    infer_(body, layouts, {}, shapes_.of_bodies.front());
  }

  /// Broadcasts a result with the shape of a node in the body; returns whether that changes it.
  bool meet(unsigned k, std::uint32_t result, const graph& body, node_id in_body, const char* which) {
    const auto other = shapes_.of_bodies.front().of(in_body);
    extents_of_result& extents = shapes_.results[result];
    const unsigned rank = rank_of(k), shift = rank - static_cast<unsigned>(other.size());
    bool changed = false;
    for (std::size_t axis = 0; axis < other.size(); ++axis) {
      std::int64_t& common = extents[axis + shift];
      if (other[axis] == common || other[axis] == 1) continue;
      if (common != 1)
        fail(k, std::span(extents).first(rank), describe(body.nodes[in_body].type, other) + which,
             body.nodes[body.outputs[layout_.conditions + k]].type);
      common = other[axis];
      changed = true;
    }
    return changed;
  }

  [[noreturn]] void fail(unsigned k, std::span<const std::int64_t> extents, const std::string& other,
                         element_type type) const {
    const bool is_state = layout_.has_states;
    throw shape_error(
        std::string(facts_of(entry_.op).name) + describe_place(graph_, id_) + ": " +
        (is_state ? "state " : "result ") + std::to_string(k) + " is " + describe(type, extents) +
        " and meets " + other +
        (is_state ? ", to which it does not broadcast: a state keeps its shape, or grows from extent 1"
                  : ", to which it does not broadcast: give the sides and the condition one shape"));
  }

  const graph& graph_;
  node_id id_;
  const node& entry_;
  shape_table& shapes_;
  body_layout layout_;
  shape_inference infer_;
};

}  // namespace

void infer_body_shapes(const graph& recorded, node_id id, shape_table& shapes,
                       std::span<std::int64_t> extents, shape_inference infer) {
  if (combines_by_body(recorded.nodes[id].op)) return infer_combining(recorded, id, shapes, extents);
  body_inference(recorded, id, shapes, infer).run();
  std::ranges::fill(extents, 1);
  const node& entry = recorded.nodes[id];
  const std::uint32_t first = shapes.first_result.back().second;
  for (unsigned k = 0; k < component_count(recorded, entry); ++k) {
    const unsigned rank = rank_of_component(recorded, entry, k);
    for (unsigned axis = 0; axis < rank; ++axis) {
      std::int64_t& common = extents[extents.size() - rank + axis];
      common =
          common == 1 ? shapes.results[first + k][axis] : std::max(common, shapes.results[first + k][axis]);
    }
  }
}

}  // namespace sinter::inline v0
