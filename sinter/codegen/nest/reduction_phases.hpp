#pragma once
// Phases of a nest with reductions: when each value is available.

#include <sinter/codegen/nest/nest.hpp>

namespace sinter::inline v0 {

/// The phase of a store: its value's phase, or the next one if the value is a reduction.
inline unsigned phase_of_store(const nest_body& body, const store& at) {
  const instruction& value = body.body[at.value];
  return value.phase + (is_reduction(value.op) ? 1u : 0u);
}

/// Sets phase and per_element of every instruction, and the number of phases.
void assign_phases(nest& body);

/// Whether a nest has scans or sorts.
bool has_scans(const nest_body& body);
/// Whether it has sorts.
bool has_sorts(const nest_body& body);

/// Whether an access steps along a reduced axis.
template <typename Access>
bool moves_along_reduced_axes(const nest_body& body, const Access& at) {
  for (unsigned axis = 0; axis < body.rank; ++axis)
    if (body.is_reduced(axis) && at.moves_along(axis)) return true;
  return false;
}

/// Whether a store writes for each element of a row, not once per row.
template <typename Nest>
bool stores_elements(const Nest& body, const store& at) {
  return moves_along_reduced_axes(body, body.accesses[at.target]);
}

}  // namespace sinter::inline v0
