#include <sinter/codegen/loops/passes/lower/report_shared_indices.hpp>

#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>

#include <algorithm>
#include <vector>

namespace sinter::inline v0::codegen {
namespace {

/// The statements of one loop over lanes.
class lane_loop {
 public:
  lane_loop(const loop_tree& tree, const statement& loop) : tree_(tree) {
    each_in_list(tree, loop.body, [&](statement_id id) { all_.push_back(id); });
    std::vector<expression> differing{loop.target};  // the lane, and values that differ with it
    for (const statement_id id : all_) {
      const statement& at = tree[id];
      is_shared_.push_back(std::ranges::none_of(differing, [&](expression name) { return reads(at, name); }));
      const bool is_value = at.kind == statement_kind::let || at.kind == statement_kind::report;
      if (at.kind != statement_kind::report && at.target.is_set() && !(is_value && is_shared_.back()))
        differing.push_back(at.target);
    }
  }

  /// The reports that all lanes share, and the values that they need, in their order.
  std::vector<statement_id> shared() const {
    std::vector<statement_id> moved;
    for (std::size_t i = all_.size(); i-- > 0;) {
      const statement& at = tree_[all_[i]];
      const bool is_report = at.kind == statement_kind::report && is_shared_[i];
      const bool is_needed =
          at.kind == statement_kind::let &&
          std::ranges::any_of(moved, [&](statement_id by) { return reads(tree_[by], at.target); });
      if (is_report || is_needed) moved.push_back(all_[i]);
    }
    std::ranges::reverse(moved);
    return moved;
  }

 private:
  bool reads(const statement& by, expression name) const {
    return std::ranges::any_of(
        std::initializer_list<expression>{by.value, by.condition, by.end, by.step},
        [&](expression part) { return part.is_set() && mentions(tree_.expressions, part, name); });
  }

  const loop_tree& tree_;
  std::vector<statement_id> all_;
  std::vector<bool> is_shared_;  ///< by statement: the same for all lanes
};

}  // namespace

void report_shared_indices(const kernel_description&, loop_tree& tree) {
  if (!has_statement(tree, statement_kind::report)) return;
  const auto shared_in = [&](const statement& at) {
    return is_vector(at) ? lane_loop(tree, at).shared() : std::vector<statement_id>();
  };
  replace_statements(
      tree, [&](const statement& at) { return !shared_in(at).empty(); },
      [&](statement_id loop) {
        const std::vector<statement_id> moved = shared_in(tree[loop]);
        std::vector<statement_id> all;
        each_in_list(tree, tree[loop].body, [&](statement_id id) { all.push_back(id); });
        statement_list before(tree), left(tree);
        for (const statement_id id : all) {
          const bool is_moved = std::ranges::find(moved, id) != moved.end();
          if (is_moved && tree[id].kind == statement_kind::report) tree[id].target = tree[id].begin = {};
          (is_moved ? before : left).take(id);
        }
        tree[loop].body = left.first();
        before.take(loop);
        return before.first();
      });
}

}  // namespace sinter::inline v0::codegen
