#pragma once
// Other schedules of the stage that moves most of a call's memory: half of them those that the cost model
// estimates to be the fastest, the others drawn, of each kind in turn.

#include <sinter/codegen/lowering.hpp>

#include <cstdint>
#include <vector>

namespace sinter_bench {

/// The stage of a lowered call that moves the most bytes; nullptr if there is none with work.
const sinter::stage* heaviest_stage(const sinter::lowered_call& lowered);

/// Schedules that a stage can run under, other than its own: up to `most`, the same for the same seed. For
/// GPUs.
std::vector<sinter::schedule> candidates_of(const sinter::stage& of, const sinter::lowering_request& asked,
                                            std::size_t most, std::uint64_t seed);

}  // namespace sinter_bench
