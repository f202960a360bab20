#pragma once
// Results that are several arrays one after the other: each of them is stored where it belongs, so that no
// element asks in which array it is.

#include <sinter/codegen/nest/build/node_demands.hpp>
#include <sinter/codegen/shape/call_facts.hpp>

#include <vector>

namespace sinter::inline v0 {

/// The results of a call, as they are stored: a result, or the arrays that it is concatenated from where one
/// more stage for each of them takes less time than it saves. In shape-generic kernels, where nothing may
/// follow from extents, all that are at most max_generic_parts (graph_limits.hpp).
void list_result_parts(const call_facts& call, std::vector<stored_node>& parts);

}  // namespace sinter::inline v0
