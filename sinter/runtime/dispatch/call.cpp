#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/runtime/cpu/executor.hpp>
#include <sinter/runtime/cpu/sort_rows.hpp>
#include <sinter/runtime/cuda/argument_block.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/dispatch/aliasing/overlap.hpp>
#include <sinter/runtime/dispatch/aliasing/overlapping_results.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/dispatch/plan.hpp>
#include <sinter/runtime/dispatch/workspace.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/order/captured_memory.hpp>
#include <sinter/runtime/order/returned_memory.hpp>
#include <sinter/runtime/order/stream_work.hpp>
#include <sinter/runtime/order/timeline_table.hpp>
#include <sinter/runtime/profile/call_observation.hpp>

namespace sinter::inline v0::runtime {
namespace {

// Argument blocks and values up to this many words are on the stack.
constexpr std::size_t stack_words = 128;

// Words for a scope: on the stack, or allocated if there are too many.
class word_memory {
 public:
  std::uint64_t* take(std::size_t words, std::vector<std::uint64_t>& spill) {
    if (words <= stack_words) [[likely]]
      return words_;
    if (spill.size() < words) spill.resize(words);
    return spill.data();
  }

 private:
  std::uint64_t words_[stack_words];
};

// Prepares a CUDA stream for launches: orders it behind the work that uses the same memory, and makes a
// context of the device current for a default stream. Other streams need no current context. Afterwards the
// use is noted in the records of the memory, also of the results that the call has allocated.
class cuda_launch_scope {
 public:
  cuda_launch_scope(const call_request& request, const stream& on, const plan& prepared,
                    std::span<const buffer> fresh)
      : request_(request), fresh_(fresh) {
    give_back_waiting();
    const driver_api& api = *request.driver;
    const CUstream native = static_cast<CUstream>(on.native());
    CUcontext context = nullptr;
    if (native == nullptr || native == legacy_default_stream() || native == per_thread_default_stream()) {
      CUcontext current = nullptr;
      context = api.cuCtxGetCurrent(&current) == CUresult::success ? current : nullptr;
      if (context == nullptr || context != prepared.context()) [[unlikely]] {
        context = context_of_default_stream(current, on.where().index());
        guard_.emplace(context, current);
      }
    }
    timeline_ = &timeline_of(api, on, context);
    if (native != nullptr && native != legacy_default_stream()) prepare_for_capture(api, on, prepared);
    if (!request.assume_ordered) order();
    if (is_captured_) make_room(*timeline_, request.operands, request.into);
  }
  cuda_launch_scope(const cuda_launch_scope&) = delete;
  cuda_launch_scope& operator=(const cuda_launch_scope&) = delete;
  stream_faults& faults() { return timeline_->faults(); }
  const stream_timeline& timeline() const { return *timeline_; }
  bool is_captured() const { return is_captured_; }
  ~cuda_launch_scope() { note_after(*timeline_, request_.operands, request_.into, fresh_); }

 private:
  // Default streams are never captured. A kernel in a captured graph must never be unloaded, even after its
  // plan is dropped.
  void prepare_for_capture(const driver_api& api, const stream& on, const plan& prepared) {
    CUstreamCaptureStatus status = CUstreamCaptureStatus::none;
    if (api.cuStreamIsCapturing(static_cast<CUstream>(on.native()), &status) != CUresult::success ||
        status != CUstreamCaptureStatus::active)
      return;
    if (prepared.is_quick())
      refuse_capture(*request_.called, on, "no kernel can be compiled, and there is only a quick one");
    is_captured_ = true;
    timeline_->capture();  // tells what was queued before from what is captured
    for (const planned_launch& launch : prepared.launches()) {
      if (launch.code != nullptr) launch.code->code.keep_loaded();
      if (launch.sorter != nullptr) launch.sorter->keep_loaded();
    }
  }
  void order() {
    try {
      order_before(*timeline_, request_.operands, request_.into);
    } catch (const capture_conflict& refused) {
      throw device_error(describe(*request_.called) + " was not queued: " + refused.what());
    }
  }

