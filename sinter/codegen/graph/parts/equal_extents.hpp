#pragma once
// The check that axes which are multiplied with each other have as many elements: a split that is `whole`
// (graph_parts.hpp) whose extent is where(extent a == extent b, extent a, refused_extent(…)). A negative
// extent is refused in calls, also of arrays without elements, and says for the message what was called.

#include <cstdint>

namespace sinter::inline v0 {

/// What multiplies arrays.
enum class product_function : std::uint8_t { matmul, dot, vecdot, einsum };

/// `label`: of einsum the label of both axes, else 0.
struct refused_product {
  product_function function{};
  char label = 0;
};

/// The extents that refuse, below all sizes that a user computes by mistake.
inline constexpr std::int64_t greatest_refused_extent = -(std::int64_t{1} << 48);

constexpr std::int64_t refused_extent(const refused_product& refused) {
  return greatest_refused_extent -
         (static_cast<std::int64_t>(refused.function) |
          static_cast<std::int64_t>(static_cast<unsigned char>(refused.label)) << 8);
}
/// Whether an extent is one of refused_extent().
constexpr bool refuses_product(std::int64_t extent) {
  return extent <= greatest_refused_extent && extent > greatest_refused_extent - 0x10000;
}
constexpr refused_product product_of_extent(std::int64_t refused) {
  const std::int64_t packed = greatest_refused_extent - refused;
  return {static_cast<product_function>(packed & 3), static_cast<char>(packed >> 8)};
}

}  // namespace sinter::inline v0
