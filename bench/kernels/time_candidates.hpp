#pragma once
// A program under other schedules of its heaviest stage, for the development of what chooses them.

#include "candidate_table.hpp"
#include "machine.hpp"
#include "program.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace sinter_bench {

/// A line of JSON: the schedules that are given, or the one that the lowering pass chooses and up to `most`
/// others, with the microseconds of a call under each (the median of three that begin with cold caches, by
/// turns) and the hash of the stage's text. One that takes four times as long as the chosen one in the first
/// turn gets no more. Compiles on `threads` threads; ends the turns after `seconds`.
std::string time_candidates(const program& of, machine& on, std::span<const timed_candidate> given,
                            std::size_t most, unsigned threads, double seconds);

}  // namespace sinter_bench
