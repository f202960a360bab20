#include "packed_library.hpp"

#include <sinter/sinter.hpp>

using namespace sinter;

std::vector<float> library_result(const std::vector<float>& values) {
  const auto x = array<float, 1>::from(values, {static_cast<std::int64_t>(values.size())});
  return fuse("doubled", [](auto v) { return v * 2.0f + 1.0f; })(x).to_vector();
}
