// The description of a call as text, and the entry points that prepare calls without launching.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/kernel/launch_fill.hpp>
#include <sinter/codegen/nest/computed_operations.hpp>
#include <sinter/codegen/nest/nest_bodies.hpp>
#include <sinter/codegen/schedule/model/rank_candidates.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/shape/shape_bytes.hpp>
#include <sinter/runtime/base/sizes.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/dispatch/aliasing/overlapping_results.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/dispatch/explain/describe_code.hpp>
#include <sinter/runtime/dispatch/explain/dump.hpp>
#include <sinter/runtime/dispatch/explain/imagined_request.hpp>
#include <sinter/runtime/dispatch/explain/measured.hpp>
#include <sinter/runtime/dispatch/plan.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/order/stream_work.hpp>
#include <sinter/runtime/order/timeline_table.hpp>

namespace sinter::inline v0::runtime {
namespace {

const char* describe(arithmetic_mode mode) {
  switch (mode) {
    case arithmetic_mode::standard:
      return "standard (IEEE division and square root, the emitter's fused multiply-adds)";
    case arithmetic_mode::strict:
      return "strict (every operation rounded to its own type)";
    case arithmetic_mode::fast:
      return "fast (approximate division, square root and functions)";
  }
  return "";
}

std::string describe_order(const schedule& chosen, const nest& body) {
  const bool is_tiled = reduces_columns(chosen.order) && chosen.rows_per_thread > 1;
  return fmt::format(fmt::runtime(facts_of(chosen.order).words), fmt::arg("width", body.extents[0]),
                     fmt::arg("rows", count_rows(body, false)), fmt::arg("length", count_rows(body, true)),
                     fmt::arg("cut", body.split >= 0 ? ", which are pieces of longer ones" : ""),
                     fmt::arg("loops", body.phases)) +
         (is_tiled ? fmt::format(", register tiles of {} rows by {} columns", chosen.rows_per_thread,
                                 chosen.vector)
                   : "");
}

std::string describe_space(const nest& body) {
  std::string text;
  for (unsigned axis = body.rank; axis-- > 0;)
    text += fmt::format("{}{}{}", text.empty() ? "" : " x ", body.extents[axis],
                        body.is_reduced(axis) ? " reduced" : "");
  return text.empty() ? "one element" : text + " (axis 0 last)";
}

std::string describe_result(const result_layout& result) {
  return fmt::format("{}[{}]", facts_of(result.type).name, fmt::join(result.extents, ", "));
}

std::string indent(std::string_view text, std::string_view by = "  ") {
  std::string indented;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    indented += fmt::format("{}{}\n", by, text.substr(at, end - at));
    at = end + 1;
  }
  return indented;
}

/// Where a GPU kernel keeps a row between the loops over it.
std::string describe_keeping(const stage& at) {
  if (!is_reduction_order(at.chosen.order) || at.body.phases < 2) return {};
  const char* row = reduces_columns(at.chosen.order) ? "column" : "row";
  if (!at.chosen.resident) return fmt::format(", a {} is read by each loop that needs it", row);
  return fmt::format(", a {} lies in registers{}{}", row,
                     at.chosen.shared_steps > 0 ? " and shared memory" : "",
                     at.cluster > 1 ? " of the blocks of a cluster" : "");
}

std::string describe_launch(const stage& at, const target_facts& target) {
  if (target.kind == target_kind::cpu)
    return fmt::format("{} tiles, on up to {} threads", at.tiles, target.multiprocessors);
  return fmt::format(
      "{} blocks of {} x {} threads{}, {} bytes of dynamic shared memory{}, {} multiprocessors", at.tiles,
      at.threads_along, at.threads_across,
      at.cluster > 1 ? fmt::format(" in clusters of {}", at.cluster) : "", at.shared_bytes,
      describe_keeping(at), target.multiprocessors);
}

/// Which results a stage writes, if a call has several.
std::string describe_written(const stage& at, std::size_t results) {
  std::vector<std::uint32_t> written;
  for (const store& made : at.body.stores)
    if (const access& to = at.body.accesses[made.target]; to.place == access::where::argument)
      written.push_back(to.array);
  return results < 2 || written.empty() ? std::string()
                                        : fmt::format("  writes: results {}\n", fmt::join(written, ", "));
}

/// What decides the kernel's text and is its key in caches. Read from the signature, as the emitter does.
std::string describe_kernel(const stage& at) {
  return "  description:\n" + indent(to_string(read_signature(at.signature).value()), "    ");
}

/// How often a graph has an operation: in a body, once for each of its iterations.
std::uint64_t times_in(const graph& content, operation op) {
  std::uint64_t times = 0;
  for (const node& each : content.nodes) {
    times += each.op == op ? 1 : 0;
    for (unsigned which = 0; which < body_count(each.op); ++which)
      times += iterations_of(content, each) * times_in(body_of(content, each, which), op);
  }
  return times;
}

/// The loops around an instruction, from the innermost one: " in a loop of 3 iterations, inside a loop of
/// 100 iterations".
std::string describe_loops(const nest& body, std::uint32_t loop) {
  std::vector<std::string> around;
  for (; loop != instruction::no_owner; loop = body.body[loop].owner) {
    const instruction& at = body.body[loop];
    if (!is_repeated(at.op)) continue;
    const std::uint64_t counted = counted_iterations(body, at);
    const std::optional<std::int64_t> known = known_iterations(body, at);
    std::string text = at.op == operation::repeat_while ? "while its condition holds"
                       : !known                         ? "whose iterations the call decides"
                       : *known == 1                    ? "of 1 iteration"
                                                        : fmt::format("of {} iterations", *known);
    if (!known || static_cast<std::uint64_t>(*known) != counted)
      text += fmt::format(", counted as {}", counted);
    around.push_back("a loop " + text);
  }
  return around.empty() ? std::string() : fmt::format(" in {}", fmt::join(around, ", inside "));
}

/// How often a stage computes each operation, a line for each loop that has some, and which of them more
/// often than the graph has them.
std::string describe_computed(const stage& at, const target_facts& target, const graph& content) {
  if (at.tiles == 0) return {};
  const std::vector<computed_operation> computed =
      computed_operations(at.body, at.chosen.resident, is_gpu(target.kind));
  const auto times = [&](operation op, std::uint64_t count) {
    const std::uint64_t in_graph = times_in(content, op);
    const bool in_one_place = std::ranges::count(computed, op, &computed_operation::op) == 1;
    const bool again = in_one_place && in_graph != 0 && count > in_graph;
    return fmt::format("{} {}{}", facts_of(op).name, count,
                       again ? fmt::format(" (graph: {})", in_graph) : "");
  };
  std::vector<std::uint32_t> loops;
  for (const computed_operation& each : computed)
    if (std::ranges::find(loops, each.loop) == loops.end()) loops.push_back(each.loop);
  const auto lines = [&](const char* part, std::uint64_t computed_operation::* count) {
    std::string text;
    for (const std::uint32_t loop : loops) {
      std::vector<std::string> operations;
      for (const computed_operation& each : computed)
        if (each.loop == loop && each.*count != 0) operations.push_back(times(each.op, each.*count));
      if (!operations.empty())
        text += fmt::format("  computes for {}{}: {}\n", part, describe_loops(at.body, loop),
                            fmt::join(operations, ", "));
    }
    return text;
  };
  return lines("an element", &computed_operation::for_element) +
         lines("a row", &computed_operation::for_row) + lines("a combine", &computed_operation::for_combine);
}

/// A line for each reduction or scan by a body: how many values it combines, and along which axes.
std::string describe_combining(const nest& body) {
  std::string text;
  for (std::uint32_t i = 0; i < body.body.size(); ++i) {
    const instruction& at = body.body[i];
    if (!combines_by_body(at.op)) continue;
    // the nest has a reduction in order as the last element of a scan
    const bool in_order = std::ranges::any_of(body.body, [&](const instruction& user) {
      return user.op == operation::last && user.arguments[0] == i;
    });
    std::vector<std::string_view> types;
    for (const std::uint32_t value : body.arguments_of_combining(at).values)
      types.push_back(facts_of(body.body[value].type).name);
    std::vector<unsigned> axes;
    for (unsigned axis = 0; axis < body.rank; ++axis)
      if (body.is_reduced(axis)) axes.push_back(axis);
    text +=
        fmt::format("  combines by a body: {} of {} value{} ({}) along {} {} of the iteration space{}\n",
                    in_order ? "reduce, in order," : facts_of(at.op).name, types.size(),
                    types.size() == 1 ? "" : "s", fmt::join(types, ", "), axes.size() == 1 ? "axis" : "axes",
                    fmt::join(axes, ", "), body.split >= 0 ? ", in pieces" : "");
  }
  return text;
}

/// How a stage that writes at positions that are values updates its array: in it, or in copies.
std::string describe_updates(const stage& at, const target_facts& target) {
  const std::vector<store>& stores = at.body.stores;
  if (at.tiles == 0 || stores.empty() || !stores.front().is_update()) return {};
  const store& update = stores.front();
  const std::string_view combine = facts_of(update.combine).name;
  const std::string_view type = facts_of(at.body.accesses[update.target].type).name;
  if (at.chosen.private_updates == 0)
    return fmt::format("  updates: {} of {}, in the array that all {} share\n", combine, type,
                       is_gpu(target.kind) ? "blocks" : "threads");
  return fmt::format(
      "  updates: {} of {}, in a private copy of {} elements for each {}, which is combined with the array "
      "at the end\n",
      combine, type, at.chosen.private_updates, is_gpu(target.kind) ? "block" : "task");
}

/// What the cost model makes of the schedule, and the candidates that it estimates to be the fastest.
std::string describe_estimate(const stage& at, const target_facts& target) {
  if (at.tiles == 0 || at.body.shape_generic) return {};
  const auto [rates, is_derived] = gpu_rates_of(target);
  const auto microseconds = [&](const kernel_cost& cost) {
    return static_cast<double>(cost.cycles) / static_cast<double>(rates.megahertz);
  };
  constexpr std::size_t others = 2;
  const std::vector<estimated_schedule> all = list_estimates(at.body, at.chosen, target, others);
  std::string text = fmt::format(
      "  estimate: {:.1f} us, limited by {}{}\n", microseconds(all[0].cost),
      cost_limit_names[static_cast<std::size_t>(all[0].cost.tightest())],
      is_derived ? fmt::format(" (rates derived from the facts of {}, which was not measured)", rates.model)
                 : "");
  for (std::size_t i = 1; i < all.size(); ++i)
    text += fmt::format("  candidate: {:.1f} us, {}\n", microseconds(all[i].cost), to_string(all[i].chosen));
  return text;
}

std::string describe_stage(const stage& at, const target_facts& target, const graph& content, bool given,
                           bool second_attempt) {
  std::string text = fmt::format("  iteration space: {}\n", describe_space(at.body));
  text += fmt::format("  schedule: {}{}\n", to_string(at.chosen), given ? " (given)" : "");
  if (second_attempt) text += "  attempt: the second schedule, because the first one spills more registers\n";
  text += fmt::format("  loop order: {}\n", describe_order(at.chosen, at.body));
  text += describe_computed(at, target, content);
  text += describe_combining(at.body);
  text += describe_updates(at, target);
  if (is_gpu(target.kind)) text += describe_estimate(at, target);
  text += fmt::format("  launch: {}\n", describe_launch(at, target));
  if (is_gpu(target.kind)) text += fmt::format("  device: {}\n", describe_fill(at, target));
  return text +
         fmt::format("  moves: {}, arguments: {} bytes{}\n",
                     format_bytes(static_cast<std::size_t>(at.bytes_moved)),
                     argument_bytes(at.arguments.size()),
                     at.argument_block ? ", more than a launch takes: copied to the device before it" : "");
}

std::string device_line(device where, const target_facts& target) {
  if (where.is_cpu())
    return fmt::format("device: cpu ({}), {} threads, {}-byte vectors\n", where.name(),
                       target.multiprocessors, target.vector_bytes);
  return fmt::format("device: {} ({}), compute capability {}.{}\n", where.to_string(), where.name(),
                     target.architecture / 10, target.architecture % 10);
}

// Waits now for work on other streams, because the stream may be captured next and captured calls cannot
// wait.
void order_for_capture(const stream& on, std::span<const operand> operands, std::span<const operand> into) {
  stream_timeline& timeline = timeline_of(on);
  if (timeline.capture() == 0) order_before(timeline, operands, into);
}

}  // namespace

