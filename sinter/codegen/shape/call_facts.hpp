#pragma once
// What the passes are told of one call.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/codegen/target/target.hpp>

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <span>

namespace sinter::inline v0 {

struct call_facts {
  const graph& recorded;
  const shape_table& shapes;
  std::span<const array_layout> inputs;
  std::span<const array_layout> outputs;  ///< empty where results are fresh and contiguous
  std::span<const std::uint64_t> scalars;
  /// Kernels are to serve every call: extents, strides, offsets and which arrays are the same have the values
  /// of this call, but no kernel may follow from them.
  bool shape_generic = false;
  target_kind target = target_kind::cpu;

  /// Whether two nodes have one shape, in every call that the kernels are for.
  bool have_one_shape(node_id a, node_id b) const {
    return a == b || (!shape_generic && std::ranges::equal(shapes.of(a), shapes.of(b)));
  }
  /// Whether two nodes have one shape but for axes of one element, so that one nest can store both.
  bool have_one_space(node_id a, node_id b) const {
    if (a == b || shape_generic) return a == b;
    const auto is_long = [](std::int64_t extent) { return extent != 1; };
    return std::ranges::equal(shapes.of(a) | std::views::filter(is_long),
                              shapes.of(b) | std::views::filter(is_long));
  }
  /// The axis of a nest over `space`, a shape, that follows another axis of the nest and is longer than one
  /// element.
  static unsigned next_long_axis(std::span<const std::int64_t> space, unsigned axis) {
    while (space[space.size() - 1 - axis] == 1) ++axis;
    return axis;
  }
  /// Whether an axis has one position in every call that the kernels are for.
  bool is_single(std::int64_t extent) const { return extent == 1 && !shape_generic; }
  /// The number by which accesses of an input are known: equal numbers are one array.
  std::uint32_t array_of(std::size_t input) const {
    return shape_generic ? static_cast<std::uint32_t>(input) : inputs[input].identity;
  }
};

}  // namespace sinter::inline v0
