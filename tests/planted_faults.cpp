// sinter_planted_faults NAME: commits one deliberate fault for a sanitizer to find; exits with 0 if nothing
// detects it. The tests of ./bootstrap sanitize run the CPU's faults, tools/gpu-sanitize those of kernels.

#include "support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace sinter;

// Keeps reads from being optimised away.
volatile float sink = 0;

// ---- CPU ----

/// Without a kernel, so that no compiler is needed.
array<float, 1> ones_of(std::int64_t count) {
  return array<float, 1>::from(std::vector<float>(static_cast<std::size_t>(count), 1.0f), {count},
                               device::cpu());
}

void read_past_operand() {
  const std::vector<float> host(99);
  // the library copies 100 elements
  const auto x = array<float, 1>::from(std::span<const float>(host.data(), 100), {100}, device::cpu());
  sink = x.to_vector()[0];
}

void read_released_array() {
  const float* elements = nullptr;
  {
    const array<float, 1> x = ones_of(100000);
    elements = x.data();
  }
  sink = elements[5];
}

void overflow_signed() {
  volatile int most = std::numeric_limits<int>::max();
  sink = static_cast<float>(most + 1);
}

void race_for_array() {
  array<float, 1> shared = ones_of(1000);
  const auto replace = [&] {
    for (int round = 0; round < 100; ++round) shared = ones_of(1000 + round);
  };
  std::thread other([&] {
    for (int round = 0; round < 1000; ++round) sink = static_cast<float>(shared.size());
  });
  replace();
  other.join();
}

// ---- kernels ----

// With fewer rows a cluster of blocks has each, whose barriers are others.
constexpr std::int64_t rows = 256, length = 8192;

graph softmax_of_rows() {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::float32, 2);
  const graph_value e = builder.apply(
      operation::exp, {builder.apply(operation::subtract, {x, builder.reduce(operation::max, x, 2, true)})});
  builder.output(builder.apply(operation::true_divide, {e, builder.reduce(operation::sum, e, 2, true)}));
  return builder.recorded();
}

/// Compiles Sinter's text of a softmax with its first barrier replaced, and runs it with `result_rows` rows
/// of memory.
void run_softmax(const char* barrier, std::int64_t result_rows) {
  using namespace sinter::runtime;
  const graph recorded = softmax_of_rows();
  const target_facts& target = facts_of(device::cuda(0));
  const lowered_call lowered = test::lower(recorded, {test::contiguous({rows, length})}, target);
  const stage& only = lowered.stages[0];
  kernel_text text = emit(only);
  const std::string own = "__syncthreads();";
  const std::size_t first = text.source.find(own);
  if (lowered.stage_count != 1 || first == std::string::npos)
    throw std::runtime_error("the softmax is no longer one kernel with a barrier: plant the fault elsewhere");
  text.source.replace(first, own.size(), barrier);
  const object_code code = compile_kernel(text, target);

  const driver_api& api = require_driver();
  const context_guard current(primary_context(0));
  const auto allocate = [&](std::int64_t count) {
    CUdeviceptr made = 0;
    check(api.cuMemAlloc_v2(&made, static_cast<std::size_t>(count) * sizeof(float)), "allocating");
    return made;
  };
  const CUdeviceptr from = allocate(rows * length), to = allocate(result_rows * length);
  check(api.cuMemsetD32Async(from, 0x3f800000, rows * length, nullptr), "filling");
  std::vector<std::uint64_t> block;
  for (const argument_slot& slot : only.arguments) {
    auto value = static_cast<std::uint64_t>(slot.value);
    if (slot.from == argument_slot::source::input_pointer) value += static_cast<std::uint64_t>(from);
    if (slot.from == argument_slot::source::output_pointer) value += static_cast<std::uint64_t>(to);
    block.push_back(value);
  }
  void* arguments[] = {block.data()};
  check(api.cuLaunchKernel(reinterpret_cast<CUfunction>(code.cuda_entry(primary_context(0))),
                           static_cast<unsigned>(only.tiles), 1, 1, only.threads_along, only.threads_across,
                           1, only.shared_bytes, nullptr, arguments, nullptr),
        "launching");
  synchronize(device::cuda(0));
}

/// One stream writes what another reads, many times: in order by the arrays' records, or, where Sinter is
/// told that the program orders them, in no order. Throws if a result is wrong, which delays make likely.
void run_two_streams(bool ordered) {
  const auto add_one = fuse("planted_add_one", [](auto x) { return x + 1; });
  const device gpu = device::cuda(0);
  const stream first = stream::create(gpu), second = stream::create(gpu);
  array<float, 1> x = zeros<float>({1 << 16}, gpu), y = zeros<float>({1 << 16}, gpu);
  synchronize(gpu);
  constexpr int rounds = 100;
  for (int round = 0; round < rounds; ++round) {
    if (ordered) {
      add_one.on(first).into(y)(x);
      add_one.on(second).into(x)(y);
    } else {
      add_one.on(first).assume_ordered().into(y)(x);
      add_one.on(second).assume_ordered().into(x)(y);
    }
  }
  synchronize(gpu);
  if (x.to_vector()[0] != 2 * rounds) throw std::runtime_error("two streams ran out of order");
}

struct fault {
  const char* name;
  void (*commit)();
};
constexpr fault faults[] = {
    {"operand", read_past_operand},
    {"released", read_released_array},
    {"overflow", overflow_signed},
    {"race", race_for_array},
    {"kernel", [] { run_softmax("__syncthreads();", rows); }},  // no fault
    {"kernel_without_barrier", [] { run_softmax("", rows); }},
    {"kernel_divergent_barrier", [] { run_softmax("if (threadIdx.x % 32 < 16) __syncthreads();", rows); }},
    {"streams", [] { run_two_streams(true); }},  // no fault
    {"streams_without_wait", [] { run_two_streams(false); }},
    {"kernel_past_result", [] { run_softmax("__syncthreads();", rows / 2); }},
};

}  // namespace

int main(int count, char** words) {
  const auto* const chosen = std::find_if(std::begin(faults), std::end(faults), [&](const fault& at) {
    return count == 2 && std::string(words[1]) == at.name;
  });
  if (chosen == std::end(faults)) {
    std::fputs("usage: sinter_planted_faults NAME, of", stderr);
    for (const fault& at : faults) std::fprintf(stderr, " %s", at.name);
    std::fputs("\n", stderr);
    return 2;
  }
  try {
    chosen->commit();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "sinter_planted_faults: %s\n", failure.what());
    return 1;
  }
}
