#pragma once
// operation::argsort: for each row of the last axis the positions of its elements, in the order of their
// keys.
//
//     inputs   keys: uint32 or uint64, of rank 1 or more
//     payload  bits of a key that may differ, the lowest ones: the others are 0
//
// Of equal keys the one at the lower position comes first, so that the result is the same on every device.
// Rows have fewer than 2^32 elements; their positions are uint32.

#include <sinter/codegen/graph/graph.hpp>

#include <cstdint>
#include <string>

namespace sinter::inline v0 {

inline constexpr element_type argsort_type = element_type::uint32;

constexpr bool is_sort_key(element_type type) {
  return type == element_type::uint32 || type == element_type::uint64;
}

/// What is wrong with the keys of an argsort, or their bits; empty: nothing.
inline std::string fault_in_argsort(const node& keys, std::uint64_t bits) {
  if (!is_sort_key(keys.type)) return "its keys are neither uint32 nor uint64";
  if (keys.rank == 0) return "its keys have no axis";
  if (bits == 0 || bits > 8 * size_of(keys.type)) return "its keys have other bits";
  return {};
}

}  // namespace sinter::inline v0
