#pragma once
// The texts of elements in one array: as short as their type allows, aligned.

#include <sinter/codegen/types/element_type.hpp>

#include <span>
#include <string>
#include <vector>

namespace sinter::inline v0::detail {

/// The texts of `count` elements in NumPy's default format, all of one length.
std::vector<std::string> element_texts(element_type type, std::span<const std::byte> elements);
/// The text of one element that stands alone.
std::string lone_text(element_type type, const std::byte* element);

}  // namespace sinter::inline v0::detail
