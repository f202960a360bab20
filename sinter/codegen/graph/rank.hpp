#pragma once

namespace sinter {

inline constexpr unsigned max_rank = 32;  ///< of an array, and axes of a nest

}  // namespace sinter
