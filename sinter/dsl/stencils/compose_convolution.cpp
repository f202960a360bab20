#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/dsl/composed/graph_operations.hpp>
#include <sinter/dsl/stencils/compose_convolution.hpp>

#include <string>
#include <vector>

namespace sinter::inline v0 {
namespace {

/// Where the kernel begins, as numbers of the host: it lies `before` elements before the first one of x at
/// the first result, and `after` behind the last one at the last result.
struct overlap {
  graph_value before, after;
};

struct sliding_kernel : detail::graph_operations {
  unsigned axis;

  graph_value less_one(graph_value n) const { return subtract(n, number(1)); }
  /// The extent of an axis that has elements: a window of none is refused.
  graph_value some_elements(graph_value x, unsigned along) const {
    return extent(into.window(x, along, number(1), at), along);
  }
  graph_value reversed(graph_value kernel) const {
    std::vector<view_item> items(1);
    items[0].step = literal_bound(-1);
    return into.view(kernel, items, at);
  }
  /// Of n elements and m of the kernel. The results are those of all from `first` on.
  overlap overlap_of(graph_value n, graph_value m, convolution mode, bool is_reversed) const {
    const graph_value all = less_one(m), shorter = minimum(n, m);
    if (mode == convolution::full) return {all, all};
    if (mode == convolution::valid) {
      const graph_value past = subtract(m, shorter);
      return {past, past};
    }
    // of an even number of positions beyond the ends, correlate() has the other one if the kernel is longer
    const graph_value is_longer = minimum(number(1), subtract(m, shorter));
    const graph_value beyond =
        is_reversed ? less_one(shorter) : subtract(shorter, subtract(number(1), is_longer));
    const graph_value first = apply(operation::floor_divide, beyond, number(2));
    const graph_value before = subtract(all, first), count = maximum(n, m);
    return {before, subtract(subtract(add(count, all), n), before)};
  }
  /// The terms of each sum along a new last axis, 0 where the kernel lies past an end. x goes on at its ends
  /// and is masked: the CPU reads the inside of such an axis as whole vectors, and concatenated zeros one
  /// element at a time. The mask is one of products, as the kernel may be infinite.
  graph_value terms(graph_value x, graph_value n, graph_value kernel, const overlap& beside) const {
    const graph_value end = add(beside.before, n), m = extent(kernel, 0);
    const graph_value longer =
        into.extended(x, axis, extension::edge, negative(beside.before), add(end, beside.after), at);
    const graph_value position = into.coordinate(longer, axis, at);
    const graph_value is_inside =
        both(apply(operation::greater_equal, position, beside.before), less(position, end));
    const graph_value products = multiply(into.window(longer, axis, m, at), kernel);
    return where(into.window(is_inside, axis, m, at), products, cast(into.literal(false), x.type.type));
  }
};

struct kernel_request {
  const char* function;
  convolution mode;
  unsigned axis;
  bool is_reversed;
};

graph_value slide(graph_builder& into, graph_value x, graph_value kernel, const kernel_request& request,
                  const std::source_location& at) {
  const auto refuse = [&](const std::string& reason) {
    throw shape_error(request.function + describe(at) + ": " + reason);
  };
  if (request.axis >= x.rank)
    refuse("there is no axis " + std::to_string(request.axis) + " of " + std::to_string(x.rank));
  if (kernel.rank != 1) refuse("a kernel has one axis");
  const sliding_kernel of{{into, at}, request.axis};
  const element_type type = settled_elements(promote(x.type, kernel.type), 1).type;
  x = of.cast(x, type);
  kernel = of.cast(kernel, type);
  const graph_value n = of.some_elements(x, of.axis), m = of.some_elements(kernel, 0);
  if (request.is_reversed) kernel = of.reversed(kernel);
  const graph_value terms = of.terms(x, n, kernel, of.overlap_of(n, m, request.mode, request.is_reversed));
  return of.cast(into.reduce(operation::sum, terms, 1u << x.rank, false, at), type);
}

}  // namespace

graph_value convolve(graph_builder& into, graph_value x, graph_value kernel, convolution mode, unsigned axis,
                     const std::source_location& at) {
  return slide(into, x, kernel, {"convolve", mode, axis, true}, at);
}

graph_value correlate(graph_builder& into, graph_value x, graph_value kernel, convolution mode, unsigned axis,
                      const std::source_location& at) {
  if (is_complex(kernel.type.type)) kernel = into.apply(operation::conj, {kernel}, at);
  return slide(into, x, kernel, {"correlate", mode, axis, false}, at);
}

}  // namespace sinter::inline v0
