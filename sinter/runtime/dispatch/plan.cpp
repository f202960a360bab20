#include <algorithm>
#include <cstring>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/shape/shape_bytes.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/dispatch/plan.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0::runtime {
namespace {

// Estimates the time on one CPU thread: memory traffic or arithmetic, whichever takes longer. The estimate is
// rough and only decides whether to use other threads.
double estimate_nanoseconds(const stage& lowered) {
  double elements = 1;
  for (unsigned axis = 0; axis < lowered.body.rank; ++axis)
    elements *= static_cast<double>(lowered.body.extents[axis]);
  const double moved = static_cast<double>(lowered.bytes_moved) / 16;
  const double computed = elements * static_cast<double>(lowered.body.body.size()) * 0.1;
  return std::max(moved, computed);
}

/// "scatter_add into float32[:,:] along axis 0 at map.cpp:12", "bincount at map.cpp:12"
std::string describe_call(const graph& recorded, const scatter_call& call, const gathered_axis& along) {
  std::string text(name_of(call.function));
  if (counts(call.function)) return text;
  if (const node_id array = call.operands[0]; array != no_operand)
    text += (updates(call.function) ? " into " : " of ") +
            sinter::describe(recorded.nodes[array].type, recorded.nodes[array].rank);
  return text + " along axis " + std::to_string(along.axis);
}

/// "f: gather of float32[:,:] along axis 0 at map.cpp:12", or what was called instead.
std::string describe_gather(const graph& recorded, const gathered_axis& along) {
  const node& source = recorded.nodes[along.source];
  const std::string place = describe_place(recorded, along.node);
  const scatter_call* const call = find_call(recorded.calls, along.node);
  const bool is_scatter = recorded.nodes[along.node].op == operation::scatter;
  return (recorded.name.empty() ? "" : recorded.name + ": ") +
         (call != nullptr
              ? describe_call(recorded, *call, along)
              : (is_scatter ? "scatter into " : "gather of ") + sinter::describe(source.type, source.rank) +
                    " along axis " + std::to_string(along.axis)) +
         (place.empty() ? sinter::describe(recorded.defined_at) : place);
}

launch_shape shape_of(const stage& lowered) {
  constexpr std::int64_t max_x = (std::int64_t{1} << 31) - 1;
  launch_shape shape;
  shape.grid_x = static_cast<unsigned>(std::min(lowered.tiles, max_x));
  shape.grid_y = static_cast<unsigned>(divide_up(lowered.tiles, max_x));
  shape.block_x = lowered.threads_along;
  shape.block_y = lowered.threads_across;
  shape.shared_bytes = lowered.shared_bytes;
  return shape;
}

}  // namespace

void plan::clear() {
  key_words_ = 0;
  for (planned_launch& launch : launches_) {
    launch.code.reset();
    launch.sorter.reset();
  }
  sites_.reset();
  more_launches_.clear();
}

void plan::fill(const call_request& request, std::span<const std::uint64_t> key, const lowered_call& lowered,
                std::span<const kernel_handle> kernels) {
  clear();
  reserve_words(request, key.size(), lowered);
  std::copy(key.begin(), key.end(), words_);
  std::size_t at = key.size();
  write_ranges(request, lowered, at);
  write_results(lowered, at);
  context_ = request.where.is_cuda() ? primary_context(request.where.index()) : nullptr;
  is_quick_ = std::any_of(kernels.begin(), kernels.end(),
                          [](const kernel_handle& each) { return each != nullptr && each->quick; });
  launch_count_ = lowered.stage_count;
  if (launch_count_ > inline_launches) more_launches_.resize(launch_count_);
  planned_launch* launches = launch_count_ > inline_launches ? more_launches_.data() : launches_.data();
  for (std::size_t i = 0; i < launch_count_; ++i) {
    const stage& from = lowered.stages[i];
    planned_launch& launch = launches[i];
    launch.code = kernels[i];
    launch.tiles = from.tiles;
    launch.sorts = from.sorts;
    launch.copies = find_copied_array(from.body);
    launch.shape = shape_of(from);
    // an early launch waits only for the kernel before it, which must belong to this call
    launch.shape.begins_early =
        from.overlap.waits && !from.argument_block && i > 0 && lowered.stages[i - 1].has_kernel();
    launch.cluster = from.cluster;
    launch.division = {estimate_nanoseconds(from), from.chosen.tasks};
    launch.bytes_moved = static_cast<std::uint64_t>(from.bytes_moved);
    write_block(request, lowered, i, launch, at);
    load_kernel(request, launch);
  }
  name_sites(request, lowered);
  workspace_bytes_ = lowered.workspace_bytes;
  key_words_ = key.size();
}

