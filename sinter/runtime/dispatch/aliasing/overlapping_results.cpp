#include <algorithm>
#include <array>
#include <vector>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/shape/shape_bytes.hpp>
#include <sinter/runtime/dispatch/aliasing/overlap.hpp>
#include <sinter/runtime/dispatch/aliasing/overlapping_results.hpp>
#include <sinter/runtime/dispatch/function.hpp>
#include <sinter/runtime/dispatch/workspace.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/order/stream_work.hpp>
#include <sinter/runtime/order/timeline_table.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr std::size_t alignment = 256;

std::size_t bytes_of(const operand& array) { return bytes_of_array(array.type, {array.extents, array.rank}); }

// The function that copies an array: input to output.
function_handle copy_function(element_type type, unsigned rank) {
  graph_builder builder;
  builder.output(builder.input(type, rank));
  return intern(builder.recorded());
}

// Temporaries for results that are not written directly: contiguous arrays of the same shapes.
struct temporaries {
  std::vector<std::array<std::int64_t, 32>> strides;
  std::vector<operand> into;  // the request's results, with the temporaries in place

  temporaries(const call_request& request, const std::vector<bool>& temporary, std::byte* memory)
      : strides(request.into.size()), into(request.into.begin(), request.into.end()) {
    for (std::size_t i = 0; i < into.size(); ++i) {
      if (!temporary[i]) continue;
      std::int64_t stride = 1;
      for (unsigned axis = into[i].rank; axis-- > 0; stride *= into[i].extents[axis])
        strides[i][axis] = stride;
      into[i].strides = strides[i].data();
      into[i].data = memory;
      into[i].record = nullptr;  // a workspace is used on one stream alone
      memory += round_up(bytes_of(into[i]), alignment);
    }
  }
};

call_request copy_request(const function_handle& copying, const call_request& original, const operand& from,
                          const operand& to) {
  return {.called = &*copying,
          .operands = std::span(&from, 1),
          .scalars = {},
          .into = std::span(&to, 1),
          .where = original.where,
          .driver = original.driver,
          .forced = nullptr,
          .on = original.on,
          .variant = original.variant,
          .assume_ordered = original.assume_ordered,
          .memory = original.memory};
}

bool is_contiguous(const operand& array) {
  std::int64_t stride = 1;
  for (unsigned axis = array.rank; axis-- > 0; stride *= array.extents[axis])
    if (array.extents[axis] != 1 && array.strides[axis] != stride) return false;
  return true;
}

// An address with the alignment of real memory, for plans that are made before memory exists.
std::byte* imagined_memory() { return reinterpret_cast<std::byte*>(alignment); }

// Gives the function that copies each temporary whose result is not contiguous.
std::size_t prepare_temporaries(thread_state& state, const call_request& request,
                                const std::vector<bool>& temporary, std::vector<function_handle>& copying) {
  copying.resize(temporary.size());
  const temporaries made(request, temporary, imagined_memory());
  call_request computed = request;
  computed.into = made.into;
  const std::size_t computing = state.plan_of(computed).workspace_bytes();
  for (std::size_t i = 0; i < temporary.size(); ++i)
    if (temporary[i] && !is_contiguous(request.into[i])) {
      copying[i] = copy_function(request.into[i].type, request.into[i].rank);
      state.plan_of(copy_request(copying[i], request, made.into[i], request.into[i]));
    }
  return computing;
}

// Throws before the stream is touched where the stream cannot wait.
void order_before_call(const call_request& request, const stream& on) {
  try {
    order_before(timeline_of(on), request.operands, request.into);
  } catch (const capture_conflict& refused) {
    throw device_error(describe(*request.called) + " was not queued: " + refused.what());
  }
}

}  // namespace

std::vector<bool> results_in_temporaries(const call_request& request, const plan& prepared) {
  std::vector<bool> temporary(request.into.size());
  bool any = false;
  for (std::size_t o = 0; o < request.into.size(); ++o) {
    const operand& to = request.into[o];
    for (std::size_t i = 0; i < request.operands.size(); ++i) {
      const operand& from = request.operands[i];
      if (may_share_memory(to, from) && !(prepared.overwritable(i) && same_elements(to, from)))
        temporary[o] = true;
    }
    for (std::size_t other = 0; other < request.into.size(); ++other)
      if (other != o && may_share_memory(to, request.into[other])) temporary[o] = true;
    any |= temporary[o];
  }
  if (!any) temporary.clear();
  return temporary;
}

std::size_t bytes_of_temporaries(const call_request& request, const std::vector<bool>& temporary) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < temporary.size(); ++i)
    if (temporary[i]) bytes = sum_of_bytes(bytes, round_up(bytes_of(request.into[i]), alignment));
  return bytes;
}

void run_with_temporaries(thread_state& state, const call_request& request, const stream& on,
                          const std::vector<bool>& temporary, std::span<std::byte> workspace) {
  // Everything that may throw comes first: once results are written, only launches remain.
  std::vector<function_handle> copying;
  const std::size_t computing = prepare_temporaries(state, request, temporary, copying);
  const std::size_t keeping = bytes_of_temporaries(request, temporary);
  const workspace_memory memory(request, on, sum_of_bytes(keeping, computing), workspace);
  const temporaries made(request, temporary, memory.data());
  call_request computed = request;
  computed.into = made.into;
  // The computation does not write these arrays, and its copies must find nothing left to wait for.
  if (request.where.is_cuda() && !request.assume_ordered) order_before_call(request, on);
  run_request(state, computed, on, {memory.data() + keeping, computing});
  for (std::size_t i = 0; i < temporary.size(); ++i) {
    if (!temporary[i]) continue;
    if (is_contiguous(request.into[i])) {
      copy_bytes({request.into[i].data, request.where, request.into[i].record},
                 {made.into[i].data, request.where}, bytes_of(request.into[i]), on);
    } else {
      run_request(state, copy_request(copying[i], request, made.into[i], request.into[i]), on, {});
    }
  }
}

std::size_t prepare_temporaries(thread_state& state, const call_request& request,
                                const std::vector<bool>& temporary) {
  std::vector<function_handle> copying;
  return prepare_temporaries(state, request, temporary, copying);
}

}  // namespace sinter::inline v0::runtime
