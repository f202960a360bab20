#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/scatters/scatter_node.hpp>
#include <sinter/codegen/types/rank.hpp>

namespace sinter::inline v0 {

std::string fault_in_scatter(const graph& recorded, const node& scatter) {
  const node &base = recorded.nodes[scatter.inputs[0]], &index = recorded.nodes[scatter.inputs[1]],
             &updates = recorded.nodes[scatter.inputs[2]];
  const scatter_form form = form_of_scatter(scatter);
  if (form.axis >= base.rank) return "there is no axis " + std::to_string(form.axis);
  if (index.rank != base.rank || updates.rank != base.rank)
    return "the ranks differ: " + std::to_string(base.rank) + ", " + std::to_string(index.rank) + " and " +
           std::to_string(updates.rank);
  if (index.type != element_type::int64) return "its index is not int64";
  if (updates.type != base.type) return "its base and updates have different types";
  if (static_cast<std::size_t>(form.combine) >= operations().size() ||
      !combines_in_memory(form.combine, base.type))
    return "it combines no elements of " + std::string(facts_of(base.type).name) + " in any order";
  if (form.rule > scatter_rule::counted || form.named_axis >= max_rank) return "its payload is out of range";
  return {};
}

}  // namespace sinter::inline v0
