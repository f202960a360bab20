#pragma once

#include <sinter/codegen/nest/build/stored_node.hpp>
#include <sinter/codegen/shape/call_facts.hpp>

namespace sinter::inline v0 {

/// The computed index of a gather that is stored first because rows are read at it: once stored it is read
/// once for a row, and neighbours in a row are vectors. no_node if the index is read as it lies, rows are
/// short, or there are too few elements for one more stage.
node_id computed_index_of_rows(const call_facts& call, std::span<const stored_node> stored, node_id gather);

}  // namespace sinter::inline v0
