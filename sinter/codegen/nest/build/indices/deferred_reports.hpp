#pragma once

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/call_facts.hpp>

#include <cstdint>
#include <vector>

namespace sinter::inline v0 {

/// Which values of a call, if they are stored, do not report the indices on which they depend: whether their
/// elements are used is only known to what reads them. Codes are stored beside them (fault_codes.hpp). Reused
/// between calls.
class deferred_reports {
 public:
  void find(const call_facts& call);
  bool are_deferred(node_id id) const { return id < deferred_.size() && deferred_[id] != 0; }

 private:
  std::vector<std::uint8_t> deferred_;  ///< by node; empty if no index may be out of range
  std::vector<std::uint8_t> used_;      ///< by node: whether all elements are used somewhere
};

/// The nodes under a node, or itself, that have an index which may be out of range.
std::vector<node_id> checked_gathers_under(const graph& recorded, node_id id);

}  // namespace sinter::inline v0
