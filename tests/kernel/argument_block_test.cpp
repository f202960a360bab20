// Kernels with more arguments than a launch takes: what the text reads, and how the block reaches the device.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/runtime/cuda/argument_block.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/error.hpp>

#include "../support/cuda/device_array.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/host_array.hpp"
#include "../support/sweep/sweep_layout.hpp"

using namespace sinter;
using namespace sinter::runtime;
using sinter::test::nvrtc_is_missing;
using test::contiguous;

namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// x times a scalar, plus the next, and so on, with this many different scalars.
graph polynomial(std::size_t scalars, const char* name = "") {
  graph_builder builder;
  builder.restart();
  graph_value total = builder.input(element_type::float32, 1);
  for (std::size_t i = 0; i < scalars; ++i)
    total = builder.apply(i % 2 == 0 ? operation::multiply : operation::add,
                          {total, builder.parameter(element_type::float32)});
  builder.output(total);
  builder.recorded().name = name;
  return builder.recorded();
}

// The sum of many arrays.
graph sum_of_arrays(std::size_t arrays, const char* name = "") {
  graph_builder builder;
  builder.restart();
  graph_value total = builder.input(element_type::float32, 1);
  for (std::size_t i = 1; i < arrays; ++i)
    total = builder.apply(operation::add, {total, builder.input(element_type::float32, 1)});
  builder.output(total);
  builder.recorded().name = name;
  return builder.recorded();
}

stage lowered_polynomial(std::size_t scalars, const target_facts& target) {
  const std::vector<std::uint64_t> values(scalars, bits_of(1.0f));
  return test::lower(polynomial(scalars), {contiguous({1 << 20})}, target, {}, values).stages[0];
}

target_facts old_driver() {
  target_facts made = test::cuda_facts();
  made.parameter_bytes = 4096;
  return made;
}

void check_compiles(const stage& made, const target_facts& target) {
  const kernel_text text = emit(made);
  const nvrtc_result code =
      compile_cuda(text.source, "kernel.cu", text.entry, {target.architecture, cuda_code::cubin});
  CHECK(code.resources.registers > 0);
}

// A polynomial of 600 scalars on the fake device, whose memory is the host's. Its driver accepts 4,096 bytes
// of parameters: NVRTC takes seconds for the thousands of scalars that exceed newer drivers' limit.
struct large_call {
  static constexpr std::size_t scalar_count = 600;
  function_handle called;
  device_array x{1000}, out{1000};
  operand input = x.view(), output = out.view();
  std::vector<scalar> scalars;

  explicit large_call(const char* name) : called(intern(polynomial(scalar_count, name))) {
    for (std::size_t i = 0; i < scalar_count; ++i) scalars.push_back(bits_of(static_cast<float>(i)));
  }
  void run(const call_options& options = {}) {
    call(called, {&input, 1}, scalars, {&output, 1}, {}, options);
  }
  std::size_t workspace() { return workspace_bytes(called, {&input, 1}, scalars, {}, {&output, 1}); }

  // Whether a block holds both addresses and all scalars.
  void check_block(const void* at) const {
    std::vector<std::uint64_t> words(workspace_words);
    std::memcpy(words.data(), at, words.size() * sizeof words[0]);
    CHECK(words[0] == reinterpret_cast<std::uintptr_t>(input.data));
    CHECK(words[1] == reinterpret_cast<std::uintptr_t>(output.data));
    CHECK(words[2] == 1000);
    for (std::size_t i = 0; i < scalar_count; ++i) REQUIRE(words[3 + i] == scalars[i]);
  }
  static constexpr std::size_t workspace_words = 4 + scalar_count;
};

}  // namespace

TEST_CASE("arguments are a parameter as long as a launch takes them, then an address in device memory") {
  {
    const target_facts target = old_driver();  // newer drivers accept more than a nest has
    const std::size_t most = target.parameter_bytes / 8;
    for (const std::size_t slots : {most - 1, most, most + 1}) {
      const stage made = lowered_polynomial(slots - 4, target);  // two addresses, the extent, a property
      REQUIRE(made.arguments.size() == slots);
      CHECK(made.argument_block == (slots > most));
      const std::string text = emit(made).source;
      CHECK(contains(text, "(const arguments* __restrict__ block)") == (slots > most));
      CHECK(contains(text, "(const __grid_constant__ arguments a)") == (slots <= most));
    }
  }
  CHECK_FALSE(lowered_polynomial(5000, test::cpu_facts()).argument_block);
}

