#pragma once
// Which steps of a sequence come after which: an earlier step that writes what a later one uses, or uses what
// it writes, comes first.

#include <sinter/runtime/dispatch/sequence/recorded_step.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace sinter::inline v0::runtime {

using step_list = std::vector<std::unique_ptr<recorded_step>>;

class step_order {
 public:
  /// Orders the list's step of number size() after the ones before it.
  void append(const step_list& steps);
  std::size_t size() const { return before_.size(); }
  /// Whether the order still serves after a step has changed what memory it uses.
  bool serves(const step_list& steps, std::size_t changed) const;

  /// The steps that one waits for. What follows from others is left out.
  const std::vector<std::size_t>& before(std::size_t step) const { return before_[step]; }
  /// The steps by how long the longest chain before them is: those of one list are independent.
  const std::vector<std::vector<std::size_t>>& levels() const { return levels_; }

 private:
  std::vector<std::vector<std::size_t>> before_;
  std::vector<std::vector<bool>> all_before_;  ///< for each step, whether it comes after each earlier one
  std::vector<std::vector<std::size_t>> levels_;
  std::vector<std::size_t> level_of_;
};

}  // namespace sinter::inline v0::runtime
