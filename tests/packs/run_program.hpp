#pragma once
// Runs programs as a user would, with and without compilers on the machine.

#include "../support/beside.hpp"

#include <array>
#include <cstdio>
#include <string>

namespace sinter::test {

inline constexpr const char* without_compilers =
    "SINTER_CACHE=off SINTER_NVRTC=/nonexistent SINTER_CPU_COMPILER=/nonexistent ";

inline std::string path_of(const char* file) { return path_beside(file).string(); }

/// What a program prints with these variables in its environment, and whether it ended well.
inline std::string run(const std::string& environment, const std::string& program) {
  std::string text;
  std::FILE* const from = ::popen(("env " + environment + " " + program + " 2>&1").c_str(), "r");
  std::array<char, 256> line{};
  while (std::fgets(line.data(), line.size(), from) != nullptr) text += line.data();
  return ::pclose(from) == 0 ? text : "failed: " + text;
}

}  // namespace sinter::test
