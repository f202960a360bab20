#pragma once
// How a product by subscripts is recorded: as a part whose operands are followed by the letters.

#include <sinter/dsl/detail/recording.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::detail {

/// Eight letters in each word, from the lowest byte.
std::vector<std::uint64_t> packed_subscripts(std::string_view text);
std::string unpacked_subscripts(std::span<const std::uint64_t> words);

SINTER_API recorded_value record_einsum(std::string_view subscripts, const typed_value* operands,
                                        unsigned count, const location& at);

}  // namespace sinter::inline v0::detail
