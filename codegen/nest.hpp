#pragma once
// A loop nest over one iteration space: what a graph becomes once extents, strides and views are known.

#include <sinter/codegen/operation.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace sinter {

inline constexpr unsigned max_rank = 32;      ///< of an array
inline constexpr unsigned max_nest_axes = 8;  ///< after merging

/// A linear function of the position: offset + sum of strides[axis] * position[axis].
struct access {
  enum class kind : std::uint8_t { read, write, position };
  kind what = kind::read;
  element_type type{};
  std::uint32_t array = 0;                       ///< input (read) or output (write); unused for position
  std::int64_t offset = 0;                       ///< in elements
  std::array<std::int64_t, max_rank> strides{};  ///< axis 0 is the innermost
  std::uint32_t base = 0;  ///< the access whose pointer it shares; itself, unless it is a stencil's neighbour
  std::int32_t shift = 0;  ///< its distance from that one in elements, known when text is written
  std::uint32_t group = 0;  ///< accesses of one group have equal strides and share their index arithmetic
};

/// One operation of the body, in order of evaluation. Arguments are indices of earlier instructions.
struct instruction {
  operation op{};          ///< input: the read `payload`; coordinate: the position access `payload`;
                           ///< parameter: scalar argument `payload`; extent: run-time constant `payload`
  element_type type{};     ///< of the result
  element_type compute{};  ///< element type in which it is computed (that of the operands)
  std::uint8_t arity = 0;
  bool fused = false;    ///< of add and subtract: multiplies arguments 0 and 1 first, one rounding
  bool negated = false;  ///< of a fused one: see lower.cpp
  std::array<std::uint32_t, 3> arguments{};
  std::uint64_t payload = 0;
};

/// A store of instruction `value` through the write access `target`.
struct store {
  std::uint32_t value = 0;
  std::uint32_t target = 0;
};

struct nest {
  unsigned rank = 0;
  std::array<std::int64_t, max_rank> extents{};  ///< axis 0 is the innermost
  std::vector<access> accesses;
  std::vector<instruction> body;
  std::vector<store> stores;
  std::vector<std::int64_t> constants;  ///< run-time integers that are not extents of the nest
};

}  // namespace sinter
