#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/program_search.hpp>

namespace sinter::inline v0::runtime {

std::string find_program(const std::vector<std::string>& names, const std::vector<std::string>& folders) {
  std::vector<std::string> places;
  const std::string path = environment_value("PATH");
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::string_view place = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), place.size() + 1));
    if (!place.empty()) places.emplace_back(place);
  }
  places.insert(places.end(), folders.begin(), folders.end());
  for (const std::string& name : names)
    for (const std::string& place : places) {
      std::string candidate = place;
      candidate.append("/").append(name);
      struct stat found{};
      if (::stat(candidate.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
          ::access(candidate.c_str(), X_OK) == 0)
        return candidate;
    }
  return {};
}

}  // namespace sinter::inline v0::runtime
