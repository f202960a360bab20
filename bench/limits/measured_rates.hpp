#pragma once
// The rates of a GPU that kernels show which do nothing else: for the table of the cost model.

#include <sinter/codegen/schedule/model/gpu_rates.hpp>
#include <sinter/runtime/device.hpp>

#include <cstddef>

namespace sinter_bench {

/// Seconds that one more of each takes on the whole device, from the times of two kernels that differ in
/// their number alone.
struct seconds_of_each {
  double add = 0;            ///< addition of float32, of a warp
  double integer = 0;        ///< operation on int32, of a warp
  double float64_add = 0;    ///< addition of float64, of a warp
  double approximation = 0;  ///< exponential in fast mode, of a warp
  double lookup = 0;         ///< cache line that a load looks up
  double sector = 0;         ///< sector from the second-level cache
  double memory_sector = 0;  ///< sector from or to memory
  double block = 0;          ///< block of one warp that does next to nothing
};

/// Runs the kernels, `rounds` times each, and takes medians. Waits for the device.
seconds_of_each measure_gpu(sinter::device where, std::size_t rounds);

/// The rates that follow: an addition takes a quarter of a cycle, which gives the clock, because the
/// multiprocessors of all models that Sinter knows issue four instructions of float32 in one. What is fitted
/// to the times of drawn kernels is `fitted`'s.
sinter::gpu_rates rates_from(const seconds_of_each& measured, const sinter::gpu_rates& fitted);

}  // namespace sinter_bench
