#pragma once
// Functions of emitted text for reads whose position is computed: the same on both targets.

#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0::codegen {

/// The functions that are called: clip_position(number, extent), wrap_… and reflect_… make a position of a
/// number by position_rule, element_of_part(array, index, there) reads an array that may have no elements,
/// position_in_block(first, lane) is first + lane where first is a multiple of the lanes.
/// `qualifiers` are what a target writes in front of a function.
std::string position_text(std::span<const std::string_view> called, std::string_view qualifiers);

}  // namespace sinter::inline v0::codegen
