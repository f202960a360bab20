#include "drawn_call_check.hpp"

#include "../sweep/sweep.hpp"
#include "../sweep/sweep_program.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/types/scalar.hpp>

namespace sinter::test {
namespace {

std::vector<bounded_array> expected_values(const drawn_call& call, device on, bool stored) {
  std::vector<reference_array> inputs;
  for (const drawn_array& each : call.inputs) {
    const element_type type = call.memories[each.memory].type;
    inputs.push_back(load_reference(type, each.extents, pack(type, elements_of(call, each)).data()));
  }
  return bounded_values(call.recorded, inputs, call.scalars, {.on = on, .stored = stored});
}

/// A call's memories on a device.
class placed_call {
 public:
  placed_call(const drawn_call& call, device on) : call_(call), on_(on), order_(stream::default_of(on)) {
    for (const drawn_memory& each : call.memories) {
      const std::vector<std::byte> bytes = pack(each.type, each.elements);
      buffers_.emplace_back(on, bytes.size(), order_);
      copy_bytes(buffers_.back().data(), on, bytes.data(), device::cpu(), bytes.size(), order_);
    }
  }

  std::vector<runtime::operand> operands(const std::vector<drawn_array>& arrays) const {
    std::vector<runtime::operand> made;
    for (const drawn_array& each : arrays) {
      const element_type type = call_.memories[each.memory].type;
      made.push_back({.data = static_cast<std::byte*>(buffers_[each.memory].data()) +
                              each.first * static_cast<std::int64_t>(size_of(type)),
                      .extents = each.extents.data(),
                      .strides = each.strides.data(),
                      .type = type,
                      .rank = static_cast<std::uint8_t>(each.extents.size()),
                      .where = on_});
    }
    return made;
  }
  bits read(std::size_t memory) const {
    const element_type type = call_.memories[memory].type;
    std::vector<std::byte> bytes(call_.memories[memory].size() * size_of(type));
    copy_bytes(bytes.data(), device::cpu(), buffers_[memory].data(), on_, bytes.size(), order_);
    order_.synchronize();
    return unpack(type, bytes.data(), call_.memories[memory].size());
  }
  const stream& order() const { return order_; }

