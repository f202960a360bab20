#pragma once
// What a GPU does to run a nest under a schedule: the quantities that the cost model adds up.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/model/nest_work.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstdint>

namespace sinter::inline v0 {

struct kernel_work {
  bool reads_again = false;            ///< several loops go over the elements of rows, and scan nothing
  std::int64_t blocks = 0, warps = 0;  ///< blocks of the launch, and warps of each
  std::int64_t resident_blocks = 1;    ///< of a multiprocessor at the same time
  std::int64_t registers = 0;          ///< of a thread
  std::int64_t spilled = 0;            ///< registers that it would need beyond those that it can have
  std::int64_t chunks = 0;             ///< a thread works through one after another, in all loops
  std::int64_t waits = 0;              ///< times that a thread waits for others of its block
  std::int64_t cluster_waits = 0;      ///< blocks of its cluster that it waits for, in all
  std::int64_t shared_steps = 0;       ///< of its loops over elements in shared memory

  // In all warps together.
  instruction_counts instructions{};
  std::int64_t lookups = 0;         ///< of cache lines
  std::int64_t sectors = 0;         ///< between the caches of multiprocessors and the second-level cache
  std::int64_t memory_sectors = 0;  ///< between that and memory, at least
  std::int64_t memory_pages = 0;    ///< that blocks touch, each for itself
};

/// Sectors between the second-level cache and memory, under any schedule: what fits the cache is read from
/// memory once.
std::int64_t memory_sectors_of(const nest_work& work, const target_facts& target);

/// `work` is the nest's, with what the schedule keeps resident.
kernel_work work_of(const nest& loop_nest, const nest_work& work, const schedule& chosen,
                    const target_facts& target);

}  // namespace sinter::inline v0
