#pragma once
// What builders call the variables of a row that passes ask for.

#include <string_view>

namespace sinter::inline v0::codegen::row_names {

inline constexpr std::string_view length = "n";          ///< elements of the row
inline constexpr std::string_view position = "x";        ///< of a thread's first lane
inline constexpr std::string_view lanes_left = "left0";  ///< of columns: elements from the strip's first on
inline constexpr std::string_view chunk = "start";       ///< where a chunk starts in the row
inline constexpr std::string_view step = "s";            ///< of a thread in a chunk
inline constexpr std::string_view read = "in";           ///< with the access: what a step has loaded
inline constexpr std::string_view loaded_ahead = "now";  ///< with the access: the same of the chunk before

}  // namespace sinter::inline v0::codegen::row_names
