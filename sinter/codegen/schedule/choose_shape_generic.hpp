#pragma once
// Schedules of the general variant: the graph alone decides them.

#include <sinter/codegen/schedule/choose_schedule.hpp>

namespace sinter {

/// The schedule of a nest whatever its extents and strides are.
schedule choose_general(const nest& bound, const target_facts& target, unsigned attempt);

}  // namespace sinter
