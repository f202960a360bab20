#include <sinter/codegen/types/rank.hpp>
#include <sinter/dsl/composed/graph_operations.hpp>
#include <sinter/dsl/order/compose_order.hpp>
#include <sinter/dsl/parts/compose_parts.hpp>
#include <sinter/dsl/parts/compose_search.hpp>
#include <sinter/dsl/products/compose_products.hpp>
#include <sinter/dsl/random/compose_permutation.hpp>
#include <sinter/dsl/random/compose_random.hpp>
#include <sinter/dsl/scatters/compose_assignment.hpp>
#include <sinter/dsl/scatters/compose_histogram.hpp>
#include <sinter/dsl/stencils/compose_convolution.hpp>
#include <sinter/dsl/stencils/compose_differences.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::inline v0::detail {
namespace {

/// The most counts, extents or axes of one request, beside the array itself.
using view_items = std::array<view_item, max_rank>;

class part_composer : graph_operations {
 public:
  part_composer(graph_builder& to, const std::source_location& where) : graph_operations{to, where} {}

  graph_value number(std::int64_t value) { return into.literal(value); }

  /// An element as an array of the same shape as x, but `count` elements along an axis.
  graph_value filled(graph_value element, graph_value x, unsigned axis, graph_value count) {
    graph_value made = with_axes(element, 0, x.rank);
    for (unsigned i = 0; i < x.rank; ++i) made = broadcast(made, i, i == axis ? count : extent(x, i));
    return made;
  }
  /// 0 in the type of x.
  graph_value zero_of(graph_value x) { return into.cast(into.literal(false), x.type.type, at); }