void prepare(const function_handle& called, std::span<const operand> operands,
             std::span<const scalar> scalars, const call_options& options, std::span<const operand> into) {
  prepare(make_request(held(called), operands, scalars, into, options));
  if (options.on != nullptr && options.on->where().is_cuda()) order_for_capture(*options.on, operands, into);
}

void prepare(const call_request& request) {
  const state_guard state;
  state->forget_quick_plans();
  const plan& prepared = state->plan_of(request);
  if (request.into.empty()) return;
  if (const std::vector<bool> temporary = results_in_temporaries(request, prepared); !temporary.empty())
    prepare_temporaries(*state, request, temporary);
}

std::size_t workspace_bytes(const function_handle& called, std::span<const operand> operands,
                            std::span<const scalar> scalars, const call_options& options,
                            std::span<const operand> into) {
  const call_request request = make_request(held(called), operands, scalars, into, options);
  const state_guard state;
  const plan& prepared = state->plan_of(request);
  if (into.empty()) return prepared.workspace_bytes();
  const std::vector<bool> temporary = results_in_temporaries(request, prepared);
  if (temporary.empty()) return prepared.workspace_bytes();
  return sum_of_bytes(bytes_of_temporaries(request, temporary),
                      prepare_temporaries(*state, request, temporary));
}

