// Calls that are so alike that one schedule serves them.
#include <doctest/doctest.h>

#include <sinter/runtime/tuned/call_class.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::runtime;

namespace {

struct described_layout {
  std::vector<std::int64_t> extents, strides;
  std::uint32_t alignment = max_alignment, identity = 0;
  array_layout layout() const {
    return {element_type::float32,
            static_cast<std::uint8_t>(extents.size()),
            extents.data(),
            strides.data(),
            alignment,
            identity};
  }
};

std::string class_of(const std::vector<described_layout>& inputs,
                     const std::vector<described_layout>& outputs = {}) {
  std::vector<array_layout> in, out;
  for (const described_layout& each : inputs) in.push_back(each.layout());
  for (const described_layout& each : outputs) out.push_back(each.layout());
  return class_of_call(in, out);
}

}  // namespace

TEST_CASE("long extents count by powers of two, short ones as they are") {
  CHECK(class_of({{{4096, 1000}, {1000, 1}}}) == "float32[2^12,2^9] contiguous");
  CHECK(class_of({{{5000, 700}, {700, 1}}}) == "float32[2^12,2^9] contiguous");
  CHECK(class_of({{{4096, 3}, {3, 1}}}) == "float32[2^12,3] contiguous");
  CHECK(class_of({{{4096, 64}, {64, 1}}}) == "float32[2^12,2^6] contiguous");
}

TEST_CASE("strides, alignment below vectors and arrays that are the same tell classes apart") {
  CHECK(class_of({{{100, 100}, {1, 100}}}) == "float32[2^6,2^6] strides 1,n");
  CHECK(class_of({{{100, 100}, {0, 1}}}) == "float32[2^6,2^6] strides 0,1");
  CHECK(class_of({{{100}, {-1}}}) == "float32[2^6] strides -n");
  CHECK(class_of({{{100}, {1}, 4}}) == "float32[2^6] contiguous aligned by 4");
  CHECK(class_of({{{100}, {1}, 256, 0}, {{100}, {1}, 256, 0}}) ==
        "float32[2^6] contiguous; float32[2^6] contiguous = operand 0");
}

TEST_CASE("results in arrays like those that a call allocates are of the same class as new ones") {
  const described_layout x{{100}, {1}};
  CHECK(class_of({x}, {{{100}, {1}}}) == class_of({x}));
  CHECK(class_of({x}, {{{100}, {2}}}) == "float32[2^6] contiguous; result 0: float32[2^6] strides n");
  CHECK(class_of({x}, {{{100}, {1}, 8}}) ==
        "float32[2^6] contiguous; result 0: float32[2^6] contiguous aligned by 8");
}

TEST_CASE("an axis of one element has any stride") {
  CHECK(class_of({{{1, 100}, {7, 1}}}) == "float32[1,2^6] contiguous");
}
