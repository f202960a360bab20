#pragma once
// What tuning with a budget finds of a program, beside the search of every legal schedule.

#include "machine.hpp"
#include "program.hpp"

#include <string>

namespace sinter_bench {

/// Seconds of the two searches.
struct tuning_budgets {
  double tuned = 5;
  double whole = 120;  ///< longer than the candidates of any drawn program take; 0: no second search
};

/// Tunes a program with a budget, then with that of the search of every schedule, and times both winners and
/// the default in turns. A line of JSON: the times, the number of legal schedules and of those that the
/// budget had time for.
std::string time_tuning(const program& of, machine& on, const tuning_budgets& budgets);

}  // namespace sinter_bench
