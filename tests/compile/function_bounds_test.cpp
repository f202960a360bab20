// The number of functions built at run time is bounded; functions with handles stay.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/dispatch/prepare_async.hpp>
#include <sinter/sinter.hpp>

#include "../support/host_array.hpp"

using namespace sinter;
using namespace sinter::runtime;

namespace {

/// -x or x * x, with an unused number: functions differ by it, their kernels do not.
function_handle numbered(std::int64_t number, bool square) {
  graph_builder builder;
  builder.restart();
  const auto x = builder.input(element_type::float64, 1);
  builder.apply(operation::add,
                {x, builder.literal(element_type::float64, static_cast<std::uint64_t>(number))});
  builder.output(square ? builder.apply(operation::multiply, {x, x})
                        : builder.apply(operation::negative, {x}));
  builder.recorded().name = "function_bounds";
  return intern(builder.recorded());
}

double run(const function_handle& called, double value) {
  std::int64_t extent = 1, stride = 1;
  const runtime::operand input{&value, &extent, &stride, element_type::float64, 1, device::cpu()};
  double made = 0;
  const runtime::operand into{&made, &extent, &stride, element_type::float64, 1, device::cpu()};
  call(called, {&input, 1}, {}, {&into, 1}, {});
  return made;
}

constexpr std::size_t usual_capacity = 4096;
/// Each thread holds the functions that it interned recently.
constexpr std::size_t kept_by_a_thread = 256;

}  // namespace

TEST_CASE("of tens of thousands of functions a bounded number stays, and those that are held") {
  const std::size_t before = function_count();
  std::vector<function_handle> held;
  for (int i = 0; i < 50'000; ++i) {
    const function_handle made = numbered(i, i % 2 != 0);
    if (i % 1000 == 1) held.push_back(made);
  }
  CHECK(function_count() <= before + usual_capacity + kept_by_a_thread + held.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    const auto number = static_cast<std::int64_t>(1000 * i + 1);
    CHECK(numbered(number, true) == held[i]);  // it can still be found
    CHECK(recorded_graph(held[i]).outputs.size() == 1);
    CHECK(run(held[i], 3.0) == 9.0);
  }
  set_function_capacity(0);
  CHECK(function_count() <= before + kept_by_a_thread + held.size());
  CHECK(run(held[7], 4.0) == 16.0);
  set_function_capacity(usual_capacity);
}

TEST_CASE("a function in the place of one that is gone is not taken for it") {
  set_function_capacity(1);
  for (int i = 0; i < 5000; ++i) {
    const bool square = i / 300 % 2 != 0;
    REQUIRE(run(numbered(100'000 + i, square), 3.0) == (square ? 9.0 : -3.0));
  }
  set_function_capacity(usual_capacity);
}

TEST_CASE("threads make, run and drop functions while others do") {
  const std::size_t before = function_count();
  run(numbered(0, true), 1.0);
  run(numbered(0, false), 1.0);
  set_function_capacity(16);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      std::vector<function_handle> held(8);
      for (int i = 0; i < 3000; ++i) {
        const bool square = i % 2 != 0;
        // some are shared by all threads, some belong to one
        const int number = i % 3 == 0 ? i : 200'000 + 10'000 * thread + i;
        function_handle& slot = held[static_cast<std::size_t>(i) % held.size()];
        slot = numbered(number, square);
        wrong += run(slot, 3.0) != (square ? 9.0 : -3.0);
        const bool other = (i - 5) % 2 != 0;
        if (i >= 5)
          wrong += run(held[static_cast<std::size_t>(i - 5) % held.size()], 2.0) != (other ? 4.0 : -2.0);
      }
    });
  for (std::thread& each : threads) each.join();
  CHECK(wrong == 0);
  set_function_capacity(0);
  CHECK(function_count() <= before + kept_by_a_thread);
  set_function_capacity(usual_capacity);
}

TEST_CASE("what is prepared beside the work holds its function") {
  set_function_capacity(0);
  std::vector<preparation> begun;
  const std::int64_t extent = 5, stride = 1;
  const runtime::operand input{reinterpret_cast<void*>(256), &extent, &stride,
                               element_type::float64,        1,       device::cpu()};
  for (int i = 0; i < 400; ++i) begun.push_back(prepare_async(numbered(300'000 + i, true), {&input, 1}, {}));
  for (const preparation& each : begun) each.get();
  set_function_capacity(usual_capacity);
}

TEST_CASE("graphs that evaluate() builds anew each time stay bounded") {
  const std::size_t before = function_count();
  double value = 3;
  const any_view x = view<double, 1>(&value, {1});
  double made = 0;
  const any_view into = view<double, 1>(&made, {1});
  for (int i = 0; i < 20'000; ++i) {
    evaluate({x}, {into}, [i](graph_builder& builder, std::span<const graph_value> values) {
      builder.apply(operation::add, {values[0], builder.literal(element_type::float64,
                                                                static_cast<std::uint64_t>(400'000 + i))});
      builder.output(builder.apply(operation::multiply, {values[0], values[0]}));
    });
    REQUIRE(made == 9.0);
  }
  CHECK(function_count() <= before + usual_capacity + kept_by_a_thread);
}
