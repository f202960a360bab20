#pragma once
// Thresholds that the graph and the extents alone decide by, whatever the target: simplification, nests and
// cuts are the same for all of them. What depends on the target is in schedule/thresholds.hpp.
//
// None of these was measured on its own, unless a comment says so.

#include <cstddef>
#include <cstdint>

namespace sinter::inline v0 {

// ---- reductions of few elements, combined without a loop (unroll_reductions.cpp)

/// Elements of a reduction: four float32 are one load of a thread.
inline constexpr std::int64_t max_unrolled = 4;
/// The same along windows, and where each element of another reduction's loop has such a reduction of
/// broadcast operands, as the distances in a k-means assignment: with a loop of its own it would be stored
/// for each of them.
inline constexpr std::int64_t max_unrolled_within = 16;
/// Weight of what elements of a short axis share in a loop from which they are computed side by side
/// (unrolled_axis.cpp).
inline constexpr std::uint64_t min_shared_weight = 4;
/// Nodes below a reduction that are searched for a broadcast.
inline constexpr std::size_t max_visited = 64;
/// Times that what lies below a reduction is evaluated, and nodes that this makes: they bound the text.
inline constexpr std::uint64_t max_copies = 16, max_copied_nodes = 1024;

// ---- one nest

/// Values that one nest may compute, where one at several positions, as under a stencil of stencils, counts
/// as several. What max_nest_work lets through stays below unless positions multiply.
inline constexpr std::size_t max_nest_values = 8192;
/// Positions at which a shape-generic kernel computes a value anew for one element rather than store it: more
/// would multiply from one stencil of stencils to the next.
inline constexpr unsigned max_positions = 4;
/// Operations of about one machine instruction each that a phase evaluates again, so that less stays from one
/// phase to the next. The text of a kernel depends on it, and is written from the description alone, so no
/// target has a number of its own.
inline constexpr unsigned max_remade = 4;

/// Strides below this may be those of rows that happen to be short, in elements.
inline constexpr std::int64_t nearest_row = 64;
/// How far apart reads of a window are at most: rows, and elements.
inline constexpr std::int64_t farthest_row = 8, farthest_element = 8;

// ---- loops of bodies, where weights count what they run

/// Iterations of a loop whose number is not known, and the most that one counts for.
inline constexpr std::uint64_t usual_iterations = 16, max_counted_iterations = 4096;

// ---- graphs that are too long for one nest (cut_long_graphs.cpp)

/// What one nest may come to: the weights of its operations, times the loops that reductions and scans of
/// each other's values take. So a nest has fewer phases than the root of this. Compilers take a kernel of a
/// thousand additions in half a second, and one of ten thousand not at all (docs/architecture.md).
inline constexpr std::uint64_t max_nest_work = 1024;
/// Weight of what a value has in common with others from which they are cut together: half of what it is
/// computed from, but no less and no more than this. What is less is computed twice.
inline constexpr std::uint64_t min_common_work = max_nest_work / 64, max_work_apart = max_nest_work / 16;
/// Weight from which a value that is live after a cut is stored rather than computed again from those that
/// are.
inline constexpr std::uint64_t expensive_value = 4;
/// Live values that a cut looks at, and that it stores: of more, the latest. A nest has an argument for each.
inline constexpr std::size_t max_examined = 256, max_stored_along = 128;

// ---- kernels of the CPU whose text is made for a quick compile (bench/results/2026-11-22-compile-growth.md)

/// Reductions of a nest from which functions combine their lanes, one function for all reductions of a kind,
/// instead of loops behind each. Ten reductions then compile in three fifths of the time, thirty-five
/// independent ones in a third, and ten run no slower.
inline constexpr std::size_t many_reductions = 6;

// ---- rows that are cut into pieces (split_rows.cpp)

/// A piece is large enough with one part in so many of the elements that it should have: then no part of a
/// further axis is added.
inline constexpr std::int64_t parts_of_a_piece = 4;

/// Of arrays one after the other that are a result: how many are stored each by itself, by at most one stage
/// for each, and how many of them where nothing may follow from extents.
inline constexpr std::size_t max_result_parts = 64, max_generic_parts = 8;

}  // namespace sinter::inline v0
