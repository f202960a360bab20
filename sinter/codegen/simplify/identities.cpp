#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/simplify/identities.hpp>
#include <sinter/codegen/types/scalar.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace sinter::inline v0 {
namespace {

/// Whether exchanging the first two operands gives the same bits.
constexpr bool commutes(operation op) {
  switch (op) {
    case operation::add:
    case operation::multiply:
    case operation::maximum:
    case operation::minimum:
    case operation::fmax:
    case operation::fmin:
    case operation::equal:
    case operation::not_equal:
    case operation::logical_xor:
    case operation::bitwise_and:
    case operation::bitwise_or:
    case operation::bitwise_xor:
    case operation::gcd:
    case operation::lcm:
      return true;
    default:
      return false;
  }
}

}  // namespace

graph_algebra::graph_algebra(const graph& declared, bool is_body) : is_body_(is_body) {
  made_.inputs = declared.inputs;
  made_.parameters = declared.parameters;
  made_.externals = declared.externals;
  made_.parameter_limits = declared.parameter_limits;
  made_.mode = declared.mode;
  made_.name = declared.name;
  made_.defined_at = declared.defined_at;
}

std::size_t graph_algebra::node_hash::operator()(const node& entry) const {
  return XXH3_64bits(&entry, sizeof entry);
}

std::optional<node_id> graph_algebra::find(const node& entry) const {
  if (const auto found = known_.find(entry); found != known_.end()) return found->second;
  if (!commutes(entry.op)) return {};
  node exchanged = entry;
  std::swap(exchanged.inputs[0], exchanged.inputs[1]);
  if (const auto found = known_.find(exchanged); found != known_.end()) return found->second;
  return {};
}

node_id graph_algebra::shape_of_new(const node& entry, node_id id) const {
  if (entry.op == operation::input || moves_elements(entry.op) || is_reduction(entry.op) ||
      has_operand_list(entry.op) || entry.op == operation::component)
    return id;
  node_id shape = id;
  for (unsigned i = 0; i < entry.arity; ++i) {
    const node_id operand = entry.inputs[i];
    if (at(operand).rank == 0) continue;
    if (shape != id && shape != shapes_[operand]) return id;
    shape = shapes_[operand];
  }
  return entry.rank == 0 ? id : shape;
}

/// That of an operand, unless a call is refused for another operand.
node_id graph_algebra::same_shape_of_new(const node& entry, node_id id, node_id shape) const {
  if (shape == id || entry.op == operation::external) return id;
  node_id found = id;
  for (unsigned i = 0; i < entry.arity; ++i) {
    const node_id operand = entry.inputs[i];
    if (at(operand).rank != 0 && (found == id || may_be_refused_[operand])) found = same_shapes_[operand];
  }
  for (unsigned i = 0; i < entry.arity; ++i) {
    const node_id operand = entry.inputs[i];
    if (may_be_refused_[operand] && (at(operand).rank == 0 || same_shapes_[operand] != found)) return id;
  }
  return found;
}

std::optional<node_id> graph_algebra::same_shape(const node& entry) const {
  const auto id = static_cast<node_id>(made_.nodes.size());
  const node_id found = same_shape_of_new(entry, id, shape_of_new(entry, id));
  return found == id ? std::nullopt : std::optional(found);
}

std::optional<value_range> graph_algebra::range(const node& entry) const {
  if (entry.op == operation::literal) return range_of_literal(entry.type, entry.payload);
  if (entry.arity == 0 || entry.op == operation::component) return range_of_type(entry.type);
  std::array<ranged_operand, 3> operands;
  for (unsigned i = 0; i < entry.arity; ++i)
    operands[i] = {at(entry.inputs[i]).type, ranges_[entry.inputs[i]]};
  return range_of_result(entry.op, entry.type, std::span(operands).first(entry.arity));
}

