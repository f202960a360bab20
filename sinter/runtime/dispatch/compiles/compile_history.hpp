#pragma once
// What the calls had for which a function has compiled, and what two of them differ in.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/runtime/call.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// What a plan's key has of one array.
struct compiled_array {
  std::vector<std::int64_t> extents, strides;  ///< in elements
  std::uint32_t alignment = 0;                 ///< of the address, bytes
  std::uint32_t identity = 0;                  ///< index of the first operand that is the same array
};

/// What a plan's key has of a call, but for the function.
struct compiled_call {
  device where{};
  std::vector<compiled_array> operands, targets;
  std::vector<scalar> view_numbers;  ///< values of function::view_parameters
};

/// Copies of layouts, whose extents and strides belong to others.
std::vector<compiled_array> copies_of(std::span<const array_layout> layouts);

/// What two calls of one function differ in: "operand 0: extents 512x1000 before, 512x1001 now; alignment 16
/// bytes before, 4 now". Empty if they are equal.
std::string differences(const compiled_call& before, const compiled_call& now);

/// The calls for which one function has compiled (note_compile()).
struct compile_history {
  std::size_t count = 0;
  compiled_call latest;
};

}  // namespace sinter::inline v0::runtime
