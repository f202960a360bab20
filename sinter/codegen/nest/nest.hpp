#pragma once
// A loop nest over one iteration space, made from a graph with known extents, strides and views.

#include <sinter/codegen/graph/operation.hpp>
#include <sinter/codegen/shape/position_rule.hpp>
#include <sinter/codegen/types/rank.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// The step of an access along one axis. Of the strides, text depends on this alone.
enum class step_pattern : std::uint8_t { none, unit, strided };
constexpr step_pattern pattern_of(std::int64_t stride) {
  return stride == 0 ? step_pattern::none : stride == 1 ? step_pattern::unit : step_pattern::strided;
}

/// A part of where an access lies that is no linear function of the position: `rule` of the position access
/// `position`, or of an index that the read `position` reads, times a stride. By rules that keep positions,
/// the strides of the access already count the number, and the part is the difference.
struct term_pattern {
  position_rule rule{};
  std::uint32_t position = 0;
  bool operator==(const term_pattern&) const = default;
};
struct access_term : term_pattern {
  std::int64_t extent = 1, divisor = 1, stride = 0;
  bool operator==(const access_term&) const = default;
};

/// What accesses of nests and of kernels' patterns have in common.
struct access_facts {
  enum class kind : std::uint8_t {
    read,
    write,
    position,
    gathered,  ///< a read where instructions say: it has no strides
    updated,   ///< what an update reads and writes, where instructions say
  };
  kind what = kind::read;
  element_type type{};
  /// Reads of one array that are a few elements and rows apart form a window: they share the first one's
  /// pointer, which points to the window's lowest corner. `base` is that first access, or the access itself
  /// if it is in no window.
  std::uint32_t base = 0;
  std::uint16_t shift = 0;      ///< elements from the corner to this access
  std::uint16_t row_shift = 0;  ///< steps along axis 1 between the corner and this access
  std::uint32_t group = 0;      ///< accesses of one group have equal strides and share index arithmetic
  std::uint32_t first_term = 0, term_count = 0;  ///< of the nest's terms
  /// Of a read in a window with a term along axis 0: neighbours lie side by side where the term leaves
  /// numbers as they are.
  bool contiguous_inside = false;

  /// Whether it is of a result or a temporary that the nest makes.
  bool is_written() const { return what == kind::write || what == kind::updated; }
};

/// A linear function of the position: offset + sum of strides[axis] * position[axis], and its terms.
struct access : access_facts {
  /// An input or output of the call, or its workspace.
  enum class where : std::uint8_t { argument, temporary };
  where place = where::argument;
  std::uint32_t array = 0;                       ///< index of an input (read), output (write) or temporary
  std::int64_t offset = 0;                       ///< in elements
  std::array<std::int64_t, max_rank> strides{};  ///< axis 0 is the innermost
  /// A bit for each axis that text treats as strided, whatever the stride is. In a shape-generic nest, every
  /// axis that the access may step along in some call.
  std::uint32_t strided = 0;

  step_pattern pattern(unsigned axis) const {
    return (strided >> axis & 1) != 0 ? step_pattern::strided : pattern_of(strides[axis]);
  }
  bool moves_along(unsigned axis) const { return pattern(axis) != step_pattern::none; }
};

/// What of an access a kernel's text depends on: not its strides, but how it steps along each axis.
struct access_pattern : access_facts {
  std::array<step_pattern, max_rank> steps{};  ///< axis 0 is the innermost
  /// Whether it visits elements in the order in which the kernel numbers them.
  bool is_linear = false;

  step_pattern pattern(unsigned axis) const { return steps[axis]; }
  bool moves_along(unsigned axis) const { return steps[axis] != step_pattern::none; }
};

/// Offset of the element that a window's pointer points to; without a window, the access's own offset.
constexpr std::int64_t corner_offset(const access& at) {
  return at.offset - at.shift - at.row_shift * at.strides[1];
}