  graph_value concatenate(std::span<const graph_value> arrays, unsigned axis) {
    graph_value made = arrays[0];
    for (const graph_value& next : arrays.subspan(1)) made = into.concatenate(made, next, axis, at);
    return made;
  }
  graph_value stack(std::span<const graph_value> arrays, unsigned axis) {
    graph_value made = with_axes(arrays[0], axis, 1);
    for (const graph_value& next : arrays.subspan(1))
      made = into.concatenate(made, with_axes(next, axis, 1), axis, at);
    return made;
  }
  graph_value pad_constant(std::span<const graph_value> all, unsigned axis) {
    const graph_value x = all[0], element = into.cast(all[3], x.type.type, at);
    const std::array parts{filled(element, x, axis, all[1]), x, filled(element, x, axis, all[2])};
    return concatenate(parts, axis);
  }
  graph_value roll(graph_value x, graph_value n, unsigned axis) {
    // -n modulo the extent: the least integer has no negative
    const graph_value first = negative(apply(operation::remainder, n, extent(x, axis)));
    return into.extended(x, axis, extension::wrap, first, extent(x, axis), at);
  }
  graph_value tile(std::span<const graph_value> all) {
    graph_value made = all[0];
    for (unsigned axis = 0; axis < made.rank; ++axis)
      made = into.extended(made, axis, extension::wrap, number(0),
                           apply(operation::multiply, extent(made, axis), all[axis + 1]), at);
    return made;
  }
  /// Elements of x where column - row and k compare, else 0.
  graph_value where_diagonals(graph_value x, operation compares, graph_value k) {
    const graph_value row = into.coordinate(x, x.rank - 2u, at), column = into.coordinate(x, x.rank - 1u, at);
    const graph_value chosen = apply(compares, apply(operation::subtract, column, row), k);
    return into.apply(operation::where, {chosen, x, zero_of(x)}, at);
  }
  graph_value diag(graph_value x, graph_value k) {
    if (x.rank == 2) return into.diagonal(x, 0, 1, k, at);
    // row i has the element i + min(k, 0), or a 0, at column i + k
    const graph_value none = number(0);
    const graph_value before = apply(operation::maximum, negative(k), none);
    const graph_value after = apply(operation::maximum, k, none);
    const std::array parts{filled(zero_of(x), x, 0, before), x, filled(zero_of(x), x, 0, after)};
    const graph_value rows = concatenate(parts, 0);
    return where_diagonals(broadcast(with_axes(rows, 1, 1), 1, extent(rows, 0)), operation::equal, k);
  }
  graph_value sliding_window(std::span<const graph_value> all, std::uint64_t axes) {
    graph_value made = all[0];
    for (const graph_value& extent : all.subspan(1)) {
      made = into.window(made, static_cast<unsigned>(axes & 0xff), extent, at);
      axes >>= 8;
    }
    return made;
  }
  /// From the last axis to the first; the extent before an unknown one is found by those before it.
  graph_value reshape(std::span<const graph_value> all, std::size_t unknown) {
    graph_value made = flat(all[0]);
    const std::span extents = all.subspan(1);
    for (std::size_t i = extents.size(); i-- > 1;) {
      graph_value wanted = extents[i];
      if (i == unknown) {
        graph_value others = extents[0];
        for (std::size_t k = 1; k < i; ++k) others = apply(operation::multiply, others, extents[k]);
        wanted = apply(operation::floor_divide, extent(made, 0), others);
      }
      made = into.split(made, 0, wanted, false, at);
    }
    return unknown == 0 ? made : into.split(made, 0, extents[0], true, at);
  }
  graph_value broadcast_to(std::span<const graph_value> all) {
    graph_value made = all[0];
    const auto rank = static_cast<unsigned>(all.size() - 1);
    while (made.rank < rank) made = with_axes(made, 0, 1);
    for (unsigned axis = 0; axis < rank; ++axis) made = broadcast(made, axis, all[axis + 1]);
    return made;
  }
  graph_value squeeze(graph_value x, std::uint64_t axes) {
    view_items items{};
    graph_value made = x;
    for (unsigned axis = 0; axis < x.rank; ++axis) {
      if ((axes >> axis & 1) == 0) continue;
      made = into.split(made, axis, number(1), true, at);
      items[axis].what = view_item::kind::index;
      items[axis].start = literal_bound(0);
    }
    return into.view(made, std::span(items).first(x.rank), at);
  }
  /// The indices stand for axes of their own, which are broadcast together, and each axis that has an index
  /// is of one element then, which is dropped.
  graph_value take(std::span<const graph_value> all, std::uint64_t request) {
    const graph_value x = all[0];
    const std::uint64_t axes = request & 0xffff;
    const auto place = static_cast<unsigned>(request >> 16 & 0xff);
    const auto rule = static_cast<index_rule>(request >> 24);
    unsigned added = 0;
    for (const graph_value& index : all.subspan(1)) added = std::max<unsigned>(added, index.rank);
    std::vector<unsigned> gathered, order;
    for (unsigned axis = 0; axis < x.rank; ++axis)
      ((axes >> axis & 1) != 0 ? gathered : order).push_back(axis);
    order.insert(order.begin() + place, gathered.begin(), gathered.end());
    graph_value made = with_axes(permuted(x, order), place, added);
    const unsigned first = place + added;
    for (std::size_t i = 0; i < gathered.size(); ++i) {
      const graph_value index = all[i + 1];
      const unsigned behind = made.rank - first;
      const graph_value placed = with_axes(with_axes(index, index.rank, behind), 0, first - index.rank);
      made = without_axis(into.gather(made, placed, first, rule, gathered[i], at), first);
    }
    return made;
  }
  graph_value take_along_axis(graph_value x, graph_value index, std::uint64_t request) {
    const auto axis = static_cast<unsigned>(request & 0xffff);
    return into.gather(x, index, axis, static_cast<index_rule>(request >> 24), axis, at);
  }
  graph_value permuted(graph_value x, std::span<const unsigned> order) {
    if (std::ranges::is_sorted(order)) return x;
    view_items items{};
    for (std::size_t i = 0; i < order.size(); ++i) {
      items[i].what = view_item::kind::permute;
      items[i].start = literal_bound(order[i]);
    }
    return into.view(x, std::span(items).first(order.size()), at);
  }
  graph_value iota(graph_value n) {
    return into.coordinate(broadcast(with_axes(number(0), 0, 1), 0, n), 0, at);
  }
};

/// The operands from this one on are integers.
std::size_t first_integer(composed_part what) {
  switch (what) {
    case composed_part::iota:
      return 0;
    case composed_part::pad:
    case composed_part::pad_constant:
    case composed_part::roll:
    case composed_part::repeat_elements:
    case composed_part::tile:
    case composed_part::lower_triangle:
    case composed_part::upper_triangle:
    case composed_part::diag:
    case composed_part::sliding_window:
    case composed_part::reshape:
    case composed_part::broadcast_to:
    case composed_part::squeeze:
      return 1;
    default:
      return SIZE_MAX;
  }
}

/// What is written at positions that are values.
graph_value compose_counted(graph_builder& into, const part_request& request,
                            std::span<const graph_value> all, const std::source_location& at) {
  const auto weights_after = [&](std::size_t count) {
    return counted_weights(all.size() > count ? std::optional(all[count]) : std::nullopt,
                           (request.number >> 8 & 1) != 0);
  };
  switch (request.what) {
    case composed_part::scatter:
      return scatter(into, all[0], all[1], all[2], unpacked_scatter(request.number), at);
    case composed_part::bincount:
      return bincount(into, all[0], all[1], weights_after(2), at);
    case composed_part::histogram:
      return histogram(into, all[0], {all[1], all[2], all[3]},
                       static_cast<element_type>(request.number & 0xff), weights_after(4), at);
    case composed_part::histogram2d:
      return histogram2d(into, all[0], all[1], {all[2], all[4], all[5]}, {all[3], all[6], all[7]},
                         weights_after(8), at);
    case composed_part::segment:
      return segment(into, all[0], all[1], all[2], unpacked_segment(request.number), at);
    case composed_part::nonzero:
      return nonzero(into, all[0], at);
    case composed_part::compress:
      return compress(into, all[0], all[1], at);
    case composed_part::assigned_at:
      return assigned_at(into, all, request.number & 0xffff,
                         static_cast<unsigned>(request.number >> 16 & 0xff), at);
    case composed_part::assigned_where:
      return assigned_where(into, all[0], all[1], all[2], at);
    default:
      return all[0];
  }
}

/// What combines neighbours along an axis.
graph_value compose_stencil(graph_builder& into, const part_request& request,
                            std::span<const graph_value> all, const std::source_location& at) {
  const std::uint64_t number = request.number;
  const auto convolved = [&](const auto& function) {
    return function(into, all[0], all[1], mode_of_convolution(number), axis_of_convolution(number), at);
  };
  switch (request.what) {
    case composed_part::difference:
      return diff(into, all[0], order_of_difference(number), axis_of_difference(number), at);
    case composed_part::gradient:
      return gradient(into, all[0], all[1], axis_of_difference(number),
                      static_cast<edge_order>(order_of_difference(number)), at);
    case composed_part::trapezoid:
      return trapezoid(into, all[0], all[1], static_cast<unsigned>(number), at);
    case composed_part::convolve:
      return convolved([](auto&&... each) { return convolve(each...); });
    default:
      return convolved([](auto&&... each) { return correlate(each...); });
  }
}

/// Elements in order.
graph_value compose_ordered(graph_builder& into, const part_request& request,
                            std::span<const graph_value> all, const std::source_location& at) {
  const auto axis = static_cast<unsigned>(request.number);
  switch (request.what) {
    case composed_part::argsort:
      return argsort(into, all[0], axis, at);
    case composed_part::sort:
      return sort(into, all[0], axis, at);
    case composed_part::top_positions:
      return top_positions(into, all[0], axis_of_top(request.number), count_of_top(request.number), at);
    case composed_part::top_elements:
      return top_elements(into, all[0], axis_of_top(request.number), count_of_top(request.number), at);
    case composed_part::median:
      return median(into, all[0], axis, at);
    case composed_part::quantile:
      return quantile(into, all[0], all[1], axis, at);
    case composed_part::permutation:
      return rng::permutation(into, all[0], {all[1], all[2]}, at);
    case composed_part::shuffled:
      return rng::shuffled(into, all[0], axis, {all[1], all[2]}, at);
    default:
      return first_of_equal(into, all[0], at);
  }
}

/// Products of two arrays.
graph_value compose_product(graph_builder& into, const part_request& request,
                            std::span<const graph_value> all, const std::source_location& at) {
  switch (request.what) {
    case composed_part::matmul:
      return matmul(into, all[0], all[1], at);
    case composed_part::dot:
      return dot(into, all[0], all[1], at);
    case composed_part::vecdot:
      return vecdot(into, all[0], all[1], static_cast<std::int8_t>(request.number), at);
    default:
      return outer(into, all[0], all[1], at);
  }
}

/// What is not put together of parts: searches, draws, and what other folders compose.
graph_value compose_other(graph_builder& into, const part_request& request, std::span<const graph_value> all,
                          const std::source_location& at) {
  switch (request.what) {
    case composed_part::searchsorted:
      return searchsorted(into, all[0], all[1], static_cast<search_side>(request.number), at);
    case composed_part::interp:
      if (all.size() == 3) return interp(into, all[0], all[1], all[2], {}, at);
      return interp(into, all[0], all[1], all[2], {all[3], all[4]}, at);
    case composed_part::random:
      return compose_random(into, request.number, all, at);
    case composed_part::difference:
    case composed_part::gradient:
    case composed_part::trapezoid:
    case composed_part::convolve:
    case composed_part::correlate:
      return compose_stencil(into, request, all, at);
    case composed_part::argsort:
    case composed_part::sort:
    case composed_part::top_positions:
    case composed_part::top_elements:
    case composed_part::median:
    case composed_part::quantile:
    case composed_part::first_of_equal:
    case composed_part::permutation:
    case composed_part::shuffled:
      return compose_ordered(into, request, all, at);
    case composed_part::matmul:
    case composed_part::dot:
    case composed_part::vecdot:
    case composed_part::outer:
      return compose_product(into, request, all, at);
    default:
      return compose_counted(into, request, all, at);
  }
}

}  // namespace

