#pragma once
// A nest as text that a person reads.

#include <sinter/codegen/nest/nest.hpp>

#include <span>
#include <string>
#include <string_view>

namespace sinter {

/// Axes with their extents, accesses with offset and strides, instructions with their phases, stores: a line
/// each.
std::string to_string(const nest& body);

/// The instructions and stores of a nest alone. `externals` are the names of the functions that it calls, by
/// the numbers that instructions call them by; without names the numbers are printed.
std::string text_of_body(const nest& body, std::span<const std::string_view> externals = {});

/// "read float32", "write int8" or "position int64".
std::string text_of_kind(const access& at);

}  // namespace sinter
