#pragma once
// What is tuned for a class of calls, under what it is found by.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/tuned/stage_schedules.hpp>

#include <compare>
#include <memory>
#include <string>

namespace sinter::inline v0::runtime {

/// Which calls a tuning is for: those of a graph, on a model of device, of a class (call_class.hpp).
struct tuned_key {
  std::string graph;  ///< 32 hexadecimal digits
  std::string device, call;
  auto operator<=>(const tuned_key&) const = default;
};

std::string name_of(const graph_hash& hash);

struct tuned_entry {
  tuned_key key;
  std::shared_ptr<const tuned_call> tuned;  ///< nullptr: nothing is
};

}  // namespace sinter::inline v0::runtime