 private:
  const drawn_call& call_;
  device on_;
  stream order_;
  std::vector<buffer> buffers_;
};

bits elements_of_result(const runtime::result& from, device on, const stream& order) {
  std::size_t count = 1;
  for (unsigned axis = 0; axis < from.rank; ++axis) count *= static_cast<std::size_t>(from.extents[axis]);
  std::vector<std::byte> bytes(count * size_of(from.type));
  if (count == 0) return {};
  copy_bytes(bytes.data(), device::cpu(), from.storage.data(), on, bytes.size(), order);
  order.synchronize();
  return unpack(from.type, bytes.data(), count);
}

/// Copies the results out of the memories; reports other changes in them.
std::string take_results(const drawn_call& call, const placed_call& placed, std::vector<bits>& results) {
  drawn_call after = call;
  for (std::size_t m = 0; m < call.memories.size(); ++m) after.memories[m].elements = placed.read(m);
  std::vector<std::set<std::size_t>> written(call.memories.size());
  for (const drawn_array& each : call.into) {
    results.push_back(elements_of(after, each));
    for_each_position(each, [&](std::size_t position) { written[each.memory].insert(position); });
  }
  for (std::size_t m = 0; m < call.memories.size(); ++m) {
    const std::size_t parts = parts_of(call.memories[m].type);
    for (std::size_t e = 0; e < call.memories[m].elements.size(); ++e)
      if (after.memories[m].elements[e] != call.memories[m].elements[e] && !written[m].contains(e / parts))
        return "element " + std::to_string(e / parts) + " of memory " + std::to_string(m) +
               " was written to, which belongs to no result";
  }
  return {};
}

std::vector<bits> run_by_itself(const drawn_call& call, device on) {
  random_program program;
  program.recorded = call.recorded;
  program.scalars = call.scalars;
  for (const drawn_array& each : call.inputs) {
    program.extents.push_back(each.extents);
    program.values.push_back(elements_of(call, each));
    program.where.push_back(placement::contiguous);
  }
  return run_node_by_node(program, on);
}

std::vector<bits> run(const drawn_call& call, way how, device on, std::string& beside) {
  if (how == way::by_itself) return run_by_itself(call, on);
  const placed_call placed(call, on);
  const std::vector<runtime::operand> operands = placed.operands(call.inputs),
                                      into = placed.operands(call.into);
  std::vector<runtime::result> fresh(into.empty() ? call.recorded.outputs.size() : 0);
  runtime::call(
      runtime::intern(call.recorded), operands, call.scalars, into, fresh,
      {.on = &placed.order(),
       .variant = how == way::general ? lowering_variant::shape_generic : lowering_variant::specialised});
  std::vector<bits> results;
  for (const runtime::result& each : fresh) results.push_back(elements_of_result(each, on, placed.order()));
  placed.order().synchronize();
  beside = take_results(call, placed, results);
  return results;
}

// ---- making calls smaller ----

/// Without the nodes that no result depends on.
drawn_call compacted(const drawn_call& call) {
  const graph& from = call.recorded;
  std::vector<bool> needed(from.nodes.size(), false);
  for (const node_id output : from.outputs) needed[output] = true;
  for (std::size_t id = from.nodes.size(); id-- > 0;)
    for (unsigned i = 0; needed[id] && i < from.nodes[id].arity; ++i) needed[from.nodes[id].inputs[i]] = true;
  drawn_call made = call;
  made.recorded.nodes.clear();
  made.recorded.inputs.clear();
  made.recorded.locations.clear();
  made.inputs.clear();
  std::vector<node_id> number(from.nodes.size());
  for (std::size_t id = 0; id < from.nodes.size(); ++id) {
    if (!needed[id]) continue;
    node at = from.nodes[id];
    for (unsigned i = 0; i < at.arity; ++i) at.inputs[i] = number[at.inputs[i]];
    if (at.op == operation::input) {
      made.recorded.inputs.push_back(from.inputs[at.payload]);
      made.inputs.push_back(call.inputs[at.payload]);
      at.payload = made.inputs.size() - 1;
    }
    number[id] = static_cast<node_id>(made.recorded.nodes.size());
    made.recorded.nodes.push_back(at);
  }
  for (node_id& output : made.recorded.outputs) output = number[output];
  return made;
}

/// With only these of its results, written to the same memory.
drawn_call with_results(drawn_call call, const std::vector<std::size_t>& kept) {
  std::vector<node_id> outputs;
  std::vector<drawn_array> into;
  for (const std::size_t o : kept) {
    outputs.push_back(call.recorded.outputs[o]);
    if (!call.into.empty()) into.push_back(call.into[o]);
  }
  call.recorded.outputs = std::move(outputs);
  call.into = std::move(into);
  return compacted(call);
}
/// With new results of these nodes.
drawn_call with_outputs(drawn_call call, std::vector<node_id> outputs) {
  call.recorded.outputs = std::move(outputs);
  call.into.clear();
  return compacted(call);
}

using call_use = std::function<bool(const drawn_call&)>;  ///< true where no further call is wanted

bool for_each_with_fewer_results(const drawn_call& call, const call_use& use) {
  const std::vector<node_id>& outputs = call.recorded.outputs;
  if (!call.into.empty() && use(with_outputs(call, outputs))) return true;
  for (std::size_t o = 0; outputs.size() > 1 && o < outputs.size(); ++o) {
    if (use(with_results(call, {o}))) return true;
    std::vector<std::size_t> others;
    for (std::size_t other = 0; other < outputs.size(); ++other)
      if (other != o) others.push_back(other);
    if (use(with_results(call, others))) return true;
  }
  if (outputs.size() == 1 && call.into.empty())
    for (node_id id = 0; id < outputs[0]; ++id)
      if (call.recorded.nodes[id].arity > 0 && use(with_outputs(call, {id}))) return true;
  return false;
}

/// Values in place of the nodes that computed them, the last ones first.
bool for_each_with_values(const drawn_call& call, const std::vector<bounded_array>& values,
                          const call_use& use) {
  const std::vector<node>& nodes = call.recorded.nodes;
  const std::vector<node_id>& outputs = call.recorded.outputs;
  for (node_id id = static_cast<node_id>(nodes.size()); id-- > 0;) {
    const bool is_output = std::find(outputs.begin(), outputs.end(), id) != outputs.end();
    const std::vector<long double>& bound = values[id].bound;
    if (nodes[id].arity == 0 || is_output ||
        std::any_of(bound.begin(), bound.end(), [](long double b) { return b != 0; }))
      continue;
    const reference_array& value = values[id].value;
    std::vector<std::byte> bytes(value.size() * size_of(value.type));
    store_reference(value, bytes.data());
    drawn_call made = call;
    made.inputs.push_back(
        add_contiguous(made, value.type, value.extents, unpack(value.type, bytes.data(), value.size())));
    made.recorded.inputs.push_back({value.type, nodes[id].rank});
    node input;
    input.op = operation::input;
    input.type = value.type;
    input.rank = nodes[id].rank;
    input.payload = made.inputs.size() - 1;
    made.recorded.nodes[id] = input;
    if (use(compacted(made))) return true;
  }
  return false;
}

/// Operands in place of the nodes that use them.
bool for_each_with_fewer_nodes(const drawn_call& call, const call_use& use) {
  const std::vector<node>& nodes = call.recorded.nodes;
  for (node_id id = 0; id < nodes.size(); ++id)
    for (unsigned i = 0; i < nodes[id].arity; ++i) {
      const node_id other = nodes[id].inputs[i];
      if (nodes[other].type != nodes[id].type || nodes[other].rank != nodes[id].rank) continue;
      drawn_call made = call;
      for (node& each : made.recorded.nodes)
        for (unsigned a = 0; a < each.arity; ++a)
          if (each.inputs[a] == id) each.inputs[a] = other;
      for (node_id& output : made.recorded.outputs)
        if (output == id) output = other;
      if (use(compacted(made))) return true;
    }
  return false;
}

bool for_each_with_simpler_arrays(const drawn_call& call, const call_use& use) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const drawn_array& input = call.inputs[i];
    const element_type type = call.memories[input.memory].type;
    if (input.strides == contiguous_strides(input.extents) && input.first == 0) continue;
    drawn_call made = call;
    made.inputs[i] = add_contiguous(made, type, input.extents, elements_of(call, input));
    if (use(made)) return true;
  }
  std::set<std::int64_t> extents;
  for (const drawn_array& input : call.inputs) extents.insert(input.extents.begin(), input.extents.end());
  for (const std::int64_t extent : extents)
    for (const std::int64_t less :
         {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, extent / 4, extent / 2, extent - 1}) {
      if (less < 1 || less >= extent || !call.into.empty()) continue;
      drawn_call made = call;
      for (drawn_array& input : made.inputs)
        std::replace(input.extents.begin(), input.extents.end(), extent, less);
      if (use(made)) return true;
    }
  return false;
}

