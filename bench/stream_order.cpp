// What the order of work on a device costs a call that stays on one stream: entering and leaving the order,
// beside an empty loop. Uses the tests' fake driver, so it needs no GPU. Reports the minimum of many runs.

#include "../tests/support/cuda/fake_cuda.hpp"

#include <sinter/runtime/cuda/stream_order.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

constexpr int runs = 50, calls = 2'000'000;

/// Nanoseconds of one call of `step`; the compiler can neither omit the call nor merge it with the next.
template <class Step>
double nanoseconds_of(const Step& step) {
  using clock = std::chrono::steady_clock;
  double least = 1e9;
  for (int run = 0; run < runs; ++run) {
    const auto begin = clock::now();
    for (int i = 0; i < calls; ++i) {
      step();
      asm volatile("" ::: "memory");
    }
    least = std::min(least, std::chrono::duration<double, std::nano>(clock::now() - begin).count() / calls);
  }
  return least;
}

}  // namespace

int main() {
  using namespace sinter;
  fake_cuda fake;
  const stream on = stream::create(device::cuda(0));
  runtime::stream_order& order = runtime::stream_order_of(0);
  {
    const runtime::ordered_work first(order, on, nullptr);
  }
  fake.forget_calls();
  const double empty = nanoseconds_of([] {});
  const double ordered = nanoseconds_of([&] { const runtime::ordered_work work(order, on, nullptr); });
  std::printf(
      "a loop that does nothing: %.2f ns\nentering and leaving the order: %.2f ns\ndriver calls: %s\n", empty,
      ordered, fake.all_calls().empty() ? "none" : fake.all_calls().c_str());
}
