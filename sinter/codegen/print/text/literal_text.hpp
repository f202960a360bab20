#pragma once
// Constants as C++ text.

#include <sinter/codegen/types/element_type.hpp>

#include <cstdint>
#include <string>

namespace sinter::inline v0::codegen {

/// The shortest text that reads back as the same bits, of the type in which elements of `type` are computed
/// with.
std::string literal_text(element_type type, std::uint64_t bits);

}  // namespace sinter::inline v0::codegen
