#include <algorithm>

#include <sinter/runtime/dispatch/sequence/step_order.hpp>

namespace sinter::inline v0::runtime {

void step_order::append(const step_list& steps) {
  const std::size_t added = before_.size();
  std::vector<std::size_t> direct;
  std::vector<bool> all(added);
  std::size_t level = 0;
  for (std::size_t earlier = added; earlier-- > 0;) {
    if (all[earlier] || !steps[added]->shares_memory_with(*steps[earlier])) continue;
    direct.push_back(earlier);
    all[earlier] = true;
    for (std::size_t i = 0; i < earlier; ++i) all[i] = all[i] || all_before_[earlier][i];
    level = std::max(level, level_of_[earlier] + 1);
  }
  std::reverse(direct.begin(), direct.end());
  if (levels_.size() == level) levels_.emplace_back();
  levels_[level].push_back(added);
  level_of_.push_back(level);
  before_.push_back(std::move(direct));
  all_before_.push_back(std::move(all));
}

bool step_order::serves(const step_list& steps, std::size_t changed) const {
  for (std::size_t other = 0; other < before_.size(); ++other) {
    if (other == changed) continue;
    const std::size_t first = std::min(other, changed), second = std::max(other, changed);
    if (!all_before_[second][first] && steps[first]->shares_memory_with(*steps[second])) return false;
  }
  return true;
}

}  // namespace sinter::inline v0::runtime
