#pragma once
// A committed table of times: programs under their candidates (time_table.py).

#include <sinter/codegen/schedule/schedule.hpp>

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace sinter_bench {

struct timed_candidate {
  double microseconds = 0;
  sinter::schedule chosen;
};

/// By the program's name; the first of each is the schedule that it had by itself.
using times_by_program = std::map<std::string, std::vector<timed_candidate>>;

/// Reads lines "program,microseconds,schedule" after one that names them. Throws std::runtime_error for
/// another line.
times_by_program read_times(std::istream& from);

}  // namespace sinter_bench
