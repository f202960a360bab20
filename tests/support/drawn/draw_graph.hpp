#pragma once
// What makers of random graphs share. Numbers are drawn in the same order as ever, so that seeds keep their
// meaning.

#include "../sweep/sweep_layout.hpp"

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

namespace sinter::test {

/// Adds what `step` returns to the values, if it returns something and the graph then fits; otherwise, or if
/// types or shapes forbid it, the graph and its scalars stay as they were.
template <class Step, class Fits>
void try_to_add(graph_builder& to, std::vector<std::uint64_t>& scalars, std::vector<graph_value>& values,
                const Step& step, const Fits& fits) {
  const graph before = to.recorded();
  const std::vector<std::uint64_t> scalars_before = scalars;
  try {
    const std::optional<graph_value> made = step();
    if (made && fits()) {
      values.push_back(*made);
      return;
    }
  } catch (const type_error&) {
  } catch (const shape_error&) {
  }
  to.recorded() = before;
  scalars = scalars_before;
}

/// All axes in a random order.
inline std::vector<view_item> permuted_axes(unsigned rank, std::mt19937_64& random) {
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  std::shuffle(axes.begin(), axes.end(), random);
  std::vector<view_item> items;
  for (const std::int64_t axis : axes)
    items.push_back({view_item::kind::permute, literal_bound(axis), {}, {}});
  return items;
}

/// A slice from a bound on that only the call knows.
inline view_item slice_from_parameter(graph_builder& to, std::vector<std::uint64_t>& scalars,
                                      std::uint64_t bound) {
  scalars.push_back(bound);
  to.parameter(element_type::int64);
  return {view_item::kind::slice, parameter_bound(static_cast<std::uint32_t>(scalars.size() - 1)), {}, {}};
}

}  // namespace sinter::test
