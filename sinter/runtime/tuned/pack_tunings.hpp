#pragma once
// What packs say of calls: the records that a pack carries beside its kernels.

#include <sinter/runtime/tuned/tuned_entry.hpp>

#include <map>
#include <memory>
#include <vector>

namespace sinter::inline v0::runtime {

/// The tuned calls of one pack, with its name as their origin.
using pack_tunings = std::map<tuned_key, std::shared_ptr<const tuned_call>>;

/// Those of the packs of the process's cache, in the order in which the packs are searched: threads keep
/// plans of calls for all environments, so that packs of one environment must not decide schedules. Packs
/// without any are left out. A pack is read once, or by several threads at the same time; one whose records
/// are damaged has none, and the log hook is told. Safe from any thread. Throws as process_cache() does.
std::vector<std::shared_ptr<const pack_tunings>> tunings_of_packs();

}  // namespace sinter::inline v0::runtime
