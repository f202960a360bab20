#pragma once
// Values that a nest would compute at several positions, as those under a stencil, and that take less time to
// store and read.

#include <sinter/codegen/nest/build/node_demands.hpp>
#include <sinter/codegen/target/target.hpp>

namespace sinter::inline v0 {

/// The value whose storing saves the most work: what it is computed from is then read and evaluated once, and
/// in the value's own order. no_node if there is none. A value that would be stored at many more positions
/// than are read is not.
node_id find_recomputed(const call_facts& call, std::span<const stored_node> stored,
                        std::span<const stored_node> wanted, node_demands& demands, const nest& built);

/// Whether a value that several stages need, so many times in all, takes less time if a stage of its own
/// stores it: `alone` is the nest of that stage, as build_nest() makes it.
bool is_worth_sharing(const nest& alone, std::uint64_t uses, target_kind target);

}  // namespace sinter::inline v0
