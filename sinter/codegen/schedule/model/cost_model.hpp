#pragma once
// The time of a nest under a schedule on a GPU, estimated. Pure, and the same on every machine: counts and
// rates are integers, and the one root is rounded as IEEE 754 says.

#include <sinter/codegen/schedule/model/gpu_rates.hpp>
#include <sinter/codegen/schedule/model/kernel_work.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace sinter::inline v0 {

/// What a kernel's time can be limited by.
enum class cost_limit : std::uint8_t { instructions, lookups, sectors, memory, latency, blocks };
inline constexpr std::array<std::string_view, 6> cost_limit_names{
    "instructions", "lookups of cache lines", "traffic of the second-level cache", "memory",
    "latency",      "launching of blocks"};

struct kernel_cost {
  std::int64_t cycles = 0;                                     ///< of the whole launch
  std::array<std::int64_t, cost_limit_names.size()> limits{};  ///< what each would take alone, in cycles

  cost_limit tightest() const;
};

kernel_cost cost_of(const kernel_work& work, const gpu_rates& rates);

/// Cycles that no schedule is estimated below: those of the launch and of memory.
std::int64_t min_cycles(std::int64_t memory_sectors, const gpu_rates& rates);

}  // namespace sinter::inline v0