namespace {

/// What explain() tells of: a call, as it was lowered and compiled for a device.
struct explained {
  const function& called;
  const target_facts& target;
  const lowered_call& lowered;
  std::span<const std::uint8_t> attempts = {};
  bool given = false;                          ///< the schedule
  std::vector<const object_code*> codes = {};  ///< of each stage; none: not compiled
  bool fresh = false;                          ///< compiled just now
  bool is_here = false;                        ///< the device
};

std::string describe_function(const function& called, const std::string& device) {
  std::string text = runtime::describe(called) + "\n" + device;
  text += fmt::format("arithmetic: {}\n", describe(called.recorded.mode));
  text += "graph:\n" + indent(to_string(called.recorded));
  if (!called.simplified().same_content(called.recorded))
    text += "simplified:\n" + indent(to_string(called.simplified()));
  return text;
}

std::string describe_stages(const explained& of) {
  std::string text;
  for (const result_layout& result : of.lowered.results)
    text += fmt::format("result: {}\n", describe_result(result));
  for (std::size_t i = 0; i < of.lowered.stage_count; ++i) {
    const stage& at = of.lowered.stages[i];
    const bool second_attempt = i < of.attempts.size() && of.attempts[i] != 0;
    text +=
        fmt::format("stage {} of {}: {}\n", i + 1, of.lowered.stage_count, describe(at.purpose, of.target));
    if (at.sorts.key_bytes != 0) {
      text += "  " + describe(at.sorts) + '\n';
      continue;
    }
    text += describe_written(at, of.lowered.results.size());
    text += describe_stage(at, of.target, of.called.simplified(), of.given, second_attempt);
    text += describe_kernel(at);
    if (at.tiles == 0)
      text += "  nothing to do: a result is empty\n";
    else if (!of.codes.empty())
      text += describe(explained_code{at, of.target, *of.codes[i], of.fresh, of.is_here});
  }
  return text;
}

}  // namespace