/// One block of words: key, byte ranges, overwritable flags, extents of results, then block and patches of
/// each launch.
void plan::reserve_words(const call_request& request, std::size_t key, const lowered_call& lowered) {
  const std::size_t inputs = request.operands.size(), outputs = lowered.results.size();
  std::size_t need = key + 2 * (inputs + outputs) + inputs;
  for (const result_layout& result : lowered.results) need += result.extents.size();
  for (std::size_t i = 0; i < lowered.stage_count; ++i) need += 2 * lowered.stages[i].arguments.size();
  if (need <= inline_words) {
    words_ = inline_storage_.data();
  } else {
    if (more_words_.size() < need) more_words_.resize(need);
    words_ = more_words_.data();
  }
}

void plan::write_ranges(const call_request& request, const lowered_call& lowered, std::size_t& at) {
  ranges_ = at;
  const auto write_range = [&](const operand& array) {
    const byte_range range = range_of(array);
    std::memcpy(words_ + at, &range, sizeof range);
    at += 2;
  };
  for (const operand& array : request.operands) write_range(array);
  for (const operand& array : request.into) write_range(array);
  if (request.into.empty()) at += 2 * lowered.results.size();
  overwritable_ = at;
  for (std::size_t i = 0; i < request.operands.size(); ++i) words_[at++] = lowered.overwritable[i];
}

void plan::write_results(const lowered_call& lowered, std::size_t& at) {
  result_count_ = lowered.results.size();
  if (result_count_ > inline_results) more_results_.resize(result_count_);
  planned_result* results = result_count_ > inline_results ? more_results_.data() : results_.data();
  for (std::size_t i = 0; i < result_count_; ++i) {
    const result_layout& layout = lowered.results[i];
    results[i] = {bytes_of_array(layout.type, layout.extents), layout.type, layout.rank,
                  static_cast<std::uint32_t>(at)};
    for (const std::int64_t extent : layout.extents) words_[at++] = static_cast<std::uint64_t>(extent);
  }
}

void plan::name_sites(const call_request& request, const lowered_call& lowered) {
  const graph& simplified = request.called->simplified();
  std::shared_ptr<index_sites> made;
  for (std::size_t i = 0; i < lowered.stage_count; ++i) {
    const std::vector<gathered_axis>& gathers = lowered.stages[i].body.gathers;
    if (gathers.empty()) continue;
    if (made == nullptr) made = std::make_shared<index_sites>();
    made->of_launches.resize(lowered.stage_count);
    for (const gathered_axis& along : gathers)
      made->of_launches[i].push_back(describe_gather(simplified, along));
  }
  sites_ = std::move(made);
}

/// The argument block of a launch, and what a call patches into it.
void plan::write_block(const call_request& request, const lowered_call& lowered, std::size_t number,
                       planned_launch& launch, std::size_t& at) {
  const stage& from = lowered.stages[number];
  const std::size_t outputs = lowered.results.size();
  const std::size_t inputs = request.operands.size();
  launch.block = static_cast<std::uint32_t>(at);
  launch.block_words = static_cast<std::uint32_t>(from.arguments.size());
  launch.block_on_device = from.argument_block;
  launch.block_offset = from.block_offset;
  at += from.arguments.size();
  launch.patches = static_cast<std::uint32_t>(at);
  launch.patch_count = 0;
  for (std::uint32_t slot = 0; slot < from.arguments.size(); ++slot) {
    const argument_slot& argument = from.arguments[slot];
    words_[launch.block + slot] = static_cast<std::uint64_t>(argument.value);
    if (argument.from == argument_slot::source::constant) continue;
    std::size_t value = argument.index;
    if (argument.from != argument_slot::source::input_pointer) value += inputs;
    if (argument.from == argument_slot::source::scalar) value += outputs;
    const std::size_t behind = inputs + outputs + request.scalars.size();
    if (argument.from == argument_slot::source::workspace) value = behind;
    if (argument.from == argument_slot::source::fault_record) value = behind + 1;
    if (argument.from == argument_slot::source::fault_site) {
      value = behind + 2;
      words_[launch.block + slot] = site_of_launch(number);
    }
    const argument_patch patch{slot, static_cast<std::uint32_t>(value)};
    std::memcpy(words_ + at + launch.patch_count++, &patch, sizeof patch);
  }
  at += launch.patch_count;
}

void plan::load_kernel(const call_request& request, planned_launch& launch) {
  launch.cpu = nullptr;
  launch.cuda = nullptr;
  launch.sorter.reset();
  if (launch.tiles == 0) return;
  if (launch.sorts.key_bytes != 0) {
    if (request.where.is_cpu()) return;
    if (request.on != nullptr)
      refuse_capture(*request.called, *request.on, "no kernels that sort can be loaded");
    launch.sorter = row_sorter::make(launch.sorts.key_bytes, context_);
    return;
  }
  const object_code& code = launch.code->code;
  if (request.where.is_cpu()) {
    launch.cpu = code.cpu_entry();
    return;
  }
  if (launch.cluster > 8) code.allow_large_clusters(request.where.index());
  // static shared memory counts too, so any dynamic amount may exceed the 48 KiB that need no request
  if (launch.shape.shared_bytes > 0)
    code.allow_shared_memory(launch.shape.shared_bytes, request.where.index());
  launch.cuda = code.cuda_entry(context_);
}

}  // namespace sinter::inline v0::runtime
