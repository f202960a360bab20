// Loops with early exit, each beside the same by hand: a CUDA kernel of one thread for each element, or
// vectors with masks on the CPU.

#include "benchmarks.hpp"
#include "comparison.hpp"
#include "limits/body_kernels.hpp"
#include "limits/cpu_limits.hpp"
#include "limits/cuda_limits.hpp"

#include <sinter/sinter.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

namespace sinter_bench {
namespace {

using namespace sinter;

const auto mandelbrot = fuse("mandelbrot", [](auto re, auto im) {
  auto [x, y, n] = repeat_while(
      [](auto x, auto y, auto n) { return x * x + y * y < 4.0f && n < mandelbrot_steps; }, 0.0f, 0.0f,
      scalar<std::int32_t>(0),
      [&](auto x, auto y, auto n) { return std::tuple(x * x - y * y + re, 2.0f * x * y + im, n + 1); });
  return n;
});

const auto march = fuse("sphere_march", [](auto u, auto v) {
  const auto length = sqrt(u * u + (v * v + 1.0f));
  const auto dx = u / length, dy = v / length, dz = 1.0f / length;
  auto [t, d, n] =
      repeat_while([](auto t, auto d, auto n) { return d > 1e-3f && t < 20.0f && n < march_steps; }, 0.0f,
                   1.0f, scalar<std::int32_t>(0),
                   [&](auto t, auto, auto n) {
                     const auto px = t * dx, py = t * dy, pz = t * dz - 4.0f;
                     const auto nearest = fmin(sqrt(px * px + (py * py + pz * pz)) - 1.0f, py + 1.0f);
                     return std::tuple(t + nearest, nearest, n + 1);
                   });
  return t;
});

template <class Result>
struct images {
  array<float, 1> along, across;
  array<Result, 2> ours, by_hand;
};

template <class Result>
std::shared_ptr<images<Result>> image_of(float left, float right, float bottom, float top, device on) {
  const std::int64_t side = std::max<std::int64_t>(64, 4096 >> (current_settings().shrink / 2));
  return std::make_shared<images<Result>>(
      images<Result>{linspace<float>(left, right, side, on), linspace<float>(bottom, top, side, on),
                     array<Result, 2>({side, side}, on), array<Result, 2>({side, side}, on)});
}

/// Rays and points near an edge may take another way by the last bit of a step; all others are the same.
template <class Result>
void check_agreement(const images<Result>& of) {
  const std::vector<Result> ours = of.ours.to_vector(), by_hand = of.by_hand.to_vector();
  std::size_t apart = 0;
  for (std::size_t i = 0; i < ours.size(); ++i)
    apart += std::abs(static_cast<double>(ours[i]) - static_cast<double>(by_hand[i])) >
             1e-3 * (1 + std::abs(static_cast<double>(by_hand[i])));
  if (apart * 1000 > ours.size())
    throw std::runtime_error(fmt::format("{} of {} elements differ from those by hand", apart, ours.size()));
}

template <class Result, class Function>
sides beside_hand(const std::shared_ptr<images<Result>>& held, const Function& function,
                  side (*by_hand)(const image_arrays&, Result*), device on) {
  sides made;
  made.subject.call = [held, function] {
    function.into(held->ours)(held->along, held->across(all(), newaxis));
  };
  if (on != device::cpu()) made.subject.wait = [on] { synchronize(on); };
  const std::int64_t side = held->along.size();
  made.limit = by_hand({held->along.data(), held->across.data(), side, side}, held->by_hand.data());
  made.limit.call = [held, call = made.limit.call] { call(); };
  for (const struct side* each : {&made.subject, &made.limit}) {
    each->call();
    if (each->wait) each->wait();
  }
  check_agreement(*held);
  return made;
}

void add_on(device on) {
  const bool is_cpu = on == device::cpu();
  const std::string prefix = is_cpu ? "cpu/" : "cuda/";
  // 0.98 of a kernel by hand; on the CPU at most the time of the loop by hand
  const double times = is_cpu ? 1.0 : 1 / 0.98;
  add({.name = prefix + "mandelbrot",
       .limit_name = is_cpu ? "vectors with masks by hand" : "a kernel by hand",
       .judgement = judged_by::times,
       .goal = times,
       .make =
           [on, is_cpu] {
             return beside_hand(image_of<std::int32_t>(-2, 0.5f, -1.25f, 1.25f, on), mandelbrot,
                                is_cpu ? cpu_mandelbrot_by_hand : cuda_mandelbrot_by_hand, on);
           },
       .scales = true});
  add({.name = prefix + "sphere_march",
       .limit_name = is_cpu ? "vectors with masks by hand" : "a kernel by hand",
       .judgement = judged_by::times,
       .goal = times,
       .make =
           [on, is_cpu] {
             return beside_hand(image_of<float>(-1, 1, -0.7f, 1, on), march,
                                is_cpu ? cpu_march_by_hand : cuda_march_by_hand, on);
           },
       .scales = true});
}

}  // namespace

void add_bodies() {
  if (has_cuda() && !current_settings().on_cpu) add_on(device::cuda(0));
  if (has_cpu_compiler()) add_on(device::cpu());
}

}  // namespace sinter_bench
