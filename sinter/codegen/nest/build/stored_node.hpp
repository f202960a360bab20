#pragma once

#include <sinter/codegen/nest/build/computed_nodes.hpp>
#include <sinter/codegen/nest/nest.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

namespace sinter::inline v0 {

/// A node whose elements are in memory when a nest starts, or are to be stored there: one of the graph's
/// inputs or outputs, or a contiguous temporary.
struct stored_node {
  node_id node = 0;
  access::where place{};
  std::uint32_t index = 0;  ///< of the output or the temporary
  /// Of an array that is stored as a part of another one: that one, and where in its memory this one begins,
  /// in elements.
  node_id whole = no_node;
  std::int64_t offset = 0;
  /// Of a temporary whose indices out of range are reported where it is read: the temporary of as many
  /// integers that has their codes (indices/fault_codes.hpp).
  static constexpr std::uint32_t no_codes = ~0u;
  std::uint32_t codes = no_codes;
};

/// The entry of a node among the stored ones, which are in the order of nodes; nullptr if it must be
/// computed.
inline const stored_node* find_stored(std::span<const stored_node> stored, node_id id) {
  const auto found = std::ranges::lower_bound(stored, id, {}, &stored_node::node);
  return found == stored.end() || found->node != id ? nullptr : &*found;
}

}  // namespace sinter::inline v0
