#include <sinter/codegen/nest/reduction_phases.hpp>

#include <algorithm>

namespace sinter::inline v0 {
bool has_scans(const nest& body) {
  return std::any_of(body.body.begin(), body.body.end(),
                     [](const instruction& at) { return is_scan(at.op); });
}

bool moves_along_reduced_axes(const nest& body, const access& at) {
  for (unsigned axis = 0; axis < body.rank; ++axis)
    if (body.is_reduced(axis) && at.moves_along(axis)) return true;
  return false;
}

/// An instruction is evaluated as soon as its operands are available; a reduction's value is available one
/// phase later.
void assign_phases(nest& bound) {
  bound.phases = 1;
  for (instruction& at : bound.body) {
    at.phase = 0;
    at.per_element = bound.reduced == 0;
    if (at.op == operation::input || at.op == operation::coordinate)
      at.per_element |= moves_along_reduced_axes(bound, bound.accesses[at.payload]);
    for (unsigned a = 0; a < at.arity; ++a) {
      const instruction& argument = bound.body[at.arguments[a]];
      const bool reduced = is_reduction(argument.op);
      at.phase =
          std::max<std::uint16_t>(at.phase, static_cast<std::uint16_t>(argument.phase + (reduced ? 1 : 0)));
      at.per_element |= argument.per_element && !reduced;
    }
    if (is_reduction(at.op)) at.per_element = false;
    if (is_scan(at.op)) at.per_element = true;
  }
  for (const instruction& at : bound.body)
    if (is_reduction(at.op)) bound.phases = std::max<unsigned>(bound.phases, at.phase + 1u);
  for (const store& at : bound.stores) {
    const instruction& value = bound.body[at.value];
    if (value.per_element || moves_along_reduced_axes(bound, bound.accesses[at.target]))
      bound.phases = std::max<unsigned>(bound.phases, phase_of_store(bound, at) + 1u);
  }
}

}  // namespace sinter::inline v0
