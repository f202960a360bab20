#pragma once
// A nest as readable text.

#include <sinter/codegen/nest/nest.hpp>

#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0 {

/// One line for each axis with its extent, access with offset and strides, instruction with its phase, and
/// store.
std::string to_string(const nest& body);

/// The instructions and stores of a nest only. `externals` are the names of the external functions, by index;
/// without names the indices are printed.
std::string text_of_body(const nest_body& body, std::span<const std::string_view> externals = {});

/// ", a2 wrapped".
std::string text_of_rule(const term_pattern& term);

/// "read float32", "write int8" or "position int64".
std::string text_of_kind(const access_facts& at);

}  // namespace sinter::inline v0
