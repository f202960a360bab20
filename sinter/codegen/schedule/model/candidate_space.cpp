#include <sinter/codegen/schedule/model/candidate_space.hpp>

#include <sinter/codegen/schedule/model/candidate_list.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>

namespace sinter::inline v0 {

bool has_long_rows(const schedule& proposed) {
  return proposed.order != loop_order::flat || proposed.whole_rows;
}

void list_candidates(const nest& loop_nest, const schedule& proposed, const target_facts& target,
                     std::vector<schedule>& candidates) {
  candidates.clear();
  if (loop_nest.shape_generic) return;
  if (proposed.private_updates != 0) return;  // the model knows no updates
  if (loop_nest.reduced == 0)
    list_pointwise(loop_nest, proposed, target, candidates);
  else
    list_reductions(loop_nest, proposed, target, candidates);
}

schedule with_loads(schedule chosen, const nest& loop_nest, std::span<const array_layout> inputs,
                    std::span<const array_layout> outputs) {
  if (!is_reduction_order(chosen.order)) return chosen;
  const unsigned axis = reduces_columns(chosen.order) ? 0 : first_reduced_axis(loop_nest);
  chosen.scalar_loads =
      chosen.vector > 1 && !loads_whole_lanes(loop_nest, axis, chosen.vector, inputs, outputs);
  return chosen;
}

}  // namespace sinter::inline v0
