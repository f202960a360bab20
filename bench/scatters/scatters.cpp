// Writes at indices that are values: counts, histograms and sums, beside copies of as many bytes as they
// read, and on the CPU beside plain loops whose threads have an array of their own each.

#include "../benchmarks.hpp"
#include "../comparison.hpp"
#include "../limits/cpu_limits.hpp"
#include "../limits/cpu_loops.hpp"
#include "../limits/cuda_limits.hpp"
#include "../random_data.hpp"
#include "../random_indices.hpp"

#include <sinter/sinter.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sinter_bench {
namespace {

using namespace sinter;

/// A call, the bytes that it reads at least, and on the CPU the plain loop.
struct scatter_workload {
  side subject;
  std::function<void()> loop;
};

std::size_t size_of_run(device on) {
  const int shrink = current_settings().shrink;
  return (on == device::cpu() ? std::size_t{1} << 24 : std::size_t{1} << 28) >> shrink;
}

/// Combines what each thread has counted or added for itself.
template <class T, class Loop>
std::function<void()> on_own_arrays(std::size_t updates, std::vector<T>& to, Loop loop) {
  return [updates, &to, loop] {
    std::mutex guard;
    std::ranges::fill(to, T{});
    on_all_threads(updates, [&](std::size_t first, std::size_t last) {
      std::vector<T> own(to.size());
      loop(own.data(), first, last);
      const std::lock_guard lock(guard);
      for (std::size_t i = 0; i < own.size(); ++i) to[i] += own[i];
    });
  };
}

array<float, 1> uniform_numbers(std::int64_t count, device on) {
  return random_array<float, 1>({count}, on, distribution::half_to_one_and_a_half) - 0.5f;
}

template <class T>
void check(const array<T, 1>& result, const std::vector<T>& expected, double tolerance) {
  const std::vector<T> got = result.to_vector();
  for (std::size_t i = 0; i < got.size(); ++i)
    if (std::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i])) >
        tolerance * std::abs(static_cast<double>(expected[i])))
      throw std::runtime_error("the loop's result differs");
}

scatter_workload make_histogram(device on, std::int64_t bins, bool is_constant) {
  struct data {
    array<float, 1> x;
    array<std::int64_t, 1> counts;
    std::vector<std::int64_t> expected;
  };
  const auto elements = static_cast<std::int64_t>(size_of_run(on));
  const auto held = std::make_shared<data>(
      data{is_constant ? full<float>(elements, 0.3f, on) : uniform_numbers(elements, on),
           array<std::int64_t, 1>({bins}, on), std::vector<std::int64_t>(static_cast<std::size_t>(bins))});
  const auto function = fuse("histogram", [](auto x, auto n) { return histogram(x, n, 0.0f, 1.0f); });
  scatter_workload made;
  made.subject.call = [held, function, bins] { function.into(held->counts)(held->x, bins); };
  if (on != device::cpu()) made.subject.wait = [on] { synchronize(on); };
  made.subject.bytes = 4.0 * static_cast<double>(elements);
  if (on != device::cpu()) return made;
  const auto run =
      on_own_arrays(static_cast<std::size_t>(elements), held->expected,
                    [x = held->x.data(), bins](std::int64_t* own, std::size_t first, std::size_t last) {
                      const auto scale = static_cast<float>(bins);
                      for (std::size_t i = first; i < last; ++i)
                        if (x[i] >= 0 && x[i] <= 1)
                          ++own[std::min(static_cast<std::int64_t>(x[i] * scale), bins - 1)];
                    });
  made.loop = [held, run] { run(); };
  made.subject.call();
  made.loop();
  check(held->counts, held->expected, 0);  // bins are powers of two: their edges are exact
  return made;
}

/// Updates of T at indices, added to an array.
template <class T>
scatter_workload make_sums(device on, std::int64_t extent, drawn how) {
  struct data {
    array<int, 1> indices;
    array<T, 1> updates, sums, base;
    std::vector<T> expected;
  };
  const auto elements = static_cast<std::int64_t>(size_of_run(on)) / 4;
  const auto held = std::make_shared<data>(
      data{array<int, 1>::from(draw_indices(how, elements, extent), {elements}, on),
           array<T, 1>(astype<T>(uniform_numbers(elements, on) * 100.0f + 1.0f)), array<T, 1>({extent}, on),
           zeros<T>(extent, on), std::vector<T>(static_cast<std::size_t>(extent))});
  const auto function =
      fuse("sums", [](auto base, auto i, auto updates) { return scatter_add(base, i, updates); });
  scatter_workload made;
  made.subject.call = [held, function] {
    function.into(held->sums)(held->base, held->indices, held->updates);
  };
  if (on != device::cpu()) made.subject.wait = [on] { synchronize(on); };
  made.subject.bytes = static_cast<double>(elements) * (4.0 + sizeof(T));
  if (on != device::cpu()) return made;
  const auto run = on_own_arrays(
      static_cast<std::size_t>(elements), held->expected,
      [i = held->indices.data(), u = held->updates.data()](T* own, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) own[i[k]] += u[k];
      });
  made.loop = [held, run] { run(); };
  made.subject.call();
  made.loop();
  check(held->sums, held->expected, 1e-2);
  return made;
}

/// One beside a copy of as many bytes, and on the CPU one beside the loop.
template <class Make>
void add_workload(device on, const std::string& name, double goal, Make make) {
  const bool is_cpu = on == device::cpu();
  for (const bool beside_loop : {false, true}) {
    if (beside_loop && !is_cpu) continue;
    add({.name = fmt::format("{}/{}{}", is_cpu ? "cpu" : "cuda", name, beside_loop ? "_beside_loop" : ""),
         .limit_name = beside_loop ? "a plain loop" : "a copy of as many bytes",
         .judgement = judged_by::bandwidth,
         .goal = beside_loop ? 1
                 : is_cpu    ? 0
                             : goal,
         .make = [=] {
           const scatter_workload workload = make(on);
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
  for (const std::int64_t bins : {std::int64_t{1} << 8, std::int64_t{1} << 12, std::int64_t{1} << 20})
    for (const bool is_constant : {false, true})
      add_workload(on, fmt::format("histogram_{}_{}", bins, is_constant ? "constant" : "uniform"),
                   bins == 256 ? 0.95 : 0,
                   [=](device where) { return make_histogram(where, bins, is_constant); });
  for (const std::int64_t extent : {std::int64_t{1} << 8, std::int64_t{1} << 20})
    for (const drawn how : {drawn::uniform, drawn::sorted, drawn::zipf, drawn::equal}) {
      const auto name = [&](std::string_view type) {
        return fmt::format("scatter_add_{}_{}_{}", type, extent, drawn_names[static_cast<std::size_t>(how)]);
      };
      add_workload(on, name("int64"), 0,
                   [=](device where) { return make_sums<std::int64_t>(where, extent, how); });
      add_workload(on, name("float32"), 0,
                   [=](device where) { return make_sums<float>(where, extent, how); });
    }
}

}  // namespace

void add_scatters() {
  if (has_cuda() && !current_settings().on_cpu) add_on(device::cuda(0));
  if (has_cpu_compiler()) add_on(device::cpu());
}

}  // namespace sinter_bench
