#pragma once
// Splits a reduction of few long rows into two nests: one reduces pieces of rows into temporaries, the other
// combines the pieces of each row. A row may have several axes that do not merge, and be reduced to a value
// or to a position.

#include <sinter/codegen/nest/nest.hpp>

#include <optional>
#include <span>

namespace sinter::inline v0 {

/// A sum over a row of t or t * t, with t = x - m: the distance of an element from a value that is constant
/// along the row but depends on another reduction. 0 where a mask is false.
struct deviation {
  std::uint32_t element = 0, centre = 0, mask = 0;  ///< instructions: x, m and the mask
  bool masked = false, squared = false;
};

/// The deviation that reduction `i` computes, if it is one: in float32 or float64, over elements that depend
/// on no reduction.
std::optional<deviation> deviation_of(const nest& body, std::uint32_t i);
bool has_deviations(const nest& body);

/// Whether split_rows() can handle a nest with deviations: its other reductions are in the first phase, and
/// nothing is stored per element.
bool splits_deviations(const nest& body);

/// The number of pieces of at most `length` elements in a row. Rounded up to a multiple of one vector load of
/// their results, so that those are rows of whole vectors for any number: the last pieces may be empty.
std::int64_t count_pieces(std::int64_t elements, std::int64_t length);

/// The same of a nest; of one that combines by a body, whose pieces are never empty, not rounded up.
std::int64_t count_pieces(const nest& whole, std::int64_t elements, std::int64_t length);

/// Whether a nest with scans only reduces in order: what each scan comes to is all that is needed of it.
bool reduces_in_order(const nest& body);

/// How rows are split. A piece has one position along each of `piece_axes`, all elements of the other reduced
/// axes, and at most `length` of the outermost of those, if that is not 0.
struct row_cut {
  std::uint32_t piece_axes = 0;  ///< one bit per axis
  std::int64_t length = 0;
  bool cuts() const { return piece_axes != 0 || length != 0; }
};

/// The cut whose pieces have one position along `piece_axes` and about `length` elements of the other reduced
/// axes, with whole innermost ones if possible.
row_cut cut_into(const nest& whole, std::int64_t length, std::uint32_t piece_axes = 0);

/// Splits a nest without per-element stores: one with a single loop, or one with deviations. `parts` reduces
/// pieces of rows into temporaries numbered from `first_temporary`, each with one element per row and piece.
/// `rest` combines those and computes what follows. Returns the number of temporaries.
///
/// The position of an extreme is found among the extremes of the pieces, each stored with its position.
///
/// Deviations of a piece are taken from the piece's own mean c in the same loop. For any m they then follow
/// from the number of elements n, the sum A of x - c and the sum B of its squares (Chan, Golub and LeVeque):
/// sum(x - m) = A + n (c - m), and sum((x - m)^2) = B + (c - m) (2 A + n (c - m)). A is the rounding error of
/// c; with it nothing cancels, however far from 0 the elements are.
std::uint32_t split_rows(const nest& whole, const row_cut& cut, std::uint32_t first_temporary, nest& parts,
                         nest& rest);

}  // namespace sinter::inline v0