/// Calls with one part removed, those that remove most first.
void for_each_smaller(const drawn_call& call, const call_use& use) {
  if (for_each_with_fewer_results(call, use)) return;
  std::vector<bounded_array> values;
  try {
    values = expected_values(call, device::cpu(), false);
  } catch (const error&) {
    return;
  }
  if (for_each_with_values(call, values, use)) return;
  if (for_each_with_fewer_nodes(call, use)) return;
  for_each_with_simpler_arrays(call, use);
}

}  // namespace

std::string_view to_string(way how) {
  constexpr std::string_view names[] = {"fused", "shape-generic kernels", "one operation at a time"};
  return names[static_cast<std::size_t>(how)];
}

call_fault fault_of(const drawn_call& call, way how, device on, compared_elements& counts) {
  const std::vector<bounded_array> expected = expected_values(call, on, how == way::by_itself);
  std::vector<bits> results;
  std::string beside;
  try {
    results = run(call, how, on, beside);
  } catch (const compile_error& failed) {
    return {"error", std::string(failed.what()) + "\n" + std::string(failed.log())};
  } catch (const std::exception& failed) {
    return {"error", failed.what()};
  }
  for (std::size_t o = 0; o < results.size(); ++o)
    if (const std::string what = first_outside(expected[call.recorded.outputs[o]], results[o], counts);
        !what.empty())
      return {"wrong", "result " + std::to_string(o) + ": " + what};
  if (!beside.empty()) return {"wrong", beside};
  return {};
}

drawn_call made_smaller(const drawn_call& call, const std::function<call_fault(const drawn_call&)>& fault) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto is_late = [&] { return std::chrono::steady_clock::now() > end; };
  const std::string kind = fault(call).kind;
  drawn_call best = call;
  for (bool changed = true; changed && !is_late();) {
    changed = false;
    for_each_smaller(drawn_call(best), [&](const drawn_call& tried) {
      if (is_late()) return true;
      try {
        verify(tried.recorded);
        if (fault(tried).kind != kind) return false;
      } catch (const error&) {  // no longer a valid call
        return false;
      }
      best = tried;
      changed = true;
      return true;
    });
  }
  return best;
}

}  // namespace sinter::test
