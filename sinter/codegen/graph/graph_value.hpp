#pragma once
// What callers of the graph builder handle: values, items of views, and the names of what they do not see.

#include <sinter/codegen/types/element_type.hpp>
#include <sinter/codegen/types/type_rules.hpp>

#include <cstdint>

namespace sinter::inline v0 {

class graph_builder;

namespace ir {
struct graph;
struct node;

/// A slice bound or an index: absent, written into the graph, or the integer parameter `value`.
struct bound {
  enum class source : std::uint8_t { absent, literal, parameter };
  std::int64_t value = 0;
  std::uint64_t from = 0;  ///< a source; 64 bits wide so that the struct has no padding
  bool operator==(const bound&) const = default;
  bool absent() const { return from == static_cast<std::uint64_t>(source::absent); }
  bool is_parameter() const { return from == static_cast<std::uint64_t>(source::parameter); }
};
}  // namespace ir

inline ir::bound literal_bound(std::int64_t value) {
  return {value, static_cast<std::uint64_t>(ir::bound::source::literal)};
}
inline ir::bound parameter_bound(std::uint32_t index) {
  return {index, static_cast<std::uint64_t>(ir::bound::source::parameter)};
}

/// One item of a view, with NumPy's meaning. A view is a list of items; the remaining source axes are kept
/// whole.
struct view_item {
  enum class kind : std::uint64_t {
    slice,    ///< start : stop : step of the next source axis
    index,    ///< drops the next source axis at position `start`
    newaxis,  ///< adds an axis of extent 1
    permute,  ///< result axis i is source axis `start.value`; a view holds only permute items or none
  };
  kind what = kind::slice;
  ir::bound start, stop, step;
  bool operator==(const view_item&) const = default;

  /// `builder.view(x, {{view_item::slice(1, -1), view_item::newaxis()}})`: a whole axis.
  static view_item all() { return {}; }
  /// start : stop, or start : stop : step; negative positions count from the end.
  static view_item slice(std::int64_t start, std::int64_t stop, std::int64_t step = 1) {
    return {kind::slice, literal_bound(start), literal_bound(stop), literal_bound(step)};
  }
  /// From a position to the last element.
  static view_item from(std::int64_t start) { return {kind::slice, literal_bound(start), {}, {}}; }
  /// Drops the axis at a position.
  static view_item index(std::int64_t position) { return {kind::index, literal_bound(position), {}, {}}; }
  /// An axis of one element.
  static view_item newaxis() { return {kind::newaxis, {}, {}, {}}; }
  /// For each axis of the result one: the axis of the operand that it is.
  static view_item permute(std::int64_t axis) { return {kind::permute, literal_bound(axis), {}, {}}; }
};
/// Arithmetic modes: `strict` rounds every operation to its own type, `fast` approximates some functions.
enum class arithmetic_mode : std::uint8_t { standard, strict, fast };

using node_id = std::uint32_t;

/// A value of a graph being built: its node, type and rank. It is weak if it is computed from weak scalars
/// alone. A default-constructed one belongs to no graph.
struct graph_value {
  node_id id = 0;
  operand_type type{};
  std::uint8_t rank = 0;
  std::uint32_t graph = 0;  ///< graph_builder::number() of its graph; 0: none
};

/// The order in which a reduction by a body combines elements.
enum class combining_order : std::uint8_t {
  any,       ///< of Sinter's choice: the body is commutative
  ascending  ///< row-major over the reduced axes: what comes first is the left side
};

}  // namespace sinter::inline v0
