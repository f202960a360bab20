#pragma once
// The process's table of tuned calls, which the lowering of calls asks.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/tuned/stage_schedules.hpp>

#include <memory>
#include <span>
#include <string>

namespace sinter::inline v0::runtime {

/// Which calls a tuning is for: those of a graph, on a model of device, of a class (call_class.hpp).
struct tuned_key {
  std::string graph;  ///< 32 hexadecimal digits
  std::string device, call;
  auto operator<=>(const tuned_key&) const = default;
};

std::string name_of(const graph_hash& hash);

/// What is tuned for a call: by tune() or load_tuning() in this process, else by a pack; nullptr if nothing
/// is. Safe from any thread, and cheap as long as nothing is tuned. Throws as current_cache() does.
std::shared_ptr<const tuned_call> find_tuned(const graph_hash& graph, device where,
                                             std::span<const array_layout> inputs,
                                             std::span<const array_layout> outputs);
/// Sets what is tuned for classes of calls; nullptr: nothing is. Calls that were planned before keep their
/// plans until their functions have other numbers (renumber_functions() in dispatch/function.hpp).
struct tuned_entry {
  tuned_key key;
  std::shared_ptr<const tuned_call> tuned;
};
void set_tuned(std::span<const tuned_entry> entries);
/// Empties the table.
void clear_tuned();

}  // namespace sinter::inline v0::runtime