graph_value compose_part(graph_builder& into, const part_request& request,
                         std::span<const graph_value> operands, const std::source_location& at) {
  part_composer made(into, at);
  std::vector<graph_value> all(operands.begin(), operands.end());
  for (std::size_t i = first_integer(request.what); i < all.size(); ++i)
    if (request.what != composed_part::pad_constant || i != 3)
      all[i] = into.cast(all[i], element_type::int64, at);
  const auto axis = static_cast<unsigned>(request.number);
  switch (request.what) {
    case composed_part::concatenate:
      return made.concatenate(all, axis);
    case composed_part::stack:
      return made.stack(all, axis);
    case composed_part::pad:
      return into.padded(all[0], axis, request.rule, all[1], all[2], at);
    case composed_part::pad_constant:
      return made.pad_constant(all, axis);
    case composed_part::roll:
      return made.roll(all[0], all[1], axis);
    case composed_part::repeat_elements:
      return into.extended(all[0], axis, extension::repeat, all[1], all[1], at);
    case composed_part::tile:
      return made.tile(all);
    case composed_part::lower_triangle:
      return made.where_diagonals(all[0], operation::less_equal, all[1]);
    case composed_part::upper_triangle:
      return made.where_diagonals(all[0], operation::greater_equal, all[1]);
    case composed_part::diag:
      return made.diag(all[0], all[1]);
    case composed_part::sliding_window:
      return made.sliding_window(all, request.number);
    case composed_part::reshape:
      return made.reshape(all, request.number);
    case composed_part::broadcast_to:
      return made.broadcast_to(all);
    case composed_part::squeeze:
      return made.squeeze(all[0], request.number);
    case composed_part::iota:
      return made.iota(all[0]);
    case composed_part::take:
      return made.take(all, request.number);
    case composed_part::take_along_axis:
      return made.take_along_axis(all[0], all[1], request.number);
    case composed_part::element:
      return into.element(all[0], std::span(all).subspan(1), static_cast<index_rule>(request.number), at);
    default:
      return compose_other(into, request, all, at);
  }
}

}  // namespace sinter::inline v0::detail
