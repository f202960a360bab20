#include <sinter/codegen/phase_plan.hpp>

#include <algorithm>

namespace sinter::codegen {
phase_plan::phase_plan(const nest& body, bool kept)
    : body_(body), evaluated_(body.phases), lasts_(body.body.size(), false) {
  constexpr unsigned none = ~0u;
  std::vector<unsigned> first_phase(body.body.size(), none);
  std::vector<bool> wanted;
  for (unsigned phase = 0; phase < body.phases; ++phase) {
    wanted.assign(body.body.size(), false);
    for (const instruction& at : body.body)
      if (is_reduction(at.op) && at.phase == phase)
        for (unsigned a = 0; a < at.arity; ++a) wanted[at.arguments[a]] = true;
    for (const store& at : body.stores)
      if (stores_elements(body, at) && phase_of_store(body, at) == phase) wanted[at.value] = true;
    // arguments come before their users, so one walk from the end finds all
    for (std::size_t i = body.body.size(); i-- > 0;) {
      const instruction& at = body.body[i];
      if (!wanted[i] || !at.per_element) continue;
      if (kept && first_phase[i] != none) {
        lasts_[i] = true;
        continue;
      }
      first_phase[i] = phase;
      evaluated_[phase].push_back(static_cast<std::uint32_t>(i));
      for (unsigned a = 0; a < at.arity; ++a) wanted[at.arguments[a]] = true;
    }
    std::reverse(evaluated_[phase].begin(), evaluated_[phase].end());
  }
}

bool phase_plan::has_loop(unsigned phase) const {
  return std::any_of(body_.body.begin(), body_.body.end(),
                     [&](const instruction& at) { return is_reduction(at.op) && at.phase == phase; }) ||
         std::any_of(body_.stores.begin(), body_.stores.end(), [&](const store& at) {
           return stores_elements(body_, at) && phase_of_store(body_, at) == phase;
         });
}

}  // namespace sinter::codegen
