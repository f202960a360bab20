// Everything from many threads at once.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <sinter/runtime/call.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/error.hpp>

#include "../support/host_array.hpp"

using namespace sinter;
using namespace sinter::runtime;

namespace {

template <class Work>
void on_threads(int count, const Work& work) {
  std::atomic<int> waiting{count};
  std::vector<std::thread> threads;
  for (int index = 0; index < count; ++index)
    threads.emplace_back([&, index] {
      // all start together
      for (--waiting; waiting.load() > 0;) std::this_thread::yield();
      work(index);
    });
  for (std::thread& each : threads) each.join();
}

}  // namespace

TEST_CASE("eight threads compile a new kernel once and all compute") {
  const std::size_t before = kernel_table_statistics().compiled;
  std::atomic<int> wrong{0};
  std::atomic<const void*> handle{nullptr};
  on_threads(8, [&](int index) {
    const function_handle axpy = axpy_function("threads_axpy");
    const void* expected = nullptr;
    if (!handle.compare_exchange_strong(expected, &*axpy) && expected != &*axpy) ++wrong;
    host_array<float> x({1000 + index}), y({1000 + index}), out({1000 + index});
    const operand inputs[] = {x.operand(), y.operand()};
    const operand into[] = {out.operand()};
    for (int round = 0; round < 100; ++round) {
      const scalar a = bits_of(static_cast<float>(round));
      call(axpy, inputs, {&a, 1}, into, {});
      for (std::size_t i = 0; i < out.values.size(); ++i)
        if (out.values[i] != static_cast<float>(round + 1) * static_cast<float>(i)) ++wrong;
    }
  });
  CHECK(wrong == 0);
  CHECK(kernel_table_statistics().compiled == before + 1);
}

TEST_CASE("large calls from several threads share the processor") {
  std::atomic<int> wrong{0};
  on_threads(4, [&](int) {
    const function_handle axpy = axpy_function("threads_axpy");
    host_array<float> x({1 << 19}), y({1 << 19});
    const operand inputs[] = {x.operand(), y.operand()};
    const scalar a = bits_of(2.0f);
    for (int round = 0; round < 10; ++round) {
      result made;
      call(axpy, inputs, {&a, 1}, {}, {&made, 1});
      const std::vector<float> values = values_of<float>(made);
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != 3 * static_cast<float>(i)) ++wrong;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("kernels dropped while threads use them stay loaded") {
  set_kernel_capacity(1);
  const std::size_t dropped = kernel_table_statistics().dropped;
  std::atomic<int> wrong{0};
  on_threads(3, [&](int index) {
    const function_handle mine = axpy_function(("threads_dropped_" + std::to_string(index)).c_str());
    host_array<float> x({500}), y({500}), out({500});
    operand inputs[] = {x.operand(), y.operand()};
    operand into[] = {out.operand()};
    const scalar a = bits_of(2.0f);
    for (std::int64_t size = 1; size <= 500; ++size) {
      inputs[0].extents = inputs[1].extents = into[0].extents = &size;
      call(mine, inputs, {&a, 1}, into, {});
      if (out.values[static_cast<std::size_t>(size) - 1] != 3 * static_cast<float>(size - 1)) ++wrong;
    }
  });
  CHECK(wrong == 0);
  CHECK(kernel_table_statistics().kept == 1);
  CHECK(kernel_table_statistics().dropped > dropped);
  set_kernel_capacity(4096);
}

TEST_CASE("a thread that fails leaves the others alone") {
  std::atomic<int> refused{0}, wrong{0};
  on_threads(4, [&](int index) {
    const function_handle axpy = axpy_function("threads_axpy");
    host_array<float> x({64}), y({index % 2 == 0 ? 64 : 63}), out({64});
    const operand inputs[] = {x.operand(), y.operand()};
    const operand into[] = {out.operand()};
    const scalar a = bits_of(1.0f);
    for (int round = 0; round < 200; ++round) try {
        call(axpy, inputs, {&a, 1}, into, {});
        if (out.values[63] != 126) ++wrong;
      } catch (const shape_error&) {
        ++refused;
      }
  });
  CHECK(refused == 400);
  CHECK(wrong == 0);
}
