#include <sinter/codegen/nest/reduction_phases.hpp>

#include <algorithm>

namespace sinter::inline v0 {
bool has_scans(const nest_body& body) {
  return std::any_of(body.body.begin(), body.body.end(),
                     [](const instruction& at) { return needs_chunk(at.op); });
}

bool has_sorts(const nest_body& body) {
  return std::any_of(body.body.begin(), body.body.end(),
                     [](const instruction& at) { return at.op == operation::argsort; });
}

/// An instruction is evaluated as soon as its operands are available; a reduction's value is available one
/// phase later.
void assign_phases(nest& loop_nest) {
  loop_nest.phases = 1;
  for (instruction& at : loop_nest.body) {
    at.phase = 0;
    at.per_element = loop_nest.reduced == 0;
    if (at.op == operation::input || at.op == operation::coordinate)
      at.per_element |= moves_along_reduced_axes(loop_nest, loop_nest.accesses[at.payload]);
    for (const std::uint32_t number : loop_nest.arguments_of(at)) {
      const instruction& argument = loop_nest.body[number];
      const bool reduced = is_reduction(argument.op);
      at.phase =
          std::max<std::uint16_t>(at.phase, static_cast<std::uint16_t>(argument.phase + (reduced ? 1 : 0)));
      at.per_element |= argument.per_element && !reduced;
    }
    if (is_reduction(at.op)) at.per_element = false;
    if (needs_chunk(at.op)) at.per_element = true;
  }
  // what is in a body is evaluated with its owner, which comes later
  for (std::size_t i = loop_nest.body.size(); i-- > 0;) {
    instruction& at = loop_nest.body[i];
    if (at.owner == instruction::no_owner) continue;
    at.phase = loop_nest.body[at.owner].phase;
    at.per_element = loop_nest.body[at.owner].per_element;
  }
  for (const instruction& at : loop_nest.body)
    if (is_reduction(at.op)) loop_nest.phases = std::max<unsigned>(loop_nest.phases, at.phase + 1u);
  for (const store& at : loop_nest.stores) {
    const instruction& value = loop_nest.body[at.value];
    if (value.per_element || moves_along_reduced_axes(loop_nest, loop_nest.accesses[at.target]))
      loop_nest.phases = std::max<unsigned>(loop_nest.phases, phase_of_store(loop_nest, at) + 1u);
  }
}

}  // namespace sinter::inline v0
