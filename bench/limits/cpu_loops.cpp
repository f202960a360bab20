#include "cpu_loops.hpp"

#include <sinter/runtime/device_facts.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sinter_bench {
namespace {

namespace plain {
void copy(const float* x, float* out, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) out[i] = x[i];
}
void axpy(float a, const float* x, const float* y, float* out, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) out[i] = a * x[i] + y[i];
}
void grow(float* x, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) x[i] = 1.0001f * x[i] + 0.5f;
}
float sum(const float* x, std::size_t first, std::size_t last) {
  float total[64] = {};
  std::size_t i = first;
  for (; i + 64 <= last; i += 64)
    for (std::size_t lane = 0; lane < 64; ++lane) total[lane] += x[i + lane];
  for (; i < last; ++i) total[0] += x[i];
  return std::accumulate(std::begin(total), std::end(total), 0.0f);
}
void sin_exp(const float* a, const float* b, float* out, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i)
    out[i] = a[i] > b[i] ? std::sin(a[i]) * std::exp(b[i]) : std::sqrt(a[i]);
}
void softmax(const float* x, float* out, std::size_t first, std::size_t last) {
  for (std::size_t row = first; row < last; ++row) {
    const float* const from = x + row * softmax_length;
    float* const to = out + row * softmax_length;
    const float most = *std::max_element(from, from + softmax_length);
    float total = 0;
    for (std::size_t i = 0; i < softmax_length; ++i) total += to[i] = std::exp(from[i] - most);
    for (std::size_t i = 0; i < softmax_length; ++i) to[i] /= total;
  }
}
constexpr cpu_loops all{"plain C++", copy, axpy, grow, sum, sin_exp, softmax};
}  // namespace plain

#if defined(__x86_64__)
namespace avx2 {
#define LOOP_NAME "AVX2 by hand"
#define LOOP_TARGET [[gnu::target("avx2,fma")]]
#define LOOP_LANES 8
#define LOOP_FMA(a, b, c) (static_cast<lanes_f>(_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c))))
#define LOOP_SQRT(a) (static_cast<lanes_f>(_mm256_sqrt_ps((__m256)(a))))
#define LOOP_STREAM(to, value) _mm256_stream_ps(to, (__m256)(value))
#include "cpu_loops.inc"
#undef LOOP_NAME
#undef LOOP_TARGET
#undef LOOP_LANES
#undef LOOP_FMA
#undef LOOP_SQRT
#undef LOOP_STREAM
}  // namespace avx2

namespace avx512 {
#define LOOP_NAME "AVX-512 by hand"
#define LOOP_TARGET [[gnu::target("avx512f,avx512dq,fma")]]
#define LOOP_LANES 16
#define LOOP_FMA(a, b, c) (static_cast<lanes_f>(_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c))))
#define LOOP_SQRT(a) (static_cast<lanes_f>(_mm512_maskz_sqrt_ps(0xffff, (__m512)(a))))
#define LOOP_STREAM(to, value) _mm512_stream_ps(to, (__m512)(value))
#include "cpu_loops.inc"
}  // namespace avx512
#endif

/// Threads that wait for work. They spin briefly before they sleep, as the workers of thread libraries do.
class crew {
 public:
  crew() {
    const unsigned threads = sinter::runtime::cpu_threads();
    for (unsigned i = 1; i < threads; ++i)
      workers_.emplace_back([this, i, threads] {
        for (unsigned round = 0;;) {
          for (int spin = 0; spin < 20000 && round_.load(std::memory_order_acquire) == round; ++spin)
            std::this_thread::yield();
          round_.wait(round, std::memory_order_acquire);
          ++round;
          if (stop_) return;
          do_share(i, threads);
          done_.fetch_add(1, std::memory_order_release);
          done_.notify_one();
        }
      });
  }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;
  ~crew() {
    stop_ = true;
    start_round();
    for (std::thread& worker : workers_) worker.join();
  }

  void run(std::size_t count, void (*body)(std::size_t, std::size_t, void*), void* context) {
    count_ = count;
    body_ = body;
    context_ = context;
    done_.store(0, std::memory_order_relaxed);
    const auto threads = static_cast<unsigned>(workers_.size() + 1);
    start_round();
    do_share(0, threads);
    for (unsigned finished; (finished = done_.load(std::memory_order_acquire)) + 1 < threads;)
      done_.wait(finished);
  }

 private:
  void start_round() {
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  void do_share(unsigned index, unsigned threads) {
    const std::size_t share = (count_ / threads + 63) / 64 * 64;
    const std::size_t first = std::min(count_, share * index);
    const std::size_t last = index + 1 == threads ? count_ : std::min(count_, first + share);
    body_(first, last, context_);
  }

  std::vector<std::thread> workers_;
  std::atomic<unsigned> round_{0}, done_{0};
  std::size_t count_ = 0;
  void (*body_)(std::size_t, std::size_t, void*) = nullptr;
  void* context_ = nullptr;
  bool stop_ = false;
};

}  // namespace

const cpu_loops& best_cpu_loops(results_of_loops where) {
  [[maybe_unused]] const bool bypass = where == results_of_loops::bypass_caches;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return bypass ? avx512::table<true> : avx512::table<false>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return bypass ? avx2::table<true> : avx2::table<false>;
#endif
  return plain::all;
}

void on_all_threads(std::size_t count, void (*body)(std::size_t first, std::size_t last, void* context),
                    void* context) {
  static crew only;
  only.run(count, body, context);
}

}  // namespace sinter_bench
