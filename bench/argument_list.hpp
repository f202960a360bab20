#pragma once
// Lists in arguments of programs: "a,b,c".

#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace sinter_bench {

inline std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> parts;
  for (const auto part : std::views::split(list, ','))
    if (!part.empty()) parts.emplace_back(part.begin(), part.end());
  return parts;
}

}  // namespace sinter_bench
