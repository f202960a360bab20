#pragma once
// Plain C++ loops over all threads of the CPU, one for each workload that puts arrays together or takes them
// apart. The compiler makes vectors of them, for the widest registers that the processor has.

#include "../comparison.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace sinter_bench {

inline constexpr std::int64_t rolled_by = 12345;  ///< distance of roll
inline constexpr std::int64_t repeat_count = 4;   ///< of repeat_elements
inline constexpr std::int64_t tile_count = 2;     ///< of tile, along both axes
inline constexpr std::int64_t pad_width = 3;      ///< on each side of both axes
inline constexpr std::int64_t window_length = 5;  ///< of sliding_window
inline constexpr float padding = 0.5f;            ///< the constant around an image

/// Operands and result of a loop, contiguous in row-major order.
struct loop_arrays {
  std::array<const float*, 4> from{};
  std::array<std::int64_t, 4> rows{}, columns{};  ///< of each operand; a vector is one row
  float* to = nullptr;
};

/// Computes units [first, last) of a result: elements of a vector, rows of a matrix.
using part_loop = void (*)(const loop_arrays& of, std::int64_t first, std::int64_t last);

struct part_loops {
  // Units are elements of the result.
  part_loop concatenate;  ///< vectors, or rows of matrices
  part_loop roll;
  part_loop repeat_elements;
  part_loop
      sum_of_squares;  ///< of a concatenation, whose elements are the units; adds its part to the result
  // Units are rows of the result.
  part_loop periodic_stencil;
  part_loop concatenate_columns;
  part_loop pad_constant, pad_edge, pad_reflect, pad_wrap;
  part_loop tile;
  part_loop reshape_transposed;  ///< units are rows of the transposed matrix
  part_loop window_sum;
};

/// The loops for the widest registers of this processor: AVX-512, else AVX2, else those of the target.
const part_loops& best_part_loops();

/// What the units of a loop are. Threads take an equal share of them.
enum class loop_units {
  elements,
  rows,
  summed_elements,  ///< the result is one number, which is 0 before the loop
};

/// Runs a loop over `count` units on all threads.
void run_part_loop(part_loop loop, const loop_arrays& of, std::int64_t count, loop_units units);

}  // namespace sinter_bench
