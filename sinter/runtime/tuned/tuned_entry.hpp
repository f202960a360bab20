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

/// By which tunings know a graph, of which this is the hash: without graph::derived_limits, which graphs of
/// recordings do not have.
graph_hash tuning_hash_of(const graph& content, const graph_hash& content_hash);

struct tuned_entry {
  tuned_key key;
  std::shared_ptr<const tuned_call> tuned;  ///< nullptr: nothing is
};

}  // namespace sinter::inline v0::runtime
