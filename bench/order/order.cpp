// Sorts, beside cub::DeviceRadixSort on a GPU, and beside std::sort on the CPU.

#include "../benchmarks.hpp"
#include "../comparison.hpp"
#include "../limits/cpu_limits.hpp"
#include "../limits/cpu_loops.hpp"
#include "../limits/cub_limits.hpp"
#include "../limits/cuda_limits.hpp"
#include "../random_data.hpp"

#include <sinter/sinter.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace sinter_bench {
namespace {

using namespace sinter;

struct sort_data {
  array<float, 2> x, result;
};

/// What is sorted: rows, and how their elements are drawn.
struct sort_shape {
  const char* name;
  std::int64_t rows, length;
};
constexpr sort_shape shapes[] = {
    {"row", 1, std::int64_t{1} << 26},
    {"rows_of_65536", 1 << 10, 1 << 16},
    {"rows_of_1024", 1 << 16, 1 << 10},
    {"rows_of_32", std::int64_t{1} << 21, 32},
};

std::shared_ptr<sort_data> make_data(device on, const sort_shape& shape) {
  // the CPU sorts a sixteenth of the rows, or of the row
  const std::int64_t less = on == device::cpu() ? 16 : 1;
  const std::int64_t rows = std::max<std::int64_t>(1, shape.rows / less),
                     length = shape.rows == 1 ? shape.length / less : shape.length;
  return std::make_shared<sort_data>(
      sort_data{random_array<float, 2>({rows, length}, on, distribution::half_to_one_and_a_half),
                array<float, 2>({rows, length}, on)});
}

/// Each row by std::sort, on all threads.
std::function<void()> sort_loop(const std::shared_ptr<sort_data>& held,
                                const std::shared_ptr<std::vector<float>>& sorted) {
  return [held, sorted] {
    const auto rows = static_cast<std::size_t>(held->x.shape()[0]),
               length = static_cast<std::size_t>(held->x.shape()[1]);
    on_all_threads(rows, [&](std::size_t first, std::size_t last) {
      std::copy(held->x.data() + first * length, held->x.data() + last * length,
                sorted->begin() + static_cast<std::ptrdiff_t>(first * length));
      for (std::size_t row = first; row < last; ++row)
        std::sort(sorted->begin() + static_cast<std::ptrdiff_t>(row * length),
                  sorted->begin() + static_cast<std::ptrdiff_t>((row + 1) * length));
    });
  };
}

sides make_sort(device on, const sort_shape& shape) {
  const auto held = make_data(on, shape);
  const auto function = fuse("sort", [](auto x) { return sort(x); });
  side subject, limit;
  subject.call = [held, function] { function.into(held->result)(held->x); };
  subject.bytes = limit.bytes = 8.0 * static_cast<double>(held->x.size());
  if (on == device::cpu()) {
    const auto sorted = std::make_shared<std::vector<float>>(held->x.size());
    limit.call = sort_loop(held, sorted);
    subject.call();
    limit.call();
    if (held->result.to_vector() != *sorted) throw std::runtime_error("the loop's result differs");
    return {subject, limit};
  }
  subject.wait = [on] { synchronize(on); };
  if (shape.rows != 1) return {subject, cuda_copy(subject.bytes)};
  limit = cub_sort(held->x.data(), static_cast<std::int64_t>(held->x.size()));
  limit.bytes = subject.bytes;
  return {subject, limit};
}

void add_on(device on) {
  const bool is_cpu = on == device::cpu();
  for (const sort_shape& shape : shapes) {
    const bool beside_cub = !is_cpu && shape.rows == 1;
    if (beside_cub && !why_no_cub().empty()) continue;
    add({.name = fmt::format("{}/sort_{}", is_cpu ? "cpu" : "cuda", shape.name),
         .limit_name = is_cpu       ? "std::sort"
                       : beside_cub ? "cub::DeviceRadixSort::SortKeys"
                                    : "a copy of as many bytes",
         .judgement = judged_by::bandwidth,
         .goal = is_cpu       ? 1.0
                 : beside_cub ? 0.9
                              : 0.0,
         .make = [=] { return make_sort(on, shape); }});
  }
}

}  // namespace

void add_order() {
  if (has_cuda() && !current_settings().on_cpu) add_on(device::cuda(0));
  if (has_cpu_compiler()) add_on(device::cpu());
}

}  // namespace sinter_bench
