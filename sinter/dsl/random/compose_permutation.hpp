#pragma once
// Random orders (sinter/rng.hpp) as nodes of a graph: the positions by which 64 random bits for each element
// are in order. Bits and orders are the same on every device, and so are permutations. Equal bits, of which
// n elements have a pair with probability n^2 / 2^65, keep the order of their positions.
//
// Threads: a builder is used by one thread at a time.
// Throws: type_error or shape_error as nodes are added, where operands or axes do not fit; extents and
// indices are checked by the call: shape_error, index_error.
// After a failure: the graph has no new result, and values that were given before are still good; nodes that
// were added before the exception stay, unused.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph_value.hpp>

#include <source_location>

namespace sinter::inline v0::rng {

/// A stream of random words: integers of rank 0, modulo 2^64.
struct stream_of_words {
  graph_value seed, sequence;
};

/// The numbers 0, 1, … n - 1 in a random order: int64. n is an integer of rank 0. Throws type_error and
/// shape_error, also when called, for a negative n.
///     builder.output(rng::permutation(builder, builder.literal(10), {builder.literal(42),
///     builder.literal(0)}));
SINTER_API graph_value permutation(graph_builder& into, graph_value n, const stream_of_words& stream,
                                   const std::source_location& at = std::source_location::current());

/// x in a random order along an axis: what stands at one position there moves together. Throws type_error
/// and shape_error.
SINTER_API graph_value shuffled(graph_builder& into, graph_value x, unsigned axis,
                                const stream_of_words& stream,
                                const std::source_location& at = std::source_location::current());

}  // namespace sinter::inline v0::rng
