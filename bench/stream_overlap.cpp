// What streams gain: two chains of small kernels that share nothing, on one stream and on two; and what a
// host thread pays for a call, with all arrays used on one stream, and with two streams that read the same
// array. Needs a GPU. Prints JSON, one line for each measure; each is the least of several runs.

#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

using namespace sinter;
using clock_type = std::chrono::steady_clock;

constexpr int runs = 20;

template <class Step>
double microseconds_of(const Step& step) {
  double least = 1e12;
  for (int run = 0; run < runs; ++run) {
    synchronize();
    const auto begin = clock_type::now();
    step();
    least = std::min(least, std::chrono::duration<double, std::micro>(clock_type::now() - begin).count());
  }
  return least;
}

void print(const char* what, double microseconds) {
  std::printf("{\"measure\": \"%s\", \"microseconds\": %.3f}\n", what, microseconds);
}

/// Work for a few of a GPU's multiprocessors.
auto chain_step() {
  return fuse("stream_overlap_step", [](auto x) {
    auto y = x;
    for (int i = 0; i < 50; ++i) y = sqrt(y * y + literal(1.0f));
    return y;
  });
}

void measure_chains() {
  constexpr int steps = 200;
  const device cuda = device::cuda(0);
  const stream left = stream::create(cuda), right = stream::create(cuda);
  array<float, 1> a = ones<float>(shape<1>(1 << 15), cuda), b = ones<float>(shape<1>(1 << 15), cuda);
  const auto step = chain_step();
  const auto run = [&](const stream& first, const stream& second) {
    for (int i = 0; i < steps; ++i) {
      step.on(first).into(a)(a);
      step.on(second).into(b)(b);
    }
    synchronize();
  };
  run(left, right);
  print("one chain of 200 kernels", microseconds_of([&] {
          for (int i = 0; i < steps; ++i) step.on(left).into(a)(a);
          synchronize();
        }));
  print("two chains on one stream", microseconds_of([&] { run(left, left); }));
  print("two chains on two streams", microseconds_of([&] { run(left, right); }));
}

void measure_calls() {
  constexpr int calls = 500;  // fewer than a stream's queue holds
  const device cuda = device::cuda(0);
  const stream left = stream::create(cuda), right = stream::create(cuda);
  const array<float, 1> x = ones<float>(shape<1>(256), cuda);
  array<float, 1> a(x.shape(), cuda), b(x.shape(), cuda);
  const auto add = fuse("stream_overlap_add", [](auto v, auto w) { return v + w; });
  const auto per_call = [&](const char* what, const auto& step) {
    step();
    print(what, microseconds_of([&] {
                  for (int i = 0; i < calls; ++i) step();
                }) / calls);
    synchronize();
  };
  per_call("a call on one stream", [&] { add.on(left).into(a)(x, x); });
  per_call("a call on one stream with assume_ordered", [&] { add.on(left).assume_ordered().into(a)(x, x); });
  const view<const float, 1> raw_x(x.data(), x.shape(), cuda);
  const view<float, 1> raw_a(a.data(), a.shape(), cuda);
  per_call("a call on one stream with views that have no record",
           [&] { add.on(left).into(raw_a)(raw_x, raw_x); });
  per_call("two calls on two streams that read the same array", [&] {
    add.on(left).into(a)(x, x);
    add.on(right).into(b)(x, x);
  });
  per_call("a write and a read of it on another stream", [&] {
    add.on(left).into(a)(x, x);
    add.on(right).into(b)(a, x);
  });
}

}  // namespace

int main() {
  if (const std::string why = cuda_absence_reason(); !why.empty()) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return 1;
  }
  std::printf("{\"device\": \"%s\"}\n", device::cuda(0).name().c_str());
  measure_chains();
  measure_calls();
}
