#pragma once
// Indices of gathers and scatters.

#include <cstdint>
#include <string_view>
#include <vector>

namespace sinter_bench {

/// How indices are drawn. Zipf's law has exponent 1.
enum class drawn : std::uint8_t { uniform, sorted, zipf, equal };
inline constexpr std::string_view drawn_names[] = {"uniform", "sorted", "zipf", "equal"};

/// So many indices of an axis with `extent` elements, the same on every run.
std::vector<int> draw_indices(drawn how, std::int64_t count, std::int64_t extent);

}  // namespace sinter_bench
