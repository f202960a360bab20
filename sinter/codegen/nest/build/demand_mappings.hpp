#pragma once
// From the positions where a node is wanted to those of its operands.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/build/node_demands.hpp>
#include <sinter/codegen/shape/source_axes.hpp>

#include <algorithm>
#include <array>
#include <span>

namespace sinter::inline v0 {

/// Maps axes of operands into the iteration space of the nest that is being built; the mapping made last is
/// map_.
class demand_mappings {
 protected:
  demand_mappings(const call_facts& call, node_demands& demands, nest& built)
      : call_(call), graph_(call.recorded), shapes_(call.shapes), demands_(demands), nest_(built) {}

  struct mapping {
    std::array<axis_map, max_rank> axes;
    unsigned size = 0;
    void clear_to(unsigned rank) {
      size = rank;
      std::fill_n(axes.begin(), rank, axis_map{});
    }
    std::span<const axis_map> maps() const { return std::span(axes).first(size); }
  };

  const axis_map& map_of(std::uint32_t demand, unsigned axis) const {
    return demands_.maps[demands_.all[demand].map + axis];
  }
  unsigned positions_of(node_id id) const;

  void map_through_broadcast(const node& at, node_id id, unsigned input, std::uint32_t demand);
  /// To an operand that is broadcast to `outer`, the axes of a node whose operands have no common shape.
  void map_to_operand(std::span<const axis_map> outer, node_id operand);
  void map_through_view(const node& at, node_id id, std::uint32_t demand);
  /// To an operand of a node that moves elements (source_axes.hpp). False if the node must be stored first.
  bool map_to_source(node_id id, unsigned operand, std::uint32_t demand);

  /// Of the axis of a gather's source: the position that a wanted index is.
  axis_map map_to_index(node_id gather, std::uint32_t index);
  /// To an array of which a body takes elements.
  void map_to_indices_of_body(node_id source);

  const call_facts& call_;
  const graph& graph_;
  const shape_table& shapes_;
  node_demands& demands_;
  nest& nest_;
  mapping map_;

 private:
  std::optional<axis_map> map_of_source(const source_axis& source, node_id id, unsigned number,
                                        std::uint32_t demand);
  axis_map perhaps_broadcast(axis_map outer, node_id operand, unsigned axis, std::int64_t extent);
};

}  // namespace sinter::inline v0
