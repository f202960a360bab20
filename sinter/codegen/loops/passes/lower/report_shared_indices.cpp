#include <sinter/codegen/loops/passes/lower/report_shared_indices.hpp>

#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>

#include <algorithm>
#include <vector>

namespace sinter::inline v0::codegen {
namespace {

/// What stands in one loop over lanes.
class lane_loop {
 public:
  lane_loop(const loop_tree& tree, const statement& loop) : tree_(tree), lane_(loop.target) {
    each_in_list(tree, loop.body, [&](statement_id id) { all_.push_back(id); });
  }

  /// The reports that no lane's value is in, and the values that they need, in their order.
  std::vector<statement_id> shared() const {
    std::vector<statement_id> moved;
    for (std::size_t i = all_.size(); i-- > 0;) {
      const bool is_report = at(i).kind == statement_kind::report && is_shared(i);
      const bool is_needed =
          at(i).kind == statement_kind::let &&
          std::ranges::any_of(moved, [&](statement_id by) { return reads(tree_[by], at(i).target); });
      if (is_report || is_needed) moved.push_back(all_[i]);
    }
    std::ranges::reverse(moved);
    return moved;
  }

 private:
  const statement& at(std::size_t i) const { return tree_[all_[i]]; }
  bool reads(const statement& by, expression name) const {
    return std::ranges::any_of(
        std::initializer_list<expression>{by.value, by.condition, by.end},
        [&](expression part) { return part.is_set() && mentions(tree_.expressions, part, name); });
  }
  /// Whether a statement is the same for all lanes: it reads neither the lane nor what differs with it.
  bool is_shared(std::size_t i) const {
    if (reads(at(i), lane_)) return false;
    for (std::size_t before = 0; before < i; ++before) {
      const expression declared = at(before).target;
      if (!declared.is_set() || !reads(at(i), declared)) continue;
      if (at(before).kind != statement_kind::let || !is_shared(before)) return false;
    }
    return true;
  }

  const loop_tree& tree_;
  expression lane_;
  std::vector<statement_id> all_;
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
