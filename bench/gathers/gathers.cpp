// Reads at indices that are values: rows and single elements of a table four times as large as the
// second-level cache of a GPU, beside copies of as many bytes, and on the CPU beside plain loops.

#include "../benchmarks.hpp"
#include "../comparison.hpp"
#include "../limits/cpu_limits.hpp"
#include "../limits/cpu_loops.hpp"
#include "../limits/cuda_limits.hpp"
#include "../random_data.hpp"
#include "../random_indices.hpp"

#include <sinter/sinter.hpp>

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sinter_bench {
namespace {

using namespace sinter;

constexpr std::int64_t table_elements = std::int64_t{1} << 26;  // 256 MiB

/// A call, the bytes that it touches, and on the CPU the plain loop.
struct gather_workload {
  side subject;
  std::function<void(std::size_t first, std::size_t last)> loop;  ///< of results
  std::size_t results = 0;
};

/// Rows of some elements at indices; rows of one are single elements.
template <class Function>
gather_workload make_rows(device on, const Function& function, std::int64_t width, std::int64_t count,
                          drawn how) {
  struct data {
    array<float, 2> table;
    array<int, 1> indices;
    array<float, 2> result;
  };
  const std::int64_t extent = table_elements / width;
  const std::vector<int> indices = draw_indices(how, count, extent);
  const auto held = std::make_shared<data>(data{random_array<float, 2>({extent, width}, on),
                                                array<int, 1>::from(indices, {count}, on),
                                                array<float, 2>({count, width}, on)});
  gather_workload made;
  made.subject.call = [held, function] { function.into(held->result)(held->table, held->indices); };
  if (on != device::cpu()) made.subject.wait = [on] { synchronize(on); };
  made.subject.bytes = static_cast<double>(count) * static_cast<double>(4 + 8 * width);
  made.results = static_cast<std::size_t>(count * width);
  if (on != device::cpu()) return made;
  const auto expected = std::make_shared<std::vector<float>>(made.results);
  made.loop = [held, expected, width](std::size_t first, std::size_t last) {
    const float* const table = held->table.data();
    const int* const index = held->indices.data();
    float* const to = expected->data();
    const auto columns = static_cast<std::size_t>(width);
    for (std::size_t row = first / columns; row < last / columns; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        to[row * columns + column] = table[static_cast<std::size_t>(index[row]) * columns + column];
  };
  made.subject.call();
  made.loop(0, made.results);
  if (held->result.to_vector() != *expected) throw std::runtime_error("the loop's result differs");
  return made;
}

side loop_of(const gather_workload& of) {
  side made;
  made.call = [loop = of.loop, results = of.results] { on_all_threads(results, loop); };
  made.bytes = of.subject.bytes;
  return made;
}

void add_rows(device on, std::int64_t width, std::int64_t count, drawn how) {
  const auto rows =
      fuse("gathered_rows", [](auto table, auto indices) { return take(table, indices, axis<0>); });
  const bool is_cpu = on == device::cpu();
  for (const bool beside_loop : {false, true}) {
    if (beside_loop && !is_cpu) continue;
    add({.name = fmt::format("{}/gather_{}_{}{}", is_cpu ? "cpu" : "cuda",
                             width == 1 ? "elements" : fmt::format("rows_{}", 4 * width),
                             drawn_names[static_cast<std::size_t>(how)], beside_loop ? "_beside_loop" : ""),
         .limit_name = beside_loop ? "a plain loop" : "a copy of as many bytes",
         .judgement = judged_by::bandwidth,
         .goal = beside_loop                            ? 1
                 : width >= 32 && how == drawn::uniform ? 0.97
                                                        : 0,
         .make = [=] {
           const gather_workload workload = make_rows(on, rows, width, count, how);
           return sides{workload.subject, beside_loop ? loop_of(workload)
                                          : is_cpu    ? cpu_copy(workload.subject.bytes)
                                                      : cuda_copy(workload.subject.bytes)};
         }});
  }
}

void add_on(device on) {
  const std::int64_t elements = on == device::cpu() ? std::int64_t{1} << 23 : std::int64_t{1} << 26;
  for (const std::int64_t width : {32, 256}) add_rows(on, width, elements / width, drawn::uniform);
  for (const drawn how : {drawn::sorted, drawn::zipf, drawn::equal}) add_rows(on, 32, elements / 32, how);
  for (const drawn how : {drawn::uniform, drawn::sorted, drawn::zipf, drawn::equal})
    add_rows(on, 1, elements / 4, how);
}

}  // namespace

void add_gathers() {
  if (has_cuda() && !current_settings().on_cpu) add_on(device::cuda(0));
  if (has_cpu_compiler()) add_on(device::cpu());
}

}  // namespace sinter_bench