/// One operation of the body, in evaluation order. Arguments are indices of earlier instructions.
struct instruction {
  operation op{};          ///< input: the read `payload`, if that is gathered at argument 0, in elements;
                           ///< report: tells of the index in argument 1, for an axis of argument 2's
                           ///< extent, where argument 0 holds; `payload` numbers the reports of the nest;
                           ///< coordinate: the position access `payload`;
                           ///< parameter: scalar argument `payload`; extent: run-time constant `payload`;
                           ///< argmax and argmin: argument 0 at the position in argument 1;
                           ///< scans: of argument 0, continuing from argument 1 if there is one;
                           ///< argsort: of the keys argument 0, which differ in `payload` bits;
                           ///< external: the graph's external function `payload`;
                           ///< carried: state `payload` of the owner, which begins as argument 0;
                           ///< partial: of those that the owner combines, of the left side, then the right;
                           ///< component: result `payload` of argument 0;
                           ///< last: of the scan argument 0, which nothing else needs;
                           ///< with bodies: see body_arguments and combining_arguments
  element_type type{};     ///< type of the result
  element_type compute{};  ///< element type of the computation (the operands' type)
  std::uint8_t arity = 0;
  std::uint16_t phase = 0;  ///< the loop over the reduced axes that evaluates it; see nest::phases
  bool per_element = true;  ///< false: one value for each position of the kept axes
  bool fused = false;       ///< of add and subtract: multiplies arguments 0 and 1 first, rounds once
  bool negated = false;     ///< if fused: the product is subtracted from argument 2
  bool exclusive = false;   ///< of a scan: the result excludes the element itself
  bool continued = false;   ///< of a scan by a body: goes on from what earlier pieces of the row come to
  bool by_pointer = false;  ///< of an external function on the CPU: its address is an argument
  bool ascending = false;   ///< of argmax and argmin: threads visit elements in order, and count their steps
  bool otherwise = false;   ///< in the second body of its owner
  std::array<std::uint32_t, 3> arguments{};  ///< those of instructions with bodies are in nest::arguments
  std::uint64_t payload = 0;                 ///< of an instruction with bodies, where its arguments begin
  /// The instruction in whose body this one is, which comes later; it is evaluated in each iteration.
  std::uint32_t owner = no_owner;
  static constexpr std::uint32_t no_owner = ~0u;
  std::uint32_t argument_count = 0;  ///< of an instruction with bodies
};

/// Whether values exist when those of a whole chunk are there: of scans, and of sorts, whose chunk is a row.
constexpr bool needs_chunk(operation op) { return is_scan(op) || op == operation::argsort; }

/// The arguments of an instruction with bodies: a count or a condition, then for each result two
/// instructions. Of loops these are the carried state and its next value, of `when` the values of both sides.
/// The condition of repeat_while is computed in its body.
struct body_arguments {
  std::uint32_t lead = 0;
  std::span<const std::uint32_t> results;
  std::size_t count() const { return results.size() / 2; }
  std::uint32_t first(std::size_t result) const { return results[2 * result]; }
  std::uint32_t second(std::size_t result) const { return results[2 * result + 1]; }
};

/// The arguments of a reduction or scan by a body: for each result the value whose elements are combined, the
/// identity, what the body returns and, of a scan that is continued, what the pieces before this one come to.
/// The first piece has none before it.
struct combining_arguments {
  std::span<const std::uint32_t> values, identities, results, before;
  std::size_t count() const { return values.size(); }
};

/// A store of instruction `value` through the write access `target`; or an update of `target`, whose element
/// at `place`, counted from where the array begins, becomes that combined with the value where `condition`
/// holds. Updates of one element may come in any order, and from several threads.
struct store {
  std::uint32_t value = 0;
  std::uint32_t target = 0;
  static constexpr std::uint32_t no_place = ~0u;
  std::uint32_t place = no_place, condition = 0;  ///< instructions
  /// The instruction of the number of elements, below which every place is; no_place if they lie apart.
  std::uint32_t elements = no_place;
  operation combine{};

  bool has_elements() const { return elements != no_place; }
  bool is_update() const { return place != no_place; }
};

/// What nests and kernels' patterns have in common: which axes are reduced, and what is evaluated.
///
/// For each position of the kept axes there are `phases` loops over the reduced axes. Phase p evaluates its
/// instructions for each element. At its end the reductions of phase p have their values, and the
/// instructions of phase p + 1 that are not per element follow. A store of a per-element value is in that
/// value's phase. A scan is per element, in its argument's phase; its nest has one reduced axis, which is
/// traversed upward. The same holds of an argsort, which nests of GPUs have.
struct nest_body {
  unsigned rank = 0;
  std::uint32_t reduced = 0;  ///< a bit for each axis: set if it is reduced
  unsigned phases = 1;
  int split = -1;  ///< a kept axis that counts the pieces of split_axis(), or -1
  std::vector<instruction> body;
  std::vector<std::uint32_t> arguments;  ///< of instructions with bodies, one list after the other
  std::vector<store> stores;

