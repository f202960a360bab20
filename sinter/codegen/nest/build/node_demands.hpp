#pragma once
// The nodes that a nest computes, each with the positions where it is needed.

#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/nest/build/computed_nodes.hpp>
#include <sinter/codegen/nest/build/stored_node.hpp>
#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/nest/positions/axis_mapping_names.hpp>
#include <sinter/codegen/nest/positions/derived_positions.hpp>
#include <sinter/codegen/shape/call_facts.hpp>
#include <sinter/codegen/target/target.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

inline constexpr std::uint32_t no_demand = ~0u;

/// Why a value must be stored before the nest that reads it.
enum class stored_first : std::uint8_t {
  another_loop,   ///< it is a reduction or scan with a loop of its own
  many_values,    ///< the nest would compute values at too many positions
  recomputed,     ///< the nest would compute it at several positions, and storing it takes less time
  moved_twice,    ///< its elements are moved by a rule, and those of its user by another one
  read_in_body,   ///< a body takes its elements at indices
  index_of_rows,  ///< rows are read at it: what is stored is read once for a row, whose elements are vectors
  updated,        ///< it is a scatter: elements are combined in memory
  ordered,        ///< it is an argsort whose rows are sorted in memory
};

/// The demands of one nest. Reused between calls so that a known graph allocates nothing.
struct node_demands {
  /// A node wanted under one mapping of its axes.
  struct demand {
    node_id node = 0;
    std::uint32_t map = 0;   ///< first of its `rank` axis maps
    std::uint32_t next = 0;  ///< next demand of the same node
    std::uint32_t instruction = 0;
    std::uint32_t unrolled = 0;       ///< of a reduction without a loop: the number of its elements
    std::uint32_t first_element = 0;  ///< of them, the first in `elements`
    std::uint32_t body = 0;           ///< of a node with bodies, in `bodies`
    std::array<std::uint32_t, 3> inputs{};
  };
  /// Axes of the nest for a reduction or scan: those that its result varies along, and those that it reduces.
  /// The latter are `cannot_loop_over` for what this nest does not compute: a scan that is not wanted from
  /// its start, or what a shape-generic nest has stored first.
  struct reduction_axes {
    node_id node = 0;
    static constexpr std::uint32_t cannot_loop_over = ~0u;
    std::uint32_t kept = 0, own = 0;
  };

  /// Of a node with bodies: the components that are wanted, then what they need. It has the demand of each
  /// operand, or no_demand.
  struct body_demand {
    needed_parts parts;
    std::vector<std::uint32_t> operands;
  };

  std::vector<demand> all;
  std::vector<body_demand> bodies;
  std::vector<reduction_axes> reductions;
  std::vector<axis_map> maps;
  derived_positions derived;
  std::vector<std::uint32_t> elements;            ///< demands of the elements of unrolled reductions
  std::vector<std::uint32_t> first_of_node;       ///< for each node its first demand, or no_demand
  std::vector<node_id> nodes;                     ///< those with a demand
  std::vector<node_id> waiting;                   ///< a heap of those whose operands are not collected yet
  node_id last = 0;                               ///< the last node with a demand
  std::vector<std::uint32_t> weighed;             ///< for each node: the last sum of weights that counts it
  stored_first why = stored_first::another_loop;  ///< collect_demands() requires a value to be stored
  axis_mapping_names mapping_names;

  std::span<const axis_map> maps_of(const demand& at, unsigned rank) const {
    return std::span(maps).subspan(at.map, rank);
  }
  /// The axes of the nest that a node's axes move along, a bit for each.
  std::uint32_t axes_of(const demand& at, unsigned rank) const {
    std::uint32_t axes = 0;
    for (const axis_map& map : maps_of(at, rank)) axes |= derived.axes_of(map);
    return axes;
  }
  std::span<const std::uint32_t> elements_of(const demand& at) const {
    return std::span(elements).subspan(at.first_element, at.unrolled);
  }
  /// The first reduction or scan in the graph.
  node_id first_reduction() const;
};

/// The number of elements that one result of a reduction combines, in every call of the nest; `any_number` if
/// it differs between calls.
inline constexpr std::int64_t any_number = INT64_MAX;
std::int64_t elements_reduced(const call_facts& call, node_id reduction);

/// An axis of a nest's results that the nest does not have: it computes the elements along it side by side.
struct unrolled_axis {
  unsigned axis = 0;        ///< in the nest's numbers
  std::int64_t extent = 1;  ///< 1: none
};

/// Collects what the nest of the nodes `wanted` must compute, if those in `stored` are read. Sets the nest's
/// reduced axes, adds position accesses, and adds a store for each wanted node at each position of the
/// unrolled axis, with its demand's index as value. Returns no_node, or the node that must be stored first:
/// see build_nest().
node_id collect_demands(const call_facts& call, std::span<const stored_node> stored,
                        std::span<const stored_node> wanted, const unrolled_axis& unrolled,
                        node_demands& demands, nest& built);

}  // namespace sinter::inline v0
