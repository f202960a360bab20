#include <sinter/dsl/array_description.hpp>
#include <sinter/runtime/error.hpp>

#include <atomic>
#include <string>

namespace sinter::inline v0 {

extent_range::extent_range(std::int64_t low, std::int64_t high) {
  static std::atomic<std::uint64_t> count{0};
  if (low < 0 || high < low)
    throw shape_error("extent_range(" + std::to_string(low) + ", " + std::to_string(high) +
                      ") holds no extent: give the lowest and then the highest extent, neither negative");
  bounds_ = {low, high, ++count};
}

}  // namespace sinter::inline v0