  const call_request& request_;
  const std::span<const buffer> fresh_;
  stream_timeline* timeline_ = nullptr;
  bool is_captured_ = false;
  std::optional<context_guard> guard_;
};

/// Whether a launch copies an array to where it is.
bool is_in_place(const call_request& request, const planned_launch& launch) {
  if (!launch.copies.has_value() || request.into.empty()) [[likely]]
    return false;
  return same_elements(request.into[launch.copies->result], request.operands[launch.copies->input]);
}

/// `follows`: the launch before it in the plan was queued, so that it may begin early.
[[gnu::always_inline]] inline void launch_cuda(const call_request& request, const planned_launch& launch,
                                               const std::uint64_t* block, const stream& on,
                                               std::byte* workspace, bool follows) {
  const auto native = static_cast<CUstream>(on.native());
  const void* on_device = nullptr;
  const void* argument = block;
  if (launch.block_on_device) [[unlikely]] {
    on_device = workspace + launch.block_offset;
    argument = static_cast<const void*>(&on_device);
    copy_arguments(workspace + launch.block_offset, {block, launch.block_words}, native, on.where().index());
  }
  void* arguments[] = {const_cast<void*>(argument)};
  const char* const name = launch.code->code.entry().c_str();
  if (follows) [[likely]]
    return launch_kernel(*request.driver, launch.cuda, launch.shape, native, arguments, name);
  launch_shape alone = launch.shape;
  alone.begins_early = false;
  launch_kernel(*request.driver, launch.cuda, alone, native, arguments, name);
}

/// `block` has the addresses of keys, positions and scratch memory.
void sort_rows(const planned_launch& launch, const std::uint64_t* block, const stream& on) {
  const auto address = [&](std::size_t i) { return reinterpret_cast<void*>(block[i]); };
  auto* const positions = static_cast<std::uint32_t*>(address(1));
  if (launch.sorter == nullptr)
    sort_rows_on_cpu(launch.sorts, address(0), positions);
  else
    launch.sorter->sort(launch.sorts, {address(0), positions, address(2)},
                        static_cast<CUstream>(on.native()));
}

/// Memory that a call has for itself.
struct call_memory {
  std::byte* workspace = nullptr;
  std::span<const buffer> fresh{};  ///< results that the call has allocated
};

/// The launches of a call in their order. Inlined where nothing observes them, so that observing costs such a
/// call one comparison.
[[gnu::always_inline]] inline void launch_stages(thread_state& state, const call_request& request,
                                                 const plan& prepared, const std::uint64_t* values,
                                                 const stream& on, std::byte* workspace) {
  bool follows = true;
  for (const planned_launch& launch : prepared.launches()) {
    if (launch.tiles == 0) continue;
    if (is_in_place(request, launch)) [[unlikely]] {
      follows = false;
      continue;
    }
    word_memory memory;
    std::uint64_t* block = memory.take(launch.block_words, state.block);
    std::memcpy(block, prepared.words() + launch.block, launch.block_words * sizeof *block);
    const argument_patch* patches = prepared.patches(launch);
    for (std::uint32_t i = 0; i < launch.patch_count; ++i) block[patches[i].slot] += values[patches[i].value];
    if (launch.sorts.key_bytes != 0)
      sort_rows(launch, block, on);
    else if (launch.cpu != nullptr)
      run_cpu_kernel(launch.cpu, block, launch.tiles, launch.division);
    else
      launch_cuda(request, launch, block, on, workspace, follows);
    follows = true;
  }
}

/// What launch_stages() launches.
launched_work work_of(const call_request& request, const plan& prepared) {
  launched_work work;
  for (const planned_launch& launch : prepared.launches()) {
    if (launch.tiles == 0 || is_in_place(request, launch)) continue;
    ++work.kernels;
    work.bytes += launch.bytes_moved;
  }
  return work;
}

/// launch_stages() while something observes calls. `scope`: of a GPU, else nullptr.
[[gnu::noinline, gnu::cold]] void launch_observed(thread_state& state, const call_request& request,
                                                  const plan& prepared, const std::uint64_t* values,
                                                  std::byte* workspace, const cuda_launch_scope* scope) {
  const function& called = *request.called;
  call_observation observed(state.observers, {called.recorded, called.number(), request.where},
                            scope != nullptr && !scope->is_captured() ? &scope->timeline() : nullptr);
  launch_stages(state, request, prepared, values, *request.on, workspace);
  observed.finish(work_of(request, prepared));
}

void launch_all(thread_state& state, const call_request& request, const plan& prepared, std::uint64_t* values,
                const stream& on, const call_memory& memory_of_call) {
  std::optional<cuda_launch_scope> scope;
  index_fault fault;  // of a call on the CPU
  if (request.where.is_cuda()) scope.emplace(request, on, prepared, memory_of_call.fresh);
  if (prepared.sites() != nullptr) {
    std::uint64_t* const behind =
        values + request.operands.size() + prepared.results().size() + request.scalars.size() + 1;
    stream_faults::target record{reinterpret_cast<std::uintptr_t>(&fault), 0};
    if (scope.has_value())
      record = scope->faults().target_for(*request.driver, request.where.index(), prepared.sites());
    behind[0] = record.record;
    behind[1] = record.first_site;
  }
  if (state.observers != 0) [[unlikely]]
    launch_observed(state, request, prepared, values, memory_of_call.workspace,
                    scope.has_value() ? &*scope : nullptr);
  else
    launch_stages(state, request, prepared, values, on, memory_of_call.workspace);
  if (fault.state != index_fault::none) throw_index_fault(*prepared.sites(), fault);
}

// Addresses of inputs, addresses of results, scalars, in the numbering of a plan's patches.
template <class Address>
void run_planned(thread_state& state, const call_request& request, const plan& prepared, const stream& on,
                 const call_memory& memory_of_call, const Address& address_of_result) {
  const std::size_t inputs = request.operands.size(), outputs = prepared.results().size();
  word_memory memory;
  std::uint64_t* values = memory.take(inputs + outputs + request.scalars.size() + 3, state.values);
  std::uint64_t* to = values;
  for (const operand& array : request.operands) *to++ = reinterpret_cast<std::uintptr_t>(array.data);
  for (std::size_t i = 0; i < outputs; ++i) *to++ = reinterpret_cast<std::uintptr_t>(address_of_result(i));
  if (!request.scalars.empty()) std::memcpy(to, request.scalars.data(), request.scalars.size() * sizeof *to);
  values[inputs + outputs + request.scalars.size()] =
      reinterpret_cast<std::uintptr_t>(memory_of_call.workspace);
  launch_all(state, request, prepared, values, on, memory_of_call);
}

void run_into_fresh(thread_state& state, const call_request& request, const plan& prepared, const stream& on,
                    std::span<result> results, std::span<std::byte> workspace) {
  const auto planned = prepared.results();
  // Kept in a local until everything has succeeded, so that an exception leaves `results` unchanged.
  std::array<buffer, 4> few;
  std::vector<buffer> many(planned.size() > few.size() ? planned.size() : 0);
  buffer* fresh = many.empty() ? few.data() : many.data();
  for (std::size_t i = 0; i < planned.size(); ++i)
    fresh[i] = memory_for_call(request.where, planned[i].bytes, on, request.memory);
  const workspace_memory working(request, on, prepared.workspace_bytes(), workspace);
  run_planned(state, request, prepared, on, {working.data(), {fresh, planned.size()}},
              [&](std::size_t i) { return fresh[i].data(); });
  for (std::size_t i = 0; i < planned.size(); ++i) {
    result& made = results[i];
    made.storage = std::move(fresh[i]);
    made.type = planned[i].type;
    made.rank = planned[i].rank;
    std::copy_n(prepared.extents(planned[i]), made.rank, made.extents);
  }
}

// Whether a result's byte range may intersect another array's; cheap, and nearly always false.
bool any_ranges_meet(const call_request& request, const plan& prepared) {
  const std::size_t inputs = request.operands.size();
  for (std::size_t o = 0; o < request.into.size(); ++o) {
    const operand& to = request.into[o];
    const byte_range& range = prepared.range(inputs + o);
    for (std::size_t i = 0; i < inputs; ++i)
      if (ranges_meet(to, range, request.operands[i], prepared.range(i))) return true;
    for (std::size_t other = 0; other < o; ++other)
      if (ranges_meet(to, range, request.into[other], prepared.range(inputs + other))) return true;
  }
  return false;
}

void run(thread_state& state, const call_request& request, const stream& on, std::span<result> results,
         std::span<std::byte> workspace) {
  const plan& prepared = state.plan_of(request);
  if (request.into.empty()) return run_into_fresh(state, request, prepared, on, results, workspace);
  if (any_ranges_meet(request, prepared)) [[unlikely]] {
    if (const std::vector<bool> temporary = results_in_temporaries(request, prepared); !temporary.empty())
      return run_with_temporaries(state, request, on, temporary, workspace);
  }
  const workspace_memory working(request, on, prepared.workspace_bytes(), workspace);
  run_planned(state, request, prepared, on, {working.data(), {}},
              [&](std::size_t i) { return request.into[i].data; });
}

}  // namespace

void refuse_capture(const function& called, const stream& on, const char* what) {
  if (on.where().is_cpu()) return;
  const auto native = static_cast<CUstream>(on.native());
  if (native == nullptr || native == legacy_default_stream()) return;  // default streams are never captured
  if (capture_status(native, on.where().index()) == CUstreamCaptureStatus::none) return;
  throw device_error(
      fmt::format("{} was called on a stream that is being captured into a CUDA graph, where {}; call "
                  "prepare() with the same arrays before the capture begins",
                  describe(called), what));
}

void run_plan(thread_state& state, const call_request& request, const plan& prepared, const stream& on) {
  const workspace_memory working(request, on, prepared.workspace_bytes(), {});
  run_planned(state, request, prepared, on, {working.data(), {}},
              [&](std::size_t i) { return request.into[i].data; });
}

void run_request(thread_state& state, const call_request& request, const stream& on,
                 std::span<std::byte> workspace) {
  run(state, request, on, {}, workspace);
}

void call(const function_handle& called, std::span<const operand> operands, std::span<const scalar> scalars,
          std::span<const operand> into, std::span<result> results, const call_options& options) {
  call_request request = make_request(held(called), operands, scalars, into, options);
  bool has_null = false;
  for (const operand& array : operands) has_null |= array.data == nullptr;
  for (const operand& array : into) has_null |= array.data == nullptr;
  if (has_null) [[unlikely]]
    check_memory(request);
  const stream default_stream = stream::default_of(request.where);
  const stream& on = options.on != nullptr ? *options.on : default_stream;
  request.on = &on;
  if (into.empty() && results.size() != called->recorded.outputs.size()) [[unlikely]]
    throw_result_count(*called, results.size());
  const state_guard state;
  run(*state, request, on, results, options.workspace);
}

}  // namespace sinter::inline v0::runtime
