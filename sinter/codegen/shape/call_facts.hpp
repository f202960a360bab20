#pragma once
// What the passes are told of one call.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>

#include <algorithm>
#include <cstdint>
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

  /// Whether two nodes have one shape, in every call that the kernels are for.
  bool have_one_shape(node_id a, node_id b) const {
    return a == b || (!shape_generic && std::ranges::equal(shapes.of(a), shapes.of(b)));
  }
  /// Whether an axis has one position in every call that the kernels are for.
  bool is_single(std::int64_t extent) const { return extent == 1 && !shape_generic; }
  /// The number by which accesses of an input are known: equal numbers are one array.
  std::uint32_t array_of(std::size_t input) const {
    return shape_generic ? static_cast<std::uint32_t>(input) : inputs[input].identity;
  }
};

}  // namespace sinter::inline v0
