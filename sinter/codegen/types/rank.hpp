#pragma once

namespace sinter::inline v0 {

inline constexpr unsigned max_rank = 32;  ///< of arrays and nests

}  // namespace sinter::inline v0
