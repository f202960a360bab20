// What records cost a call that stays on one stream: finding the stream's timeline, asking whether the memory
// of four arrays may be used, and noting the use; with one thread, and with 64 that share the stream and the
// memory. Uses the tests' fake driver, so it needs no GPU. Reports the minimum of many runs.

#include "../tests/support/cuda/fake_cuda.hpp"

#include <sinter/runtime/order/stream_work.hpp>
#include <sinter/runtime/order/timeline_table.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr int runs = 50, calls = 1'000'000;

/// Nanoseconds of one call of `step`; the compiler can neither omit the call nor merge it with the next.
template <class Step>
double nanoseconds_of(const Step& step, int repeats) {
  using clock = std::chrono::steady_clock;
  double least = 1e9;
  for (int run = 0; run < repeats; ++run) {
    const auto begin = clock::now();
    for (int i = 0; i < calls; ++i) {
      step();
      asm volatile("" ::: "memory");
    }
    least = std::min(least, std::chrono::duration<double, std::nano>(clock::now() - begin).count() / calls);
  }
  return least;
}

/// The thread's time, not the wall's: more threads than processors take turns.
template <class Step>
double nanoseconds_in_threads(const Step& step, unsigned count) {
  std::vector<double> spent(count);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      timespec begin{}, end{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
      for (int at = 0; at < calls; ++at) {
        step();
        asm volatile("" ::: "memory");
      }
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
      spent[i] = (static_cast<double>(end.tv_sec - begin.tv_sec) * 1e9 +
                  static_cast<double>(end.tv_nsec - begin.tv_nsec)) /
                 calls;
    });
  for (std::thread& each : threads) each.join();
  std::sort(spent.begin(), spent.end());
  return spent[spent.size() / 2];
}

}  // namespace

int main() {
  using namespace sinter;
  using namespace sinter::runtime;
  fake_cuda fake;
  const device cuda = device::cuda(0);
  const stream on = stream::create(cuda);
  const buffer x(cuda, 64, on), y(cuda, 64, on), z(cuda, 64, on), out(cuda, 64, on);
  operand read[3], written[1];
  read[0].record = x.record();
  read[1].record = y.record();
  read[2].record = z.record();
  written[0].record = out.record();
  const driver_api& api = fake.api();
  const auto call = [&] {
    stream_timeline& timeline = timeline_of(api, on, nullptr);
    order_before(timeline, read, written);
    note_after(timeline, read, written, {});
  };
  // An event raises the number, so that the records hold points of reads too.
  timeline_of(on).cover_latest();
  call();
  fake.forget_calls();
  const double empty = nanoseconds_of([] {}, runs), alone = nanoseconds_of(call, runs);
  std::printf("a loop that does nothing: %.2f ns\nrecords of four arrays: %.2f ns\n", empty, alone);
  for (const unsigned threads : {2u, 16u, 64u})
    std::printf("in each of %u threads on one stream: %.2f ns\n", threads,
                nanoseconds_in_threads(call, threads));
  std::printf("driver calls: %s\n", fake.all_calls().empty() ? "none" : fake.all_calls().c_str());
}
