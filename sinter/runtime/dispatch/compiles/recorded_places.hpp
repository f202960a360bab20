#pragma once
// The places in a program at which functions are recorded, and how many graphs each has made.

#include <sinter/codegen/graph/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace sinter::inline v0::runtime {

/// Counts the functions that were recorded at each place for operands and scalars of the same types. Bounded:
/// with too many places, all begin again. The caller locks.
class recorded_places {
 public:
  /// How many different graphs its place has recorded, with this one; 0 for a graph without a place, and for
  /// the latest graph again, whose function was dropped meanwhile.
  std::size_t count(const graph& recorded, const graph_hash& hash);

 private:
  struct place {
    std::size_t graphs = 0;
    graph_hash latest;
  };
  std::unordered_map<std::uint64_t, place> places_;
};

}  // namespace sinter::inline v0::runtime
