#pragma once
// Subscripts of a product as words, which a recorded step holds.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::detail {

/// Eight letters in each word, from the lowest byte.
std::vector<std::uint64_t> packed_subscripts(std::string_view text);
std::string unpacked_subscripts(std::span<const std::uint64_t> words);

}  // namespace sinter::inline v0::detail