TEST_CASE("where the arguments lie is part of the signature and of the workspace") {
  const stage fits = lowered_polynomial(1000, test::cuda_facts());
  const stage does_not = lowered_polynomial(1000, old_driver());
  CHECK(fits.signature != does_not.signature);
  const std::vector<std::uint64_t> values(1000, 0);
  const graph recorded = polynomial(1000);
  CHECK(test::lower(recorded, {contiguous({100})}, test::cuda_facts(), {}, values).workspace_bytes == 0);
  const std::size_t bytes =
      test::lower(recorded, {contiguous({100})}, old_driver(), {}, values).workspace_bytes;
  CHECK(bytes >= 1003 * 8);
  CHECK(bytes % 256 == 0);
  CHECK(test::lower(recorded, {contiguous({0})}, old_driver(), {}, values).workspace_bytes == 0);
}

TEST_CASE("a driver before 12.1 takes 4,096 bytes of parameters") {
  {
    const fake_cuda fake(1, 12000);
    CHECK(facts_of(device::cuda(0)).parameter_bytes == 4096);
  }
  const fake_cuda fake(1, 12010);
  CHECK(facts_of(device::cuda(0)).parameter_bytes == 32764);
}

TEST_CASE("a kernel that reads its arguments from device memory compiles, whatever they are") {
  if (nvrtc_is_missing()) return;
  const target_facts target = old_driver();
  check_compiles(lowered_polynomial(600, target), target);
  // each loop order; with 600 arrays one element per thread, which compiles fast
  const auto check_order = [&](const graph& recorded, const std::vector<test::layout>& arrays,
                               loop_order order, const target_facts& small) {
    const stage made = test::lower(recorded, arrays, small).stages[0];
    CHECK(made.argument_block);
    CHECK(made.chosen.order == order);
    check_compiles(made, small);
  };
  check_order(sum_of_arrays(600), std::vector(600, contiguous({1})), loop_order::rows, target);
  target_facts tiny = target;
  tiny.parameter_bytes = 16;
  const graph pair = test::sum_of({{element_type::float32, 2}, {element_type::float32, 2}});
  check_order(pair, {contiguous({300, 1000}), contiguous({300, 1})}, loop_order::rows, tiny);
  check_order(pair, {contiguous({5000, 3}), contiguous({5000, 1})}, loop_order::flat, tiny);
  check_order(pair, {contiguous({300, 1000}), test::transposed({300, 1000})}, loop_order::tiled, tiny);
}

TEST_CASE("a call of 1,500 scalars computes on the CPU") {
  const function_handle called = intern(polynomial(1500));
  host_array<float> x({100}), out({100});
  std::vector<scalar> scalars;
  for (std::size_t i = 0; i < 1500; ++i) scalars.push_back(bits_of(i % 2 == 0 ? 1.0f : 2.0f));
  const operand input = x.operand(), output = out.operand();
  call(called, {&input, 1}, scalars, {&output, 1}, {});
  for (std::size_t i = 0; i < 100; ++i) REQUIRE(out.values[i] == static_cast<float>(i) + 1500);
}

TEST_CASE("the block is copied to the device ahead of its kernel and freed behind it") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake(1, 12000);
  large_call large("argument_block_fresh");
  prepare(large.called, {&large.input, 1}, large.scalars, {}, {&large.output, 1});
  CHECK(fake.calls("cuMemcpyHtoDAsync_v2") == 0);
  CHECK(contains(explain(large.called, {&large.input, 1}, large.scalars, {}, {&large.output, 1}),
                 "arguments: 4832 bytes, more than a launch takes"));
  const int allocated = fake.calls("cuMemAllocFromPoolAsync"), freed = fake.calls("cuMemFreeAsync");
  large.run();
  CHECK(fake.calls("cuMemcpyHtoDAsync_v2") == 1);
  CHECK(fake.calls("cuLaunchKernel") == 1);
  CHECK(fake.calls("cuMemAllocFromPoolAsync") == allocated + 1);
  CHECK(fake.calls("cuMemFreeAsync") == freed + 1);
  CHECK(fake.calls("cuStreamSynchronize") == 0);
  // without given results, and with a launch that fails
  result made;
  call(large.called, {&large.input, 1}, large.scalars, {}, {&made, 1});
  fake.fail("cuLaunchKernel", 1, CUresult::launch_out_of_resources);
  CHECK_THROWS_AS(large.run(), execution_error);
  fake.fail("cuMemcpyHtoDAsync_v2", 1, CUresult::invalid_value);
  CHECK_THROWS_AS(large.run(), error);
  CHECK(fake.calls("cuLaunchKernel") == 3);
  made.storage.release();
  CHECK(fake.calls("cuMemAllocFromPoolAsync") - allocated == fake.calls("cuMemFreeAsync") - freed);
}

