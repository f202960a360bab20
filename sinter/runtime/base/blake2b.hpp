#pragma once
// BLAKE2b with 32 bytes of digest and no key (RFC 7693): what packs name their contents by.

#include <array>
#include <cstdint>
#include <string_view>

namespace sinter::inline v0::runtime {

std::array<std::uint8_t, 32> blake2b_256(std::string_view bytes);

}  // namespace sinter::inline v0::runtime
