#pragma once
// A loop nest over one iteration space: what a graph becomes once extents, strides and views are known.

#include <sinter/codegen/graph/operation.hpp>
#include <sinter/codegen/graph/rank.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter {

/// How an access walks along one axis; with the schedule this is all that text depends on.
enum class step_pattern : std::uint8_t { none, unit, strided };
constexpr step_pattern pattern_of(std::int64_t stride) {
  return stride == 0 ? step_pattern::none : stride == 1 ? step_pattern::unit : step_pattern::strided;
}

/// A linear function of the position: offset + sum of strides[axis] * position[axis].
struct access {
  enum class kind : std::uint8_t { read, write, position };
  enum class where : std::uint8_t { argument, temporary };  ///< an input or output of the call; its workspace
  kind what = kind::read;
  where place = where::argument;
  element_type type{};
  std::uint32_t array = 0;                       ///< of inputs (read), outputs (write) or temporaries
  std::int64_t offset = 0;                       ///< in elements
  std::array<std::int64_t, max_rank> strides{};  ///< axis 0 is the innermost
  /// Reads of one array a few elements and rows apart are a window: they share the pointer of their first,
  /// which is that of the window's lowest corner. `base` is that first access; the access itself if alone.
  std::uint32_t base = 0;
  std::uint16_t shift = 0;      ///< elements between the corner and this access
  std::uint16_t row_shift = 0;  ///< steps along axis 1 between the corner and this access
  std::uint32_t group = 0;      ///< accesses of one group have equal strides and share their index arithmetic
  /// A bit for each axis along which text takes it to be strided, whatever its stride is: in a shape-generic
  /// nest every axis that it may ever take steps along.
  std::uint32_t strided = 0;

  step_pattern pattern(unsigned axis) const {
    return (strided >> axis & 1) != 0 ? step_pattern::strided : pattern_of(strides[axis]);
  }
  bool moves_along(unsigned axis) const { return pattern(axis) != step_pattern::none; }
};

/// Offset of the element that a window's pointer is at; of an access on its own, its offset.
constexpr std::int64_t corner_offset(const access& at) {
  return at.offset - at.shift - at.row_shift * at.strides[1];
}

/// One operation of the body, in order of evaluation. Arguments are indices of earlier instructions.
struct instruction {
  operation op{};          ///< input: the read `payload`; coordinate: the position access `payload`;
                           ///< parameter: scalar argument `payload`; extent: run-time constant `payload`;
                           ///< argmax and argmin: argument 0 at the position that argument 1 is;
                           ///< scans: of argument 0, going on from argument 1 if there is one;
                           ///< external: the graph's external function `payload`
  element_type type{};     ///< of the result
  element_type compute{};  ///< element type in which it is computed (that of the operands)
  std::uint8_t arity = 0;
  std::uint16_t phase = 0;  ///< the loop over the reduced axes in which it is evaluated; see nest::phases
  bool per_element = true;  ///< false: one value for each position of the kept axes
  bool fused = false;       ///< of add and subtract: multiplies arguments 0 and 1 first, one rounding
  bool negated = false;     ///< of a fused one: the product is subtracted from argument 2
  bool exclusive = false;   ///< of a scan: the element itself is left out
  bool by_pointer = false;  ///< of an external function on the host: its address is an argument
  std::array<std::uint32_t, 3> arguments{};
  std::uint64_t payload = 0;
};

/// A store of instruction `value` through the write access `target`.
struct store {
  std::uint32_t value = 0;
  std::uint32_t target = 0;
};

/// For each position of the kept axes the reduced axes are walked `phases` times. In phase p the instructions
/// of phase p are evaluated for each element; at its end reductions of phase p have their values, and
/// instructions of phase p + 1 that are not per element follow. Stores of a value that is per element happen
/// in its phase. A scan is per element, of its argument's phase, and walks the one reduced axis that its nest
/// then has upward.
struct nest {
  /// Whether its kernel serves every call. Extents, strides, offsets and constants are then symbols: they
  /// have the values of one call, of which accesses and launches are made, and no step of the pass decides by
  /// them. Such a nest has the axes of the graph, accesses that are strided along all that they may step
  /// along, and arrays that are not known to be the same.
  bool shape_generic = false;
  unsigned rank = 0;
  std::array<std::int64_t, max_rank> extents{};  ///< axis 0 is the innermost
  std::uint32_t reduced = 0;                     ///< a bit for each axis: set if it is reduced
  unsigned phases = 1;
  /// A kept axis that counts pieces of split_axis(), or -1: of its `whole` elements piece p has those from p
  /// times its extent here, the last piece maybe fewer or none.
  int split = -1;
  std::int64_t whole = 0;
  bool is_reduced(unsigned axis) const { return (reduced >> axis & 1) != 0; }
  std::vector<access> accesses;
  std::vector<instruction> body;
  std::vector<store> stores;
  std::vector<std::int64_t> constants;  ///< run-time integers that are not extents of the nest
};

/// The axis that the pieces of a nest with `split` are of: the outermost of those that it reduces.
inline unsigned split_axis(const nest& body) {
  return static_cast<unsigned>(std::bit_width(body.reduced)) - 1;
}

/// Whether every position of the nest has an element of its own in an access. Pieces of a row have theirs,
/// though the axis that counts them has no stride.
inline bool moves_along_every_axis(const nest& body, const access& at) {
  for (unsigned axis = 0; axis < body.rank; ++axis)
    if (static_cast<int>(axis) != body.split && !at.moves_along(axis)) return false;
  return true;
}

/// Whether an element that one position reads through an access is read by no other one: so it is but for
/// windows and for what is broadcast.
inline bool is_read_once(const nest& body, std::uint32_t index) {
  const access& read = body.accesses[index];
  for (std::uint32_t i = 0; i < body.accesses.size(); ++i)
    if (i != index && body.accesses[i].base == read.base) return false;
  return moves_along_every_axis(body, read);
}

}  // namespace sinter
