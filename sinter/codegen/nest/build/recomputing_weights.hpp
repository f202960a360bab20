#pragma once
// What it takes to compute values again, and to store and read them, on each target.

#include <sinter/codegen/graph/operation.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// Weights beside an operation of a vector on the CPU, or of a thread on a GPU.
struct recomputing_weights {
  std::uint64_t memory_byte;      ///< moved to or from memory
  double stage_weight;            ///< of one more stage, beside what all elements save
  std::uint64_t operation_bytes;  ///< of an operation or a read; wider elements count as several
  std::uint64_t contiguous_read, near_read, transposed_read, far_read;  ///< from the nearest cache
  std::uint64_t near_byte;          ///< for each byte from one element to the next
  std::uint64_t near_read_of_rows;  ///< in rows that are reduced, which are packed in short pieces
  std::uint64_t min_times;          ///< that a value must be computed in one nest before it is stored
  bool repeats_broadcasts;          ///< reads and evaluates what is broadcast for each element, not once
  /// Elements of a row, and of columns in strips, whose values stay on the chip from one loop over them to
  /// the next.
  std::int64_t max_resident_row_extent, max_resident_column_extent;
};

/// Of a target. They are chosen by what became faster of drawn pipelines; see recomputing_weights.cpp.
const recomputing_weights& recomputing_weights_of(target_kind target);

/// Elements between neighbours along the axis where they are nearest; 0 if the value is the same everywhere.
std::int64_t nearest_step(std::span<const std::int64_t> steps);

/// Elements between neighbours of a read.
struct read_steps {
  std::int64_t along = 0;    ///< the axis that vectors, or a warp's threads, lie along
  std::int64_t nearest = 0;  ///< see nearest_step()
};

/// The weight of an operation on an element of so many bytes.
std::uint64_t weight_of_operation(const recomputing_weights& weights, operation op, std::size_t bytes);

/// The weight of reading one element of so many bytes once it is in a cache.
std::uint64_t weight_of_read(const recomputing_weights& weights, read_steps steps, std::size_t bytes,
                             bool of_rows);

}  // namespace sinter::inline v0
