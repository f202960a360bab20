#pragma once
// The process's table of tuned calls, which the lowering of calls asks.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/tuned/tuned_entry.hpp>

#include <memory>
#include <span>

namespace sinter::inline v0::runtime {

/// What is tuned for a call: by tune() or load_tuning() in this process, else by a pack; nullptr if nothing
/// is. Safe from any thread, and cheap as long as nothing is tuned. Throws as process_cache() does.
std::shared_ptr<const tuned_call> find_tuned(const graph_hash& graph, device where,
                                             std::span<const array_layout> inputs,
                                             std::span<const array_layout> outputs);
/// Sets what is tuned for classes of calls; nullptr: nothing is. Calls that were planned before keep their
/// plans until their functions have other numbers (renumber_functions() in dispatch/function.hpp).
void set_tuned(std::span<const tuned_entry> entries);
/// Empties the table.
void clear_tuned();

}  // namespace sinter::inline v0::runtime