TEST_CASE("the block lies in the workspace where one is given, and holds every address and scalar") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake(1, 12000);
  large_call large("argument_block_given");
  const std::size_t bytes = large.workspace();
  REQUIRE(bytes >= large_call::workspace_words * 8);
  device_array memory(static_cast<std::int64_t>(bytes / 4 + 128));
  call_options options;
  options.workspace = {static_cast<std::byte*>(memory.storage.data()) + 8, bytes + 256};
  const int allocated = fake.calls("cuMemAllocFromPoolAsync");
  large.run(options);
  CHECK(fake.calls("cuMemAllocFromPoolAsync") == allocated);
  const auto block = reinterpret_cast<const std::byte*>(fake.launched_with());
  CHECK(block >= options.workspace.data());
  CHECK(block + bytes <= options.workspace.data() + options.workspace.size());
  CHECK(reinterpret_cast<std::uintptr_t>(block) % 256 == 0);
  large.check_block(block);
}

TEST_CASE("a result computed in a temporary finds both its memory and its block in one workspace") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake(1, 12000);
  large_call large("argument_block_aside");
  const std::int64_t extent = 900;
  large.input.extents = large.output.extents = &extent;
  large.output.data = static_cast<std::byte*>(large.input.data) + 4;
  const std::size_t bytes = large.workspace();
  CHECK(bytes >= large_call::workspace_words * 8 + 900 * 4);
  device_array memory(static_cast<std::int64_t>(bytes / 4 + 64));
  call_options options;
  options.workspace = {static_cast<std::byte*>(memory.storage.data()), bytes + 256};
  const int allocated = fake.calls("cuMemAllocFromPoolAsync");
  large.run(options);
  CHECK(fake.calls("cuMemAllocFromPoolAsync") == allocated);
  CHECK(fake.calls("cuLaunchKernel") == 1);
  CHECK(fake.calls("cuMemcpyDtoDAsync_v2") == 1);
  large.run();
  CHECK(fake.calls("cuMemAllocFromPoolAsync") == allocated + 1);
}

TEST_CASE(
    "a captured call copies its arguments from memory that outlives it, into a workspace that does too") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake(1, 12000);
  large_call large("argument_block_captured");
  const std::size_t bytes = large.workspace();
  device_array memory(static_cast<std::int64_t>(bytes / 4 + 64));
  const stream own = stream::create(device::cuda(0));
  call_options options;
  options.on = &own;
  prepare(large.called, {&large.input, 1}, large.scalars, options, {&large.output, 1});
  const CUstream native = static_cast<CUstream>(own.native());
  REQUIRE(fake.api().cuStreamBeginCapture_v2(native, CUstreamCaptureMode::global) == CUresult::success);
  options.workspace = {static_cast<std::byte*>(memory.storage.data()), bytes + 256};
  large.run(options);
  CHECK(fake.calls("cuMemHostAlloc") == 1);
  CHECK(fake.calls("cuMemFreeHost") == 0);
  CHECK(fake.calls("cuMemcpyHtoDAsync_v2") == 1);
  CHECK(fake.calls("cuStreamSynchronize") == 0);
  CHECK(fake.calls("cuLaunchKernel") == 1);
  large.check_block(reinterpret_cast<const void*>(fake.launched_with()));
  options.workspace = {};
  const int freed = fake.calls("cuMemFreeAsync");
  large.run(options);
  CHECK(fake.calls("cuMemHostAlloc") == 2);
  CHECK(fake.calls("cuLaunchKernel") == 2);
  CUgraph graph = nullptr;
  fake.api().cuStreamEndCapture(native, &graph);
  large.run();
  CHECK(fake.calls("cuMemFreeAsync") == freed + 1);  // of this call alone
  fake.api().cuGraphDestroy(graph);
}