  bool is_reduced(unsigned axis) const { return (reduced >> axis & 1) != 0; }
  bool has_updates() const {
    for (const store& at : stores)
      if (at.is_update()) return true;
    return false;
  }
  std::span<const std::uint32_t> arguments_of(const instruction& at) const {
    if (!has_body(at.op)) return std::span(at.arguments).first(at.arity);
    return std::span(arguments).subspan(at.payload, at.argument_count);
  }
  std::span<std::uint32_t> arguments_of(instruction& at) {
    if (!has_body(at.op)) return std::span(at.arguments).first(at.arity);
    return std::span(arguments).subspan(at.payload, at.argument_count);
  }
  body_arguments arguments_of_bodies(const instruction& at) const {
    const auto all = arguments_of(at);
    return {all[0], all.subspan(1)};
  }
  combining_arguments arguments_of_combining(const instruction& at) const {
    const auto all = arguments_of(at);
    const std::size_t count = all.size() / (at.continued ? 4 : 3);
    return {all.first(count), all.subspan(count, count), all.subspan(2 * count, count),
            all.subspan(3 * count)};
  }
};

/// An axis of an array whose elements are read at indices, for messages.
struct gathered_axis {
  std::uint32_t node = 0;    ///< of the graph: what reads them
  std::uint32_t source = 0;  ///< of the graph: the array
  std::uint32_t axis = 0;    ///< as the user counts
};

/// A loop nest of known extents.
struct nest : nest_body {
  /// Whether its kernel serves every call. Extents, strides, offsets and constants are then symbols: their
  /// values come from one call and are used only for accesses and launches, and no step of the pass depends
  /// on them. Such a nest has the axes of the graph, accesses that are strided along every axis they may step
  /// along, and arrays that are never assumed to be equal.
  bool shape_generic = false;
  std::array<std::int64_t, max_rank> extents{};  ///< axis 0 is the innermost
  /// Elements along the axis that is split: piece p has those that start at p times the axis' extent here;
  /// the last piece may have fewer or none.
  std::int64_t whole = 0;
  std::vector<access> accesses;
  std::vector<access_term> terms;       ///< of accesses, those of one side by side
  std::vector<std::int64_t> constants;  ///< run-time integers other than extents of the nest
  std::vector<gathered_axis> gathers;   ///< by report: whose index it reports
};

/// What of a nest a kernel's text depends on. Values that belong to a call are not in it: neither extents nor
/// strides, offsets or scalars.
struct kernel_pattern : nest_body {
  std::vector<access_pattern> accesses;
  std::vector<term_pattern> terms;
};

/// The terms of an access of a nest or a pattern.
template <typename Nest>
auto terms_of(Nest& body, const access_facts& at) {
  return std::span(body.terms).subspan(at.first_term, at.term_count);
}
/// Whether lanes of a window may be anywhere, because a term of some read in it moves along axis 0.
template <typename Nest>
bool has_scattered_window(const Nest& body, std::uint32_t base) {
  for (const auto& at : body.accesses)
    if (at.base == base && at.contiguous_inside) return true;
  return false;
}
/// Whether a term of an access moves along an axis: neighbours along it are then anywhere.
template <typename Nest>
bool has_term_along(const Nest& body, const access_facts& at, unsigned axis) {
  for (const auto& term : terms_of(body, at))
    if (body.accesses[term.position].moves_along(axis)) return true;
  return false;
}

/// The axis that is split into pieces if `split` is set: the outermost reduced axis.
inline unsigned split_axis(const nest_body& body) {
  return static_cast<unsigned>(std::bit_width(body.reduced)) - 1;
}

/// Whether each position of the nest is known to access a different element. True for pieces of a row,
/// although the axis that counts them has no stride.
template <typename Access>
bool moves_along_every_axis(const nest_body& body, const Access& at) {
  if (at.term_count != 0) return false;
  for (unsigned axis = 0; axis < body.rank; ++axis)
    if (static_cast<int>(axis) != body.split && !at.moves_along(axis)) return false;
  return true;
}

/// Whether each element that the access reads is known to be read at only one position: not of windows,
/// broadcasts and accesses with terms.
template <typename Nest>
bool is_read_once(const Nest& body, std::uint32_t index) {
  const auto& read = body.accesses[index];
  for (std::uint32_t i = 0; i < body.accesses.size(); ++i)
    if (i != index && body.accesses[i].base == read.base) return false;
  return moves_along_every_axis(body, read);
}

}  // namespace sinter::inline v0
