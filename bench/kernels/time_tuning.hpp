#pragma once
// What tuning with a budget finds of a program, beside the search of every legal schedule.

#include "machine.hpp"
#include "program.hpp"

#include <string>

namespace sinter_bench {

/// Tunes a program with a budget in seconds, then without one, and times both winners and the default in
/// turns. A line of JSON: the times, the number of legal schedules and of those that the budget had time for.
std::string time_tuning(const program& of, machine& on, double budget);

}  // namespace sinter_bench
