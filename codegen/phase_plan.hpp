#pragma once
// What each phase of a nest that reduces evaluates for every element, and what it finds there from earlier
// phases.

#include <sinter/codegen/reduction.hpp>

#include <span>
#include <vector>

namespace sinter::codegen {

class phase_plan {
 public:
  /// With `kept` values stay in registers from the phase that first needs them; else each phase evaluates
  /// anew what it needs.
  phase_plan(const nest& body, bool kept);

  /// Instructions that are evaluated for each element of a phase, arguments first.
  std::span<const std::uint32_t> evaluated(unsigned phase) const { return evaluated_[phase]; }
  /// Whether a later phase than the one that evaluates an instruction needs its value.
  bool lasts(std::uint32_t instruction) const { return lasts_[instruction]; }
  /// Whether a phase reduces or stores anything for each element.
  bool has_loop(unsigned phase) const;

 private:
  const nest& body_;
  std::vector<std::vector<std::uint32_t>> evaluated_;
  std::vector<bool> lasts_;
};

}  // namespace sinter::codegen
