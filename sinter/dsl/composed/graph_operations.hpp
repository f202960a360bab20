#pragma once
// Operations of one graph, in the order in which they are read, for functions that are composed as nodes.

#include <sinter/codegen/graph/graph_builder.hpp>

#include <source_location>
#include <vector>

namespace sinter::inline v0::detail {

struct graph_operations {
  graph_builder& into;
  const std::source_location& at;

  graph_value apply(operation op, graph_value a) const { return into.apply(op, {a}, at); }
  graph_value apply(operation op, graph_value a, graph_value b) const { return into.apply(op, {a, b}, at); }
  graph_value add(graph_value a, graph_value b) const { return apply(operation::add, a, b); }
  graph_value subtract(graph_value a, graph_value b) const { return apply(operation::subtract, a, b); }
  graph_value multiply(graph_value a, graph_value b) const { return apply(operation::multiply, a, b); }
  graph_value minimum(graph_value a, graph_value b) const { return apply(operation::minimum, a, b); }
  graph_value maximum(graph_value a, graph_value b) const { return apply(operation::maximum, a, b); }
  graph_value negative(graph_value a) const { return apply(operation::negative, a); }
  graph_value less(graph_value a, graph_value b) const { return apply(operation::less, a, b); }
  graph_value equal(graph_value a, graph_value b) const { return apply(operation::equal, a, b); }
  graph_value both(graph_value a, graph_value b) const { return apply(operation::logical_and, a, b); }
  graph_value where(graph_value condition, graph_value a, graph_value b) const {
    return into.apply(operation::where, {condition, a, b}, at);
  }
  graph_value is_nan(graph_value x) const { return apply(operation::not_equal, x, x); }
  graph_value cast(graph_value x, element_type type) const { return into.cast(x, type, at); }
  graph_value number(std::int64_t value, element_type type = element_type::int64) const {
    return into.literal(value, type, at);
  }
  graph_value extent(graph_value x, unsigned axis) const { return into.extent(x, axis, at); }

  /// New axes of one element in front of an axis.
  graph_value with_axes(graph_value x, unsigned axis, unsigned count) const {
    if (count == 0) return x;
    std::vector<view_item> items(axis + count);
    for (unsigned i = axis; i < axis + count; ++i) items[i].what = view_item::kind::newaxis;
    return into.view(x, items, at);
  }
  /// An axis of one element, dropped.
  graph_value without_axis(graph_value x, unsigned axis) const {
    std::vector<view_item> items(axis + 1);
    items[axis].what = view_item::kind::index;
    items[axis].start = literal_bound(0);
    return into.view(x, items, at);
  }
  /// All axes as one; an element of rank 0 as an axis.
  graph_value flat(graph_value x) const {
    if (x.rank == 0) return with_axes(x, 0, 1);
    while (x.rank > 1) x = into.merged(x, 0, at);
    return x;
  }
  /// An axis of one element repeated.
  graph_value broadcast(graph_value x, unsigned axis, graph_value count) const {
    return into.extended(x, axis, extension::broadcast, {}, count, at);
  }
};

}  // namespace sinter::inline v0::detail
