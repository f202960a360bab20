// Sequences as CUDA graphs on the fake driver: nodes, edges, updates, and the order with other streams.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/sequence.hpp>
#include <sinter/sinter.hpp>

#include "../order/ordered_call.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"

namespace sinter::test {
namespace {

const auto summed = fuse("sequence_graph_summed", [](auto x, auto y) { return x + y; });
const auto blended = fuse("sequence_graph_blended", [](auto x, auto y, auto a) { return x + a * y; });

array<float, 1> fresh() { return array<float, 1>({1024}, cuda); }

/// The line of a node: what it comes after, and its arrays.
std::string node(const char* after, const array<float, 1>& x, const array<float, 1>& y,
                 const array<float, 1>& out) {
  const auto address = [](const array<float, 1>& at) { return reinterpret_cast<std::size_t>(at.data()); };
  return fmt::format("after{} uses {:x} {:x} {:x}\n", after, address(x), address(y), address(out));
}

struct two_branches {
  fake_cuda fake;
  array<float, 1> x = fresh(), y = fresh(), left = fresh(), right = fresh(), out = fresh();
  sequence steps{cuda};
  stream own = stream::create(cuda);
  two_branches() {
    fake.set_arrays(2, 1);
    steps.add(summed.into(left), x, y);
    steps.add(summed.into(right), y, x);
    steps.add(summed.into(out), left, right);
    steps.run(own);
  }
};

}  // namespace

TEST_SUITE("sequences as CUDA graphs") {
  TEST_CASE("a replay is one launch of a graph whose edges follow from memory") {
    if (nvrtc_is_missing()) return;
    two_branches made;
    CHECK(made.fake.launched_graph() == node("", made.x, made.y, made.left) +
                                            node("", made.y, made.x, made.right) +
                                            node(" 0 1", made.left, made.right, made.out));
    CHECK(made.fake.calls("cuGraphAddKernelNode_v2") == 3);
    CHECK(made.fake.calls("cuLaunchKernel") == 0);
    made.fake.forget_calls();
    made.steps.run(made.own);
    CHECK(made.fake.calls("cuGraphLaunch") == 1);
    CHECK(made.fake.calls("cuGraphInstantiateWithFlags") == 0);
    CHECK(made.fake.calls("cuGraphExecKernelNodeSetParams_v2") == 0);
    CHECK_IN_ORDER(made.fake);
  }

  TEST_CASE("a change updates the nodes of its step alone, and at the next replay") {
    if (nvrtc_is_missing()) return;
    fake_cuda fake;
    fake.set_arrays(2, 1);
    const array<float, 1> x = fresh(), y = fresh(), other = fresh();
    array<float, 1> left = fresh(), right = fresh();
    const stream own = stream::create(cuda);
    sequence steps(cuda);
    const auto first = steps.add(blended.into(left), x, y, 2.0f);
    steps.add(blended.into(right), x, y, 2.0f);
    steps.run(own);
    fake.forget_calls();
    steps.change(first, x, other, 2.0f);
    CHECK(fake.all_calls().find("cuGraph") == std::string::npos);
    steps.run(own);
    CHECK(fake.calls("cuGraphExecKernelNodeSetParams_v2") == 1);
    CHECK(fake.calls("cuGraphInstantiateWithFlags") == 0);
    CHECK(fake.launched_graph() == node("", x, other, left) + node("", x, y, right));
    steps.change(first, x, other, 3.0f);
    steps.change(first, x, other, 4.0f);
    steps.run(own);
    CHECK(fake.calls("cuGraphExecKernelNodeSetParams_v2") == 2);
    steps.change(first, x, other, 4.0f);  // the same
    steps.run(own);
    CHECK(fake.calls("cuGraphExecKernelNodeSetParams_v2") == 2);
    CHECK_IN_ORDER(fake);
  }

  TEST_CASE("a change that orders steps anew makes the graph again") {
    if (nvrtc_is_missing()) return;
    fake_cuda fake;
    fake.set_arrays(2, 1);
    const array<float, 1> x = fresh(), y = fresh();
    array<float, 1> left = fresh(), right = fresh();
    const stream own = stream::create(cuda);
    sequence steps(cuda);
    steps.add(summed.into(left), x, y);
    const auto second = steps.add(summed.into(right), x, y);
    steps.run(own);
    CHECK(fake.launched_graph() == node("", x, y, left) + node("", x, y, right));
    steps.change(second, x, left);
    steps.run(own);
    CHECK(fake.launched_graph() == node("", x, y, left) + node(" 0", x, left, right));
    CHECK(fake.calls("cuGraphInstantiateWithFlags") == 2);
    steps.change(second, x, y);  // what the edge is for is gone, and it does no harm
    steps.run(own);
    CHECK(fake.calls("cuGraphInstantiateWithFlags") == 2);
    CHECK_IN_ORDER(fake);
  }

  TEST_CASE("replays and calls on other streams that share memory wait for one another") {
    if (nvrtc_is_missing()) return;
    two_branches made;
    const stream other = stream::create(cuda);
    array<float, 1> read = fresh();
    made.fake.forget_calls();
    summed.on(other).into(read)(made.out, made.out);
    CHECK_IN_ORDER(made.fake);
    CHECK(made.fake.calls("cuStreamWaitEvent") > 0);
    made.fake.forget_calls();
    made.steps.run(made.own);  // writes what the call reads
    CHECK(made.fake.calls("cuStreamWaitEvent") == 1);
    made.steps.run(other);  // on another stream than before
    CHECK(made.fake.follows(other, made.own));
    CHECK_IN_ORDER(made.fake);
  }

  TEST_CASE("arrays that are gone are kept for the replays, and go back with the sequence") {
    if (nvrtc_is_missing()) return;
    fake_cuda fake;
    fake.set_arrays(2, 1);
    const stream own = stream::create(cuda);
    array<float, 1> out = fresh();
    std::optional<sequence> steps(cuda);
    {
      const array<float, 1> x = fresh(), y = fresh();
      steps->add(summed.into(out), x, y);
    }
    steps->run(own);
    synchronize(cuda);
    const int before = fake.calls("cuMemFreeAsync");
    steps->run(own);
    steps.reset();
    synchronize(cuda);
    CHECK(fake.calls("cuMemFreeAsync") == before + 2);
    CHECK_IN_ORDER(fake);
  }

  TEST_CASE("the kernels of a step follow one another, and a step that reads their result follows the last") {
    if (nvrtc_is_missing()) return;
    fake_cuda fake;
    constexpr std::int64_t count = std::int64_t{1} << 22;
    const array<float, 1> x({count}, cuda);
    array<float, 1> out({count}, cuda), again({count}, cuda);
    const stream own = stream::create(cuda);
    sequence steps(cuda);
    steps.add(fuse("sequence_graph_shares", [](auto v) { return v / sum(v); }).into(out), x);
    steps.add(fuse("sequence_graph_again", [](auto v) { return v + v; }).into(again), out);
    steps.run(own);
    const int kernels = fake.calls("cuGraphAddKernelNode_v2");
    REQUIRE(kernels > 2);
    std::string expected = "after uses\n";
    for (int i = 1; i < kernels; ++i) expected += fmt::format("after {} uses\n", i - 1);
    CHECK(fake.launched_graph() == expected);
    CHECK_IN_ORDER(fake);
  }

  TEST_CASE(
      "arguments beyond a launch's are copied to the device before the first replay, and when they change") {
    if (nvrtc_is_missing()) return;
    fake_cuda fake(1, 12000);  // which takes 4,096 bytes
    constexpr std::size_t count = 600;
    graph_builder builder;
    builder.restart();
    graph_value all = builder.input(element_type::float32, 1);
    for (std::size_t i = 0; i < count; ++i)
      all = builder.apply(operation::add, {all, builder.parameter(element_type::float32)});
    builder.output(all);
    builder.recorded().name = "sequence_graph_long";
    const runtime::function_handle function = runtime::intern(builder.recorded());
    device_array x{1000}, out{1000};
    const runtime::operand input = x.view(), output = out.view();
    std::vector<runtime::scalar> numbers(count, bits_of(1.0f));
    runtime::call_sequence steps(cuda);
    const std::size_t step = steps.add(function, {&input, 1}, numbers, {&output, 1});
    const stream own = stream::create(cuda);
    steps.run(own);
    CHECK(fake.calls("cuMemcpyHtoDAsync_v2") == 1);
    steps.run(own);
    CHECK(fake.calls("cuMemcpyHtoDAsync_v2") == 1);
    numbers[599] = bits_of(2.0f);
    steps.change(step, {&input, 1}, numbers);
    steps.run(own);
    CHECK(fake.calls("cuMemcpyHtoDAsync_v2") == 2);
    CHECK(fake.calls("cuGraphExecKernelNodeSetParams_v2") == 0);
    CHECK(fake.calls("cuGraphInstantiateWithFlags") == 1);
    CHECK_IN_ORDER(fake);
  }

  TEST_CASE("a step on another device, a stream of another device, and a captured stream are refused") {
    if (nvrtc_is_missing()) return;
    fake_cuda fake;
    fake.set_arrays(2, 1);
    const array<float, 1> x = fresh();
    array<float, 1> out = fresh();
    sequence steps(cuda), of_cpu(device::cpu());
    CHECK_THROWS_WITH_AS(of_cpu.add(summed.into(out), x, x), doctest::Contains("the sequence is on cpu"),
                         device_error);
    steps.add(summed.into(out), x, x);
    CHECK_THROWS_WITH_AS(steps.run(stream::default_of(device::cpu())),
                         doctest::Contains("give it a stream of its device"), device_error);
    const stream own = stream::create(cuda);
    {
      const capture_scope capture(fake, own);
      CHECK_THROWS_WITH_AS(steps.run(own), doctest::Contains("it is a graph itself"), device_error);
    }
    steps.run(own);
    steps.run();
    CHECK_IN_ORDER(fake);
  }

  TEST_CASE("a driver that cannot build graphs makes calls one by one, and refuses sequences") {
    if (nvrtc_is_missing()) return;
    fake_cuda fake;
    runtime::driver_api old = fake.api();
    old.cuGraphCreate = nullptr;
    const runtime::driver_override in_place(&old);
    const array<float, 1> x = fresh();
    array<float, 1> out = fresh();
    sequence steps(cuda);
    steps.add(summed.into(out), x, x);
    CHECK_THROWS_WITH_AS(steps.run(), doctest::Contains("the driver lacks functions for that"), device_error);
    summed.into(out)(x, x);
  }

  TEST_CASE("what the driver refuses is thrown, and the next replay does it again") {
    if (nvrtc_is_missing()) return;
    fake_cuda fake;
    fake.set_arrays(2, 1);
    const array<float, 1> x = fresh(), other = fresh();
    array<float, 1> out = fresh();
    const stream own = stream::create(cuda);
    sequence steps(cuda);
    const auto step = steps.add(summed.into(out), x, other);
    for (const char* function : {"cuGraphCreate", "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags"}) {
      fake.fail(function, 1, runtime::CUresult::invalid_value);
      CHECK_THROWS_AS(steps.run(own), error);
    }
    steps.run(own);
    steps.change(step, other, x);
    fake.fail("cuGraphExecKernelNodeSetParams_v2", 1, runtime::CUresult::invalid_value);
    CHECK_THROWS_AS(steps.run(own), error);
    fake.fail("cuGraphLaunch", 1, runtime::CUresult::invalid_value);
    CHECK_THROWS_AS(steps.run(own), error);
    steps.run(own);
    CHECK(fake.launched_graph() == node("", other, x, out));
    CHECK_IN_ORDER(fake);
  }
}

}  // namespace sinter::test
