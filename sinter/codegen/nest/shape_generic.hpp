#pragma once
// What the general variant is made of: decided by the graph alone, whatever the extents of a call.

#include <sinter/codegen/nest/build_nest.hpp>

namespace sinter {

/// The reduction that a node is made of, by views and by operations on it and single elements, so that one
/// nest makes it and what follows; no_node if there is none. It may be the node itself.
node_id reduction_within(const graph& recorded, node_id wanted);

/// Whether a reduction walks any axis. One that does not is its operand.
inline bool walks(const node& reduction) { return reduction.payload != 0; }

/// Whether a nest that only reads this value has it stored first: it takes a loop, or it is computed and
/// wanted at so many positions.
bool is_stored_first(const node& at, unsigned positions);

}  // namespace sinter
