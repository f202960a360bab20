// Reductions over all row lengths, column counts and sizes. Bandwidth must not drop where one schedule
// replaces another.

#include "sweeps.hpp"

#include "../benchmarks.hpp"
#include "../comparison.hpp"
#include "../limits/cpu_limits.hpp"
#include "../limits/cub_limits.hpp"
#include "../limits/cuda_limits.hpp"
#include "workload_data.hpp"

#include <sinter/runtime/stream.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace sinter_bench {
namespace {

constexpr int swept_exponent = 28;      // 1 GiB of float32: a partial last wave of blocks hardly counts
constexpr double batch_seconds = 8e-3;  // a sweep has many points
constexpr std::int64_t max_kept_extent = 1 << 19;  // rows of float32 that the chip holds

device chosen_device() { return current_settings().on_cpu ? device::cpu() : device::cuda(0); }
std::string prefix() { return current_settings().on_cpu ? "cpu/" : "cuda/"; }
side large_copy() { return current_settings().on_cpu ? large_cpu_copy() : large_cuda_copy(); }

side side_of(const workload_instance& instance) {
  side made;
  made.call = instance.call;
  made.wait = [where = chosen_device()] { synchronize(where); };
  made.bytes = instance.bytes;
  return made;
}

/// "2^12" or "3000": powers of two are shown as such.
std::string name_of(std::int64_t extent) {
  const auto bits = static_cast<std::uint64_t>(extent);
  return std::has_single_bit(bits) ? fmt::format("2^{}", std::countr_zero(bits)) : fmt::format("{}", extent);
}

using maker = workload_instance (*)(std::int64_t elements, std::int64_t extent, device where);

void add_point(const std::string& sweep, std::int64_t extent, double goal, maker make) {
  add({.name = prefix() + sweep + "/" + name_of(extent),
       .limit_name = "a large copy",
       .goal = current_settings().on_cpu ? 0 : goal,
       .make =
           [make, extent] {
             const workload_instance instance = make(count_of(swept_exponent), extent, chosen_device());
             check_written(instance, chosen_device());
             return sides{side_of(instance), large_copy()};
           },
       .scales = true,
       .extent = static_cast<double>(extent),
       .batch_seconds = batch_seconds});
}

side cub_side(const full_sum& of, std::int64_t count) {
  side made = cub_sum(of.input, count);
  made.bytes = of.instance.bytes;
  return made;
}

}  // namespace

void add_row_lengths() {
  for (const std::int64_t length : swept_lengths(count_of(swept_exponent))) {
    add_point("row_lengths/softmax", length, length > max_kept_extent ? 0.66 : 0.85, make_softmax_rows);
    add_point("row_lengths/row_sum", length, 0.9, make_row_sums);
  }
}

void add_column_counts() {
  for (const std::int64_t columns : swept_columns(count_of(swept_exponent)))
    add_point("column_counts/col_sum", columns, 0, make_column_sums);
}

void add_reduction_sizes() {
  const bool beside_cub = !current_settings().on_cpu && why_no_cub().empty();
  for (int exponent = 10; exponent <= 30; exponent += 2) {
    const int shrunk = exponent - current_settings().shrink;
    if (shrunk < 10) continue;
    const std::int64_t count = std::int64_t{1} << shrunk;
    add({.name = fmt::format("{}reduction_sizes/2^{}", prefix(), shrunk),
         .limit_name = beside_cub ? "cub::DeviceReduce::Sum" : "a large copy",
         .make =
             [count, beside_cub] {
               const full_sum made = make_full_sum(count, chosen_device());
               check_written(made.instance, chosen_device());
               return sides{side_of(made.instance), beside_cub ? cub_side(made, count) : large_copy()};
             },
         .extent = static_cast<double>(count),
         .batch_seconds = batch_seconds});
  }
}

}  // namespace sinter_bench
