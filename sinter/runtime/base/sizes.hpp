#pragma once
// Numbers of bytes as readable text.

#include <cstdint>
#include <string>

namespace sinter::inline v0::runtime {

/// "512 B", "1.5 KiB", "12 MiB": three digits at most.
std::string readable_bytes(std::uint64_t bytes);

/// With the exact number: "1.5 GiB (1610612736 bytes)", "17 bytes".
std::string format_bytes(std::uint64_t bytes);

}  // namespace sinter::inline v0::runtime
