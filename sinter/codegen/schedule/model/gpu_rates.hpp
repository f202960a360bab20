#pragma once
// How fast a GPU does what kernels are made of: the numbers of the cost model, one row for each model of GPU
// that was measured.

#include <sinter/codegen/target/target.hpp>

#include <cstdint>
#include <string_view>

namespace sinter::inline v0 {

/// The unit of times in a clock cycle, and that of shares in one.
inline constexpr std::int64_t rates_in_cycle = 16, shares_in_whole = 1024;

/// Rates that no kernel shows alone, fitted to the times of drawn kernels under their candidates
/// (bench/kernels/fit_rates.py). They stand for what the model leaves out, too, which differs between
/// kernels.
struct fitted_rates {
  std::int64_t sector;      ///< between a multiprocessor and the second-level cache, in sixteenths of a cycle
  std::int64_t latency;     ///< cycles from a chunk's loads to its first result
  std::int64_t dependence;  ///< from one instruction of a warp to the next, in sixteenths of a cycle
  std::int64_t wait;        ///< cycles that the threads of a block wait for each other
  std::int64_t cluster_wait;  ///< cycles that a block waits for each one of its cluster
  std::int64_t shared_step;   ///< cycles of a step over elements in shared memory
  std::int64_t spill;         ///< share of a kernel's instructions that a spilled register adds, in 1/1024
  std::int64_t memory_page;   ///< more for a page of memory, each time that a block touches it, in sixteenths
};

/// Times are in sixteenths of a clock cycle of one multiprocessor, if nothing else is said.
struct gpu_rates {
  std::string_view model;
  std::int64_t multiprocessors, megahertz;
  // Measured by kernels that do nothing else (sinter_tune --calibrate).
  std::int64_t instruction;    ///< of a warp
  std::int64_t integer;        ///< more for one of integers
  std::int64_t float64;        ///< more for one of float64
  std::int64_t special;        ///< more for an approximation
  std::int64_t lookup;         ///< of a cache line
  std::int64_t memory_sector;  ///< to or from memory, if all multiprocessors have one
  std::int64_t launch;         ///< cycles of an empty launch
  std::int64_t block;          ///< cycles of a multiprocessor from the launch of one block to the next
  /// Of nests that loop several times over the elements of a row or a column, without scans; of all others.
  fitted_rates rows_again, others;
};

/// The table of a GPU: of its model if that was measured, else that of the nearest one with what follows from
/// its facts. `is_estimated` says which.
struct rates_of_gpu {
  gpu_rates rates;
  bool is_estimated = false;
};
rates_of_gpu gpu_rates_of(const target_facts& target);

}  // namespace sinter::inline v0
