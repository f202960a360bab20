#pragma once
// Programs by their names.

#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// The path of the first of these programs that is in a folder of $PATH, or in one of those given; "" if
/// there is none. A privileged process looks only in those given (environment_value()).
std::string find_program(const std::vector<std::string>& names, const std::vector<std::string>& folders = {});

}  // namespace sinter::inline v0::runtime
