#pragma once
// First step of the pass: a graph and concrete shapes become a nest. Views, broadcasting and coordinates turn
// into linear accesses; nothing of them is left in the body.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/axis_mapping_names.hpp>
#include <sinter/codegen/nest/lowering_variant.hpp>
#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>

#include <span>

namespace sinter {

/// Where one axis of a node lies in the iteration space: position = start + step * i[axis]; axis -1: start
/// alone.
struct axis_map {
  std::int32_t axis = -1;
  std::int64_t start = 0, step = 0;
  std::uint32_t form = 0;  ///< of the general variant, see axis_mapping_names.hpp
  bool operator==(const axis_map&) const = default;
};

/// Working memory of bind_nest(), kept between calls so that a known graph allocates nothing.
struct bind_scratch {
  /// A node wanted under one mapping of its axes.
  struct demand {
    node_id node = 0;
    std::uint32_t map = 0;   ///< first of its `rank` axis maps
    std::uint32_t next = 0;  ///< next demand of the same node
    std::uint32_t instruction = 0;
    std::uint32_t unrolled = 0;  ///< of a reduction without a loop: its elements, which are the inputs
    std::array<std::uint32_t, 4> inputs{};
  };
  /// Axes of the nest: those that a reduction's or a scan's result varies along beside the ones it walks, and
  /// those that it walks. The latter are `cannot_walk` of a scan that is not wanted from its beginning.
  struct reduction_axes {
    node_id node = 0;
    static constexpr std::uint32_t cannot_walk = ~0u;
    std::uint32_t kept = 0, own = 0;
  };
  std::vector<demand> demands;
  std::vector<reduction_axes> reductions;
  std::vector<axis_map> maps;
  bool has_too_many_values = false;  ///< why bind_nest() wants a value stored first
  map_forms forms;
  std::vector<std::uint32_t> first_of_node;
  std::vector<std::uint32_t> uses;
  std::vector<std::uint32_t> renumbered;
};

/// A node whose elements lie in memory where a nest begins, or are to be stored there: an array of the
/// graph's inputs and outputs, or a temporary of its own, contiguous.
struct stored_node {
  node_id node = 0;
  access::where place{};
  std::uint32_t index = 0;  ///< of the output or the temporary
};

inline constexpr node_id no_node = ~node_id{0};

/// Builds the nest that computes the nodes `wanted`, all of one shape, reading those of `stored` instead of
/// computing them. Axis i of the nest is result axis rank - 1 - i; then come reduced axes that are none of
/// the result's. Nothing is merged or dropped yet.
///
/// Returns no_node, or a reduction or scan that this nest cannot hold beside the others (it walks other axes,
/// has one result for each step along an axis that others walk, or one result for several steps along an axis
/// that is kept): that one has to be stored first. So has a value that is wanted at many positions where the
/// nest would compute more than most_nest_values.
///
/// Of the general variant the nest is the same but for extents, strides, offsets and constants whatever the
/// arrays are like: no access stands for another one, and each may be strided along every axis that it is not
/// the same along for good. One node is wanted at a time, with the reduction that it is made of
/// (shape_generic.hpp); every other reduction or scan has to be stored first, and what is computed for many
/// positions.
node_id bind_nest(const graph& recorded, const shape_table& shapes, std::span<const array_layout> inputs,
                  std::span<const array_layout> outputs, std::span<const std::uint64_t> scalars,
                  std::span<const stored_node> stored, std::span<const stored_node> wanted,
                  bind_scratch& scratch, nest& bound,
                  lowering_variant variant = lowering_variant::specialised);

}  // namespace sinter
