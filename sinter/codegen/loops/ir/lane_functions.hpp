#pragma once
// Functions that combine the lanes of reductions on the CPU, in kernels of many reductions: loops behind each
// reduction would be compiled again for each.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>

#include <string>

namespace sinter::inline v0::codegen {

/// "sum_f32": reductions of one kind share their functions. Those are
/// - combine_KIND(sum): lanes, until the first has all of them;
/// - collect_KIND(sum, upper, blocks): all levels of a summation tree into the lanes.
/// Inside the loop over a row nothing is called, or lanes would not stay in registers there: rows in the
/// cache take 15% longer then.
inline std::string lane_function_kind(const instruction& made) {
  return std::string(facts_of(made.op).name) + '_' + std::string(facts_of(made.compute).suffix);
}

/// Whether functions combine the lanes of a kernel's reductions. argmax and argmin always
/// have loops.
inline bool has_lane_functions(const kernel_description& kernel) {
  return kernel.target == target_kind::cpu && has_many_reductions(kernel.body);
}

}  // namespace sinter::inline v0::codegen
