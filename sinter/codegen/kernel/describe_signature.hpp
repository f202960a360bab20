#pragma once
// A signature read back: what a kernel computes, for people, when its graph is long gone.

#include <optional>
#include <string>
#include <string_view>

namespace sinter {

/// Lines that tell the nest that write_signature() wrote down: its axes, accesses, instructions and stores.
/// nullopt of bytes that are no signature, or one of another emitter's version. Accepts any bytes at all.
std::optional<std::string> describe_signature(std::string_view signature);

}  // namespace sinter
