// Random numbers: uniforms beside writing as many floats, normals beside a kernel by hand, and on the CPU
// both beside plain loops over all threads.

#include "../benchmarks.hpp"
#include "../comparison.hpp"
#include "../limits/cpu_limits.hpp"
#include "../limits/cpu_loops.hpp"
#include "../limits/cuda_limits.hpp"
#include "draw_kernels.hpp"

#include <sinter/rng.hpp>
#include <sinter/sinter.hpp>

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace sinter_bench {
namespace {

using namespace sinter;

constexpr std::uint64_t seed = 7;

/// The draws of a call, which are compared with those by hand before anything is timed.
template <class Function>
sides make_draws(device on, const Function& function, drawn_numbers what, std::int64_t count,
                 bool is_written) {
  const bool is_cpu = on == device::cpu();
  struct data {
    array<float, 1> drawn, other;
  };
  const auto held = std::make_shared<data>(data{array<float, 1>({count}, on), array<float, 1>({count}, on)});
  sides made;
  made.subject.call = [held, function] { function.into(held->drawn)(held->other); };
  made.subject.bytes = 4 * static_cast<double>(count);
  if (!is_cpu) made.subject.wait = [on] { synchronize(on); };
  float* const to = held->other.data();
  const auto by_hand = [&] {
    if (!is_cpu) return cuda_draw_by_hand(what, to, count, seed);
    side loop;
    loop.bytes = made.subject.bytes;
    loop.call = [held, to, what, count] {
      on_all_threads(static_cast<std::size_t>(count),
                     [=](std::size_t first, std::size_t last) { draw_plainly(what, to, first, last, seed); });
    };
    return loop;
  };
  made.limit = by_hand();
  made.subject.call();
  made.limit.call();
  if (!is_cpu) synchronize(on);
  const std::vector<float> drawn = held->drawn.to_vector(), expected = held->other.to_vector();
  for (std::size_t i = 0; i < drawn.size(); ++i)
    if (!(std::fabs(drawn[i] - expected[i]) <= 1e-5f * (1 + std::fabs(expected[i]))))
      throw std::runtime_error(fmt::format("number {} is {}, by hand {}", i, drawn[i], expected[i]));
  if (is_written) made.limit = cuda_write(to, count);
  made.limit.call = [held, call = made.limit.call] { call(); };
  return made;
}

template <class Function>
void add_draw(device on, std::string_view name, const Function& function, drawn_numbers what, bool is_written,
              double goal) {
  const bool is_cpu = on == device::cpu();
  const std::int64_t count = std::int64_t{1} << (is_cpu ? 22 : 28);
  add({.name =
           fmt::format("{}/draw_{}{}", is_cpu ? "cpu" : "cuda", name, is_written ? "_beside_writing" : ""),
       .limit_name = is_cpu       ? "a plain loop"
                     : is_written ? "writing as many floats"
                                  : "a kernel by hand",
       .judgement = judged_by::bandwidth,
       .goal = goal,
       .make = [=] { return make_draws(on, function, what, count, is_written); }});
}

void add_on(device on) {
  const auto uniforms = fuse("drawn_uniforms", [](auto like) { return rng::uniform(like, 7); });
  const auto normals = fuse("drawn_normals", [](auto like) { return rng::normal(like, 7); });
  const bool is_cpu = on == device::cpu();
  if (!is_cpu) add_draw(on, "uniforms", uniforms, drawn_numbers::uniform, true, 0.9);
  add_draw(on, "uniforms", uniforms, drawn_numbers::uniform, false, is_cpu ? 1 : 0);
  add_draw(on, "normals", normals, drawn_numbers::normal, false, is_cpu ? 1 : 0.95);
}

}  // namespace

void add_draws() {
  if (has_cuda() && !current_settings().on_cpu) add_on(device::cuda(0));
  if (has_cpu_compiler()) add_on(device::cpu());
}

}  // namespace sinter_bench
