#pragma once
// Which programs a generator draws: fixed seeds, unless SINTER_DRAW_SEED and SINTER_DRAW_COUNT select others.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace sinter::test {

inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const given = std::getenv(name);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}

struct seed_range {
  std::uint64_t first;
  std::size_t count;
};
inline seed_range seeds(std::size_t count, std::uint64_t first = 1) {
  return {from_environment("SINTER_DRAW_SEED", first),
          static_cast<std::size_t>(from_environment("SINTER_DRAW_COUNT", count))};
}

}  // namespace sinter::test
