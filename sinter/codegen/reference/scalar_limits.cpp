#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/base/thread_memory.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/reference/scalar_limits.hpp>
#include <sinter/codegen/reference/scalar_operations.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace sinter::inline v0 {
namespace {

/// Whether a node is an elementwise operation on its operands.
bool is_computed(const node& entry) {
  return entry.op == operation::cast ||
         (!is_structural(entry.op) && !is_reduction(entry.op) && !is_scan(entry.op));
}

/// Each thread keeps one, so that a repeated call allocates nothing.
struct scalar_memory {
  enum class state : std::uint8_t { unused, wanted, known };
  std::vector<state> states;
  std::vector<reference_value> values;
};

/// Values of the scalar nodes on which given nodes depend.
class scalar_values {
 public:
  scalar_values(const graph& recorded, std::span<const std::uint64_t> scalars)
      : graph_(recorded), scalars_(scalars) {
    node_id end = 0;
    for (const auto& [id, type] : recorded.derived_limits) end = std::max(end, id + 1);
    states_.assign(end, state::unused);
    values_.resize(end);
    for (const auto& [id, type] : recorded.derived_limits) states_[id] = state::wanted;
    for (node_id id = end; id-- > 0;)
      if (states_[id] == state::wanted && is_computed(recorded.nodes[id]))
        for (unsigned i = 0; i < recorded.nodes[id].arity; ++i)
          states_[recorded.nodes[id].inputs[i]] = state::wanted;
    for (node_id id = 0; id < end; ++id)
      if (states_[id] == state::wanted && evaluate_node(id)) states_[id] = state::known;
  }
  /// nullptr if the node depends on more than literals and scalars.
  const reference_value* find(node_id id) const {
    return states_[id] == state::known ? &values_[id] : nullptr;
  }

 private:
  using state = scalar_memory::state;

  bool evaluate_node(node_id id) {
    const node& entry = graph_.nodes[id];
    if (entry.op == operation::literal || entry.op == operation::parameter) {
      const std::uint64_t bits =
          entry.op == operation::literal ? entry.payload : scalars_[static_cast<std::size_t>(entry.payload)];
      values_[id] = load_reference(entry.type, bits);
      return true;
    }
    if (!is_computed(entry)) return false;
    std::array<reference_value, 3> operands;
    for (unsigned i = 0; i < entry.arity; ++i) {
      if (states_[entry.inputs[i]] != state::known) return false;
      operands[i] = values_[entry.inputs[i]];
    }
    const element_type compute = graph_.nodes[entry.inputs[entry.arity - 1u]].type;
    values_[id] = entry.op == operation::cast
                      ? cast_reference(compute, operands[0], entry.type)
                      : evaluate(entry.op, compute, reference_precision::native,
                                 std::span<const reference_value>(operands).first(entry.arity));
    return true;
  }

  scalar_memory& memory_ = thread_memory<scalar_memory>::get();
  std::vector<state>& states_ = memory_.states;
  std::vector<reference_value>& values_ = memory_.values;
  const graph& graph_;
  std::span<const std::uint64_t> scalars_;
};

}  // namespace

void check_derived_limits(const graph& recorded, std::span<const std::uint64_t> scalars) {
  if (recorded.derived_limits.empty()) return;
  const scalar_values values(recorded, scalars);
  for (const auto& [id, type] : recorded.derived_limits) {
    const reference_value* value = values.find(id);
    if (value == nullptr) continue;
    const element_type from = recorded.nodes[id].type;
    const std::uint64_t bits = store_reference(from, *value);
    if (fits(from, bits, type)) continue;
    const std::string refused =
        type == element_type::uint64 ? describe_refused_power(recorded, id, bits) : std::string();
    if (!refused.empty()) throw type_error(refused);
    const std::source_location where =
        id < recorded.locations.size() ? recorded.locations[id] : recorded.defined_at;
    throw type_error(std::string(facts(recorded.nodes[id].op).name) + " of scalars" + describe(where) +
                     " is " + describe_scalar(from, bits) + ", which does not fit " +
                     std::string(facts(type).name) + ": convert the array with astype<T>(x)");
  }
}

}  // namespace sinter::inline v0
