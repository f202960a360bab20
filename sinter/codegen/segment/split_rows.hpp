#pragma once
// A reduction of few long rows as two nests: pieces of rows into temporaries, then the pieces of each row. A
// row may have several axes that do not merge, and be reduced to a value or to the position of one.

#include <sinter/codegen/nest/nest.hpp>

#include <optional>
#include <span>

namespace sinter {

/// A sum over a row of t or of t * t, where t is x - m: the distance of an element from a value that is
/// constant along the row, but not before another reduction is done. 0 where a mask does not hold.
struct deviation {
  std::uint32_t element = 0, centre = 0, mask = 0;  ///< instructions: x, m and the mask
  bool masked = false, squared = false;
};

/// What the reduction `i` is, if it is that: in float32 or float64, of elements that no reduction comes
/// before.
std::optional<deviation> deviation_of(const nest& body, std::uint32_t i);
bool has_deviations(const nest& body);

/// Whether split_rows() can do a nest that has deviations: its other reductions are in the first phase, and
/// nothing is stored for each element.
bool splits_deviations(const nest& body);

/// Pieces of at most `length` elements in a row of so many. A multiple of what one load takes of their
/// results, so that those are rows of whole vectors whatever the number: the last pieces may be empty.
std::int64_t count_pieces(std::int64_t elements, std::int64_t length);

/// How rows are cut. A piece has one position along each of `piece_axes`, all elements of the other reduced
/// axes and, of the outermost of those, at most `length`, if that is not 0.
struct row_cut {
  std::uint32_t piece_axes = 0;  ///< a bit for each
  std::int64_t length = 0;
  bool cuts() const { return piece_axes != 0 || length != 0; }
};

/// The cut whose pieces have about `length` elements, and whose innermost axes are whole if that may be.
row_cut cut_into(const nest& whole, std::int64_t length);

/// Splits a nest none of whose stores is per element: one of a single loop, or one with deviations. `parts`
/// reduces pieces of rows into temporaries numbered from `first_temporary`, each as large as rows times
/// pieces; `rest` reduces those and does what followed. Returns the number of temporaries.
///
/// The position of an extreme is found among the extremes of the pieces, each with its position.
///
/// Deviations of a piece are taken from its own mean c, while it is at hand. From any m they are then, of n
/// elements with the sums A of x - c and B of its squares (Chan, Golub and LeVeque):
/// sum(x - m) = A + n (c - m), and sum((x - m)^2) = B + (c - m) (2 A + n (c - m)).
/// A is what rounding c left; with it nothing cancels however far from 0 the elements lie.
std::uint32_t split_rows(const nest& whole, const row_cut& cut, std::uint32_t first_temporary, nest& parts,
                         nest& rest);

}  // namespace sinter
