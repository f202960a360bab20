#pragma once
// Values as JSON.

#include <string>
#include <string_view>
#include <vector>

namespace sinter_bench {

std::string quoted(std::string_view text);
std::string number(double value);
std::string list(const std::vector<double>& values);

}  // namespace sinter_bench
