#pragma once
// What the CPU allows: loops written by hand for its widest registers, over all threads that Sinter would
// use, and plain copies of memory.

#include <cstddef>

namespace sinter_bench {

/// Elements of a row of the softmax by hand.
inline constexpr std::size_t softmax_length = 4096;

/// The loops of one width of register, over elements [first, last).
struct cpu_loops {
  const char* name;
  void (*copy)(const float* x, float* out, std::size_t first, std::size_t last);
  void (*axpy)(float a, const float* x, const float* y, float* out, std::size_t first, std::size_t last);
  /// x = 1.0001 * x + 0.5, in place.
  void (*grow)(float* x, std::size_t first, std::size_t last);
  float (*sum)(const float* x, std::size_t first, std::size_t last);
  /// where(a > b, sin(a) * exp(b), sqrt(a))
  void (*sin_exp)(const float* a, const float* b, float* out, std::size_t first, std::size_t last);
  /// Softmax of rows [first, last).
  void (*softmax)(const float* x, float* out, std::size_t first, std::size_t last);
};

enum class results_of_loops { bypass_caches, go_to_caches };

/// The widest that this processor has: AVX-512, else AVX2, else plain C++, whose results always go to the
/// caches.
const cpu_loops& best_cpu_loops(results_of_loops where = results_of_loops::bypass_caches);

/// Calls body(first, last) on every thread, with an equal share of [0, count); shares begin at multiples
/// of 64. The threads persist between calls: they spin for a while and then sleep, as in a thread library.
void on_all_threads(std::size_t count, void (*body)(std::size_t first, std::size_t last, void* context),
                    void* context);
template <class Body>
void on_all_threads(std::size_t count, Body body) {
  on_all_threads(
      count,
      [](std::size_t first, std::size_t last, void* context) { (*static_cast<Body*>(context))(first, last); },
      &body);
}

}  // namespace sinter_bench
