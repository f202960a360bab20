#include "candidate_table.hpp"

#include <charconv>
#include <cstddef>
#include <istream>
#include <stdexcept>

namespace sinter_bench {

times_by_program read_times(std::istream& from) {
  times_by_program all;
  std::string line;
  std::getline(from, line);  // the names of the columns
  while (std::getline(from, line)) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    double microseconds = 0;
    if (second == std::string::npos ||
        std::from_chars(line.data() + first + 1, line.data() + second, microseconds).ptr !=
            line.data() + second)
      throw std::runtime_error("not a candidate's time: " + line);
    all[line.substr(0, first)].push_back({microseconds, sinter::parse_schedule(line.substr(second + 1))});
  }
  return all;
}

}  // namespace sinter_bench
