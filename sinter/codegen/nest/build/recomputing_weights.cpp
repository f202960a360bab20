#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/build/recomputing_weights.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace sinter::inline v0 {
namespace {

constexpr std::int64_t any_length = std::numeric_limits<std::int64_t>::max();

/// A multiprocessor adds for 128 threads in a cycle, and its nearest cache delivers 128 bytes: one operation
/// for each byte of the lines in which near elements lie. Windows of contiguous rows are loaded once for
/// several elements, transposed ones through tiles. Reads of one line each reach the rate of 19 bytes from
/// memory each (thresholds.cpp, bytes_of_a_lookup), about 130 operations; blocks of several rows halve that.
/// In the time of a byte from memory an H200 issues 4 additions as bare kernels measure it (bench/kernels/),
/// 7 at its peak; here with a margin. A launch takes 3 us, in which an H100 issues about 50 million. The
/// numbers were chosen by the times of drawn pipelines, among which 10 to 40 million for a launch differ by
/// less than they vary (bench/results/2026-11-26-nvidia-h100-pipelines.md).
/// Registers of a thread bound what stays resident, which the schedule decides later: rows of any length
/// count as resident.
constexpr recomputing_weights gpu_weights{.memory_byte = 15,
                                          .stage_weight = 30'000'000,
                                          .operation_bytes = 4,
                                          .contiguous_read = 1,
                                          .near_read = 8,
                                          .transposed_read = 10,
                                          .far_read = 64,
                                          .near_byte = 1,
                                          .near_read_of_rows = 8,
                                          .min_times = 2,
                                          .repeats_broadcasts = true,
                                          .max_resident_row_extent = any_length,
                                          .max_resident_column_extent = any_length};

/// A core moves a byte in the time of about two operations of eight float32, packs rows of a short step in
/// vectors, and others element by element. None of the numbers was measured on its own
/// (bench/results/2026-11-25-two-core-x86-64-pipelines.md). A value that is computed once may be, in another
/// order than its nest's.
constexpr recomputing_weights cpu_weights{.memory_byte = 2,
                                          .stage_weight = 0,
                                          .operation_bytes = 16,
                                          .contiguous_read = 1,
                                          .near_read = 6,
                                          .transposed_read = 12,
                                          .far_read = 30,
                                          .near_byte = 0,
                                          .near_read_of_rows = 20,
                                          .min_times = 1,
                                          .repeats_broadcasts = false,
                                          .max_resident_row_extent = 1 << 14,
                                          .max_resident_column_extent = 1 << 8};

constexpr std::uint64_t max_near_step = 8;

}  // namespace

const recomputing_weights& recomputing_weights_of(target_kind target) {
  return is_gpu(target) ? gpu_weights : cpu_weights;
}

std::int64_t nearest_step(std::span<const std::int64_t> steps) {
  std::int64_t nearest = 0;
  for (const std::int64_t each : steps)
    if (each != 0 && (nearest == 0 || std::abs(each) < std::abs(nearest))) nearest = each;
  return nearest;
}

std::uint64_t weight_of_operation(const recomputing_weights& weights, operation op, std::size_t bytes) {
  return weight_of(op) * divide_up<std::uint64_t>(bytes, weights.operation_bytes);
}

std::uint64_t weight_of_read(const recomputing_weights& weights, read_steps steps, std::size_t bytes,
                             bool of_rows) {
  const auto step = static_cast<std::uint64_t>(std::abs(steps.along));
  const std::uint64_t parts = divide_up<std::uint64_t>(bytes, weights.operation_bytes);
  if (steps.along == 0 || steps.along == 1) return parts * weights.contiguous_read;
  if (step > max_near_step) return parts * (steps.nearest == 1 ? weights.transposed_read : weights.far_read);
  return std::max(of_rows ? weights.near_read_of_rows : weights.near_read, weights.near_byte * step * bytes);
}

}  // namespace sinter::inline v0
