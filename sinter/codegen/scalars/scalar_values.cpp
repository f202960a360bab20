#include <sinter/codegen/base/thread_memory.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/scalars/integer_overflow.hpp>
#include <sinter/codegen/scalars/scalar_values.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <array>

namespace sinter::inline v0 {
namespace {

/// Whether a node is an elementwise operation on its operands.
bool is_computed(const node& entry) {
  return entry.op == operation::cast ||
         (!is_structural(entry.op) && !is_reduction(entry.op) && !is_scan(entry.op));
}

}  // namespace

void scalar_values::want(node_id id) {
  if (memory_ == nullptr) {
    memory_ = &thread_memory<memory>::get();
    memory_->states.clear();
  }
  if (id >= end_) {
    end_ = id + 1;
    memory_->states.resize(end_, state::unused);
    memory_->values.resize(std::max<std::size_t>(memory_->values.size(), end_));
  }
  memory_->states[id] = state::wanted;
}

void scalar_values::want_operands() {
  for (node_id id = end_; id-- > 0;)
    if (memory_->states[id] == state::wanted && is_computed(graph_.nodes[id]))
      for (const node_id operand : graph_.operands_of(id)) memory_->states[operand] = state::wanted;
}

void scalar_values::evaluate_node(node_id id, const std::int64_t* extent) {
  if (is_wanted(id)) memory_->states[id] = compute(id, extent);
}

void scalar_values::evaluate_wanted() {
  want_operands();
  for (node_id id = 0; id < end_; ++id) evaluate_node(id, nullptr);
}

scalar_values::state scalar_values::compute(node_id id, const std::int64_t* extent) {
  const node& entry = graph_.nodes[id];
  std::vector<reference_value>& values = memory_->values;
  if (entry.op == operation::literal || entry.op == operation::parameter) {
    const std::uint64_t bits =
        entry.op == operation::literal ? entry.payload : scalars_[static_cast<std::size_t>(entry.payload)];
    values[id] = load_reference(entry.type, bits);
    return state::known;
  }
  if (entry.op == operation::extent && extent != nullptr) {
    values[id] = {0, static_cast<std::uint64_t>(*extent)};
    return state::known;
  }
  if (!is_computed(entry)) return state::wanted;
  std::array<reference_value, 3> operands;
  bool wraps = false;
  for (unsigned i = 0; i < entry.arity; ++i) {
    const state operand = memory_->states[entry.inputs[i]];
    if (!is_known(operand)) return state::wanted;
    operands[i] = values[entry.inputs[i]];
    const bool is_left_out = entry.op == operation::where && i == (operands[0].integer != 0 ? 2u : 1u);
    wraps |= operand == state::wrapped && !is_left_out;
  }
  const element_type compute = graph_.nodes[entry.inputs[entry.arity - 1u]].type;
  const auto taken = std::span<const reference_value>(operands).first(entry.arity);
  values[id] = entry.op == operation::cast ? cast_reference(compute, operands[0], entry.type)
                                           : evaluate(entry.op, compute, reference_precision::native, taken);
  return wraps || wraps_around(entry.op, compute, taken) ? state::wrapped : state::known;
}

}  // namespace sinter::inline v0