std::string explain(const function_handle& called, std::span<const operand> operands,
                    std::span<const scalar> scalars, const call_options& options,
                    std::span<const operand> into, const std::string& dump) {
  const call_request request = make_request(held(called), operands, scalars, into, options);
  const state_guard state;
  const target_facts& target = facts_of(request.where);
  std::string text = describe_function(*called, device_line(request.where, target));

  thread_state::lowering made;
  std::string failure;
  try {
    made = state->lower_and_compile(request);
  } catch (const device_error& missing) {
    failure = missing.what();
  } catch (const compile_error& refused) {
    failure = refused.what();
  }
  if (made.lowered == nullptr) made = {&state->lower(request), {}, {}, false, request.variant, nullptr};
  for (const std::string& folder : {dump, dump_folder()})
    if (!folder.empty()) state->dump(folder, request, made);

  if (made.tuned != nullptr) text += describe_measured(*made.lowered, target, *made.tuned);
  if (made.variant == lowering_variant::shape_generic)
    text += fmt::format("kernels: shape-generic, for any extents and strides{}\n",
                        options.variant == lowering_variant::shape_generic
                            ? ""
                            : ", because the kernel for these cannot be compiled here");
  explained of{*called, target, *made.lowered, made.attempts, options.forced != nullptr};
  for (const kernel_handle& each : made.kernels) of.codes.push_back(each != nullptr ? &each->code : nullptr);
  if (!failure.empty()) of.codes.clear();
  of.fresh = made.compiled;
  of.is_here = true;
  text += describe_stages(of);
  if (!failure.empty()) text += fmt::format("not compiled: {}\n", failure);
  if (into.empty() || !failure.empty()) return text;
  const std::vector<bool> temporary = results_in_temporaries(request, state->plan_of(request));
  for (std::size_t i = 0; i < temporary.size(); ++i)
    if (temporary[i])
      text += fmt::format(
          "result {} shares memory with another array: computed in a temporary, then copied\n", i);
  if (!temporary.empty())
    text += fmt::format("workspace: {}\n", format_bytes(bytes_of_temporaries(request, temporary) +
                                                        prepare_temporaries(*state, request, temporary)));
  return text;
}

std::string explain_for(std::string_view model, const function_handle& called,
                        std::span<const operand> operands, std::span<const scalar> scalars,
                        const call_options& options) {
  const target_facts target = facts_of(model_named(model));
  const imagined_request request(held(called), operands, scalars, options);
  const state_guard state;
  explained of{*called, target, state->lower_for(request.made, target), {}, options.forced != nullptr};
  std::string failure;
  std::vector<object_code> codes(of.lowered.stage_count);
  try {
    for (std::size_t i = 0; i < of.lowered.stage_count; ++i) {
      if (of.lowered.stages[i].has_kernel()) codes[i] = compile_kernel(emit(of.lowered.stages[i]), target);
      of.codes.push_back(&codes[i]);
    }
  } catch (const error& refused) {
    failure = refused.what();
    of.codes.clear();
  }
  of.fresh = true;
  const std::string device = fmt::format("device: {}, which need not be here, compute capability {}.{}\n",
                                         model, target.architecture / 10, target.architecture % 10);
  return describe_function(*called, device) + describe_stages(of) +
         (failure.empty() ? "" : fmt::format("not compiled: {}\n", failure));
}

}  // namespace sinter::inline v0::runtime
