#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/types/rank.hpp>

#include <vector>

namespace sinter::inline v0 {
namespace {

bool is_elementwise(operation op) {
  return op == operation::cast || (!is_structural(op) && !is_reduction(op) && !is_scan(op));
}

bool is_known(operation op) {
  return op == operation::literal || op == operation::parameter || op == operation::extent;
}

}  // namespace

bool is_host_scalar(const graph& recorded, node_id id) {
  if (recorded.nodes[id].rank != 0) return false;
  if (is_known(recorded.nodes[id].op)) return true;
  std::vector<bool> needed(id + 1, false);
  needed[id] = true;
  for (node_id at = id + 1; at-- > 0;) {
    const node& entry = recorded.nodes[at];
    if (!needed[at] || is_known(entry.op)) continue;
    if (!is_elementwise(entry.op)) return false;
    for (const node_id operand : recorded.operands_of(entry)) needed[operand] = true;
  }
  return true;
}

unsigned rank_of_part(const graph& recorded, const node& part) {
  const unsigned rank = recorded.nodes[part.inputs[0]].rank;
  switch (part.op) {
    case operation::window:
      return rank + 1;
    case operation::diagonal:
    case operation::merged:
      return rank - 1;
    case operation::split:
      return is_whole(part) ? rank : rank + 1;
    default:
      return rank;
  }
}

std::string fault_in_axes(const graph& recorded, const node& part) {
  const unsigned rank = recorded.nodes[part.inputs[0]].rank, axis = part_axis(part);
  if (axis >= rank) return "there is no axis " + std::to_string(axis);
  const std::uint64_t beside = part.payload >> 8;
  switch (part.op) {
    case operation::extended:
      if ((beside & 0xff) > static_cast<std::uint64_t>(extension::repeat))
        return "there is no extension " + std::to_string(beside & 0xff);
      if (beside >> 8 > (is_first_read(extension_of(part)) ? 1u : 0u)) return "its payload is out of range";
      break;
    case operation::diagonal:
      if (beside >= rank) return "there is no axis " + std::to_string(beside);
      if (beside == axis) return "a diagonal is that of two axes";
      break;
    case operation::split:
      if (beside > 1) return "its payload is out of range";
      break;
    case operation::gather:
      if ((beside & 0xff) > 1 || beside >> 8 >= max_rank) return "its payload is out of range";
      break;
    default:
      if (beside != 0) return "its payload is out of range";
      break;
  }
  if (part.op == operation::merged && axis + 1 == rank)
    return "there is no axis " + std::to_string(rank) + ", which would be merged with the one before it";
  const bool has_two = part.op == operation::concatenate || part.op == operation::gather;
  if (has_two && recorded.nodes[part.inputs[1]].rank != rank)
    return "the ranks differ: " + std::to_string(rank) + " and " +
           std::to_string(recorded.nodes[part.inputs[1]].rank);
  if (rank_of_part(recorded, part) > max_rank)
    return "the result has more than " + std::to_string(max_rank) + " axes";
  return {};
}

}  // namespace sinter::inline v0
