#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/view_rules.hpp>
#include <sinter/codegen/types/rank.hpp>

namespace sinter::inline v0 {
namespace {

view_outcome check_permutation(std::span<const view_item> items, unsigned rank) {
  std::uint64_t seen = 0;
  for (const view_item& item : items) {
    const bool is_axis = item.what == view_item::kind::permute && !item.start.absent() &&
                         !item.start.is_parameter() && item.start.value >= 0 && item.start.value < rank;
    if (!is_axis) return {0, "a permutation names axes of its operand and nothing else"};
    seen |= std::uint64_t{1} << item.start.value;
  }
  if (items.size() != rank || seen != (std::uint64_t{1} << rank) - 1)
    return {0, "a permutation names every axis once"};
  return {rank, {}};
}

bool is_bound(const bound& from, std::span<const element_type> parameters) {
  if (from.from > static_cast<std::uint64_t>(bound::source::parameter)) return false;
  if (!from.is_parameter()) return true;
  const auto index = static_cast<std::uint64_t>(from.value);
  return index < parameters.size() && parameters[index] == element_type::int64;
}

}  // namespace

view_outcome check_view(std::span<const view_item> items, unsigned rank,
                        std::span<const element_type> parameters) {
  if (!items.empty() && items.front().what == view_item::kind::permute) return check_permutation(items, rank);
  unsigned consumed = 0, produced = 0;
  for (const view_item& item : items) {
    if (!is_bound(item.start, parameters) || !is_bound(item.stop, parameters) ||
        !is_bound(item.step, parameters))
      return {0, "a bound is not an int64 parameter of this graph"};
    switch (item.what) {
      case view_item::kind::slice:
        ++consumed, ++produced;
        if (item.step == literal_bound(0)) return {0, "a slice cannot have step 0"};
        break;
      case view_item::kind::index:
        ++consumed;
        if (item.start.absent()) return {0, "an index has no position"};
        break;
      case view_item::kind::newaxis:
        ++produced;
        break;
      case view_item::kind::permute:
        return {0, "a permutation cannot be mixed with slices, indices or newaxis"};
      default:
        return {0, "an item has an unknown kind"};
    }
  }
  if (consumed > rank) return {0, "there are more indices than axes"};
  const unsigned result = rank - consumed + produced;
  if (result > max_rank) return {0, "the result has more axes than an array may have"};
  return {result, {}};
}

}  // namespace sinter::inline v0
