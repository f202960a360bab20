// Convolutions with short kernels and gradients, beside copies of the bytes that they read and write, and on
// the CPU beside plain loops.

#include "../benchmarks.hpp"
#include "../comparison.hpp"
#include "../limits/cpu_limits.hpp"
#include "../limits/cpu_loops.hpp"
#include "../limits/cuda_limits.hpp"
#include "../random_data.hpp"

#include <sinter/sinter.hpp>

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace sinter_bench {
namespace {

using namespace sinter;

/// A call, the bytes that it reads and writes, and on the CPU the plain loop.
struct stencil_workload {
  side subject;
  std::function<void()> loop;
};

struct stencil_data {
  array<float, 1> x, kernel, result;
  std::vector<float> expected;
};

std::shared_ptr<stencil_data> make_data(device on, std::int64_t length) {
  const int shrink = current_settings().shrink;
  const std::int64_t elements =
      (on == device::cpu() ? std::int64_t{1} << 24 : std::int64_t{1} << 28) >> shrink;
  return std::make_shared<stencil_data>(
      stencil_data{random_array<float, 1>({elements}, on, distribution::half_to_one_and_a_half),
                   random_array<float, 1>({length}, on, distribution::half_to_one_and_a_half),
                   array<float, 1>({elements}, on), std::vector<float>(static_cast<std::size_t>(elements))});
}

void check(const stencil_data& held) {
  const std::vector<float> got = held.result.to_vector();
  for (std::size_t i = 0; i < got.size(); ++i)
    if (std::abs(got[i] - held.expected[i]) > 1e-4f * (1 + std::abs(held.expected[i])))
      throw std::runtime_error("the loop's result differs");
}

template <class Call, class Loop>
stencil_workload make_workload(device on, const std::shared_ptr<stencil_data>& held, Call call, Loop loop) {
  stencil_workload made;
  made.subject.call = call;
  if (on != device::cpu()) made.subject.wait = [on] { synchronize(on); };
  made.subject.bytes = 8.0 * static_cast<double>(held->expected.size());
  if (on != device::cpu()) return made;
  made.loop = [held, loop] { on_all_threads(held->expected.size(), loop); };
  made.subject.call();
  made.loop();
  check(*held);
  return made;
}

stencil_workload make_convolution(device on, std::int64_t length) {
  const auto held = make_data(on, length);
  const auto function =
      fuse("convolution", [](auto x, auto kernel) { return convolve(x, kernel, convolution::same); });
  const auto call = [held, function] { function.into(held->result)(held->x, held->kernel); };
  const auto loop = [held](std::size_t first, std::size_t last) {
    const float* const x = held->x.data();
    const float* const kernel = held->kernel.data();
    const auto n = static_cast<std::int64_t>(held->expected.size()), m = held->kernel.shape()[0];
    for (auto i = static_cast<std::int64_t>(first); i < static_cast<std::int64_t>(last); ++i) {
      float sum = 0;
      const std::int64_t begin = i + (m - 1) / 2;
      if (begin < n && begin - m + 1 >= 0)
        for (std::int64_t j = 0; j < m; ++j) sum += kernel[j] * x[begin - j];
      else
        for (std::int64_t j = 0; j < m; ++j)
          if (begin - j >= 0 && begin - j < n) sum += kernel[j] * x[begin - j];
      held->expected[static_cast<std::size_t>(i)] = sum;
    }
  };
  return make_workload(on, held, call, loop);
}

stencil_workload make_gradient(device on) {
  const auto held = make_data(on, 1);
  const auto function = fuse("gradient", [](auto x, auto step) { return gradient(x, step); });
  const auto call = [held, function] { function.into(held->result)(held->x, 0.1f); };
  const auto loop = [held](std::size_t first, std::size_t last) {
    const float* const x = held->x.data();
    const std::size_t end = held->expected.size() - 1;
    const float step = 0.1f;
    for (std::size_t i = first; i < last; ++i)
      held->expected[i] = i == 0     ? (x[1] - x[0]) / step
                          : i == end ? (x[end] - x[end - 1]) / step
                                     : (x[i + 1] - x[i - 1]) / (2 * step);
  };
  return make_workload(on, held, call, loop);
}

/// One beside a copy of as many bytes, and on the CPU one beside the loop.
template <class Make>
void add_workload(device on, const std::string& name, Make make) {
  const bool is_cpu = on == device::cpu();
  for (const bool beside_loop : {false, true}) {
    if (beside_loop && !is_cpu) continue;
    add({.name = fmt::format("{}/{}{}", is_cpu ? "cpu" : "cuda", name, beside_loop ? "_beside_loop" : ""),
         .limit_name = beside_loop ? "a plain loop" : "a copy of as many bytes",
         .judgement = judged_by::bandwidth,
         .goal = beside_loop ? 1.0 : 0.0,
         .make = [=] {
           const stencil_workload workload = make(on);
           if (!beside_loop)
             return sides{workload.subject,
                          is_cpu ? cpu_copy(workload.subject.bytes) : cuda_copy(workload.subject.bytes)};
           side loop;
           loop.call = workload.loop;
           loop.bytes = workload.subject.bytes;
           return sides{workload.subject, loop};
         }});
  }
}

void add_on(device on) {
  for (const std::int64_t length : {5, 15})
    add_workload(on, fmt::format("convolve_{}", length),
                 [=](device where) { return make_convolution(where, length); });
  add_workload(on, "gradient", [](device where) { return make_gradient(where); });
}

}  // namespace

void add_stencils() {
  if (has_cuda() && !current_settings().on_cpu) add_on(device::cuda(0));
  if (has_cpu_compiler()) add_on(device::cpu());
}

}  // namespace sinter_bench