/// Extremes of no elements, indices outside an axis, steps of 0, shapes that do not broadcast or fit each
/// other, positions beyond 64 bits, and functions that a target does not have are refused, here and in what a
/// node is computed from.
bool graph_algebra::may_be_refused(const node& entry, bool has_shape_of_operands) const {
  for (const node_id operand : made_.operands_of(entry))
    if (may_be_refused_[operand]) return true;
  if (entry.op == operation::external || has_operand_list(entry.op)) return true;
  if (is_reduction(entry.op)) return needs_elements(entry.op) && (entry.payload & start_if_empty) == 0;
  if (entry.op == operation::view)
    return std::ranges::any_of(items_of(entry), [&](const view_item& item) {
      const bool drops_reduced_axis = is_reduction(at(entry.inputs[0]).op) && item.start == literal_bound(0);
      if (item.what == view_item::kind::slice) return item.step.is_parameter();
      return item.what == view_item::kind::index && !drops_reduced_axis;
    });
  if (entry.op == operation::diagonal) return at(entry.inputs[1]).arity != 0;
  if (is_part(entry.op)) return entry.op != operation::merged;
  return entry.arity > 1 && entry.rank != 0 && !has_shape_of_operands;
}

node_id graph_algebra::add(node entry) {
  for (const identity& rewrite : identities())
    if (const std::optional<node_id> simpler = rewrite(*this, entry)) return *simpler;
  if (const std::optional<node_id> existing = find(entry)) return *existing;
  const auto id = static_cast<node_id>(made_.nodes.size());
  shapes_.push_back(shape_of_new(entry, id));
  same_shapes_.push_back(same_shape_of_new(entry, id, shapes_.back()));
  may_be_refused_.push_back(may_be_refused(entry, shapes_.back() != id));
  ranges_.push_back(range(entry));
  made_.nodes.push_back(entry);
  made_.locations.push_back(where);
  known_.emplace(entry, id);
  return id;
}

node_id graph_algebra::literal(element_type type, std::uint64_t bits) {
  node entry;
  entry.op = operation::literal;
  entry.type = type;
  entry.payload = canonical_bits(type, bits);
  return add(entry);
}

node_id graph_algebra::apply(operation op, element_type type, std::initializer_list<node_id> operands) {
  node entry;
  entry.op = op;
  entry.type = type;
  for (const node_id operand : operands) {
    entry.inputs[entry.arity++] = operand;
    entry.rank = std::max(entry.rank, at(operand).rank);
  }
  return add(entry);
}

std::uint64_t graph_algebra::view_of(std::span<const view_item> items) {
  const std::uint64_t hash = XXH3_64bits(items.data(), items.size_bytes());
  const auto [first, last] = known_views_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    const view_range range = made_.views[known->second];
    if (std::ranges::equal(items, std::span(made_.view_items).subspan(range.first, range.count)))
      return known->second;
  }
  known_views_.emplace(hash, made_.views.size());
  made_.views.push_back(
      {static_cast<std::uint32_t>(made_.view_items.size()), static_cast<std::uint32_t>(items.size())});
  made_.view_items.insert(made_.view_items.end(), items.begin(), items.end());
  return made_.views.size() - 1;
}

std::uint64_t graph_algebra::operands_of(std::span<const node_id> operands) {
  const std::uint64_t hash = XXH3_64bits(operands.data(), operands.size_bytes());
  const auto [first, last] = known_operands_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    const auto place = static_cast<std::uint32_t>(known->second);
    if (std::ranges::equal(operands, std::span(made_.operands).subspan(place, known->second >> 32)))
      return known->second;
  }
  const std::uint64_t attribute = made_.operands.size() | static_cast<std::uint64_t>(operands.size()) << 32;
  known_operands_.emplace(hash, attribute);
  made_.operands.insert(made_.operands.end(), operands.begin(), operands.end());
  return attribute;
}

std::uint32_t graph_algebra::body_of(graph body) {
  const auto known =
      std::ranges::find_if(made_.bodies, [&](const graph& each) { return each.same_content(body); });
  if (known == made_.bodies.end()) {
    made_.bodies.push_back(std::move(body));
    return static_cast<std::uint32_t>(made_.bodies.size() - 1);
  }
  return static_cast<std::uint32_t>(known - made_.bodies.begin());
}

std::span<const view_item> graph_algebra::items_of(const node& entry) const {
  const view_range range = made_.views[entry.payload];
  return std::span(made_.view_items).subspan(range.first, range.count);
}

bool graph_algebra::is_element(node_id id) const {
  const node* entry = &at(id);
  if (!is_storage_only(entry->type) || mode() == arithmetic_mode::strict) return true;
  while (moves_one_source(entry->op) || entry->op == operation::negative || entry->op == operation::absolute)
    entry = &at(entry->inputs[0]);
  if (entry->op == operation::input) return !is_body_;
  return (entry->arity == 0 && !has_body(entry->op)) || entry->op == operation::cast;
}

}  // namespace sinter::inline v0
