#pragma once
// The elements that bodies take of arrays, at indices that they compute.

#include <sinter/codegen/graph/parts/index_rule.hpp>
#include <sinter/codegen/nest/build/indices/report_indices.hpp>
#include <sinter/codegen/nest/build/node_demands.hpp>
#include <sinter/codegen/nest/build/position_instructions.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

class body_elements {
 public:
  body_elements(const call_facts& call, std::span<const stored_node> stored, const node_demands& demands,
                nest& to)
      : call_(call), stored_(stored), demands_(demands), nest_(to) {}

  /// Appends what reads the element of a demanded array at an index along each axis; returns its instruction.
  /// Adds a check for each index that may be out of range, which names the node `user`.
  std::uint32_t append(std::uint32_t array, std::span<const std::uint32_t> indices, index_rule rule,
                       node_id user, std::vector<index_check>& checks);

 private:
  std::uint32_t position_of(std::uint32_t index, std::int64_t extent, index_rule rule);
  /// What is in memory of which a demanded array is a view.
  const node_demands::demand& in_memory(std::uint32_t array) const;

  const call_facts& call_;
  std::span<const stored_node> stored_;
  const node_demands& demands_;
  nest& nest_;
  std::vector<std::uint32_t> positions_;  ///< by axis, of the element that is being read
  position_writer writer_{demands_.derived, nest_, [this](const derived_position& of) {
                            return positions_[static_cast<std::size_t>(of.body_axis)];
                          }};
};

}  // namespace sinter::inline v0
