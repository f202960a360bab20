#pragma once
// Values that a nest would compute at several positions, as those under a stencil, and that take less time to
// store and read.

#include <sinter/codegen/nest/build/node_demands.hpp>

namespace sinter::inline v0 {

/// The value whose storing saves the most work, if that is worth its bytes (weight_of_a_byte); no_node if
/// there is none. A value that would be stored at many more positions than are read is not.
node_id find_recomputed(const call_facts& call, std::span<const stored_node> stored,
                        std::span<const stored_node> wanted, node_demands& demands, const nest& built);

}  // namespace sinter::inline v0
