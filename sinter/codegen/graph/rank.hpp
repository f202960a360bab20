#pragma once

namespace sinter {

inline constexpr unsigned max_rank = 32;  ///< of arrays and nests

}  // namespace sinter
