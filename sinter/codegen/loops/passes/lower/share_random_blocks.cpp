#include <sinter/codegen/loops/passes/lower/share_random_blocks.hpp>

#include <sinter/codegen/loops/ir/lane_stride.hpp>
#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace sinter::inline v0::codegen {
namespace {

class block_sharing {
 public:
  block_sharing(const kernel_description& kernel, loop_tree& tree) : kernel_(kernel), tree_(tree) {
    find_counters();
  }
  bool finds_any() const { return std::ranges::find(is_counter_, true) != is_counter_.end(); }

  bool is_shared(const statement& at) {
    return at.kind == statement_kind::loop && at.loop == loop_kind::unrolled && at.speculative &&
           is_power_of_two(lanes_of(at)) && condition_of(at).is_set();
  }
  /// Both loops, of which one runs.
  statement_id shared(statement_id id) {
    const statement loop = tree_[id];
    statement both{.kind = statement_kind::guard};
    both.condition = condition_of(loop);
    both.body = copied(loop, true);
    both.otherwise = copied(loop, false);
    return add_statement(tree_, both);
  }

 private:
  /// Marks the positions from which numbers of words are computed. Operands of an instruction precede it.
  void find_counters() {
    const std::span<const instruction> body = kernel_.body.body;
    is_counter_.resize(body.size());
    for (std::size_t i = body.size(); i-- > 0;) {
      const instruction& at = body[i];
      const unsigned counted = at.op == operation::random_word ? 1 : is_counter_[i] ? at.arity : 0;
      for (unsigned a = 0; a < counted; ++a) is_counter_[at.arguments[a]] = true;
      is_counter_[i] = is_counter_[i] && at.op == operation::coordinate;
    }
  }

  /// The lanes of a loop; 0 if they are no number.
  std::int64_t lanes_of(const statement& loop) const {
    const expression_node& end = tree_.expressions[loop.end.id];
    return end.kind == expression_kind::integer ? end.value : 0;
  }
  static bool is_power_of_two(std::int64_t lanes) { return lanes > 1 && (lanes & (lanes - 1)) == 0; }

  /// The position of a let that counts words, at its lane; not set for other statements.
  expression position_of(const statement& at) {
    if (at.kind != statement_kind::let) return {};
    const expression_node& value = tree_.expressions[at.value.id];
    if (value.kind != expression_kind::evaluate || !is_counter_[static_cast<std::size_t>(value.value)])
      return {};
    return tree_.expressions.at(tree_.expressions.operands_of(at.value.id)[0]);
  }
  bool goes_up_by_one(expression position, expression lane) {
    const std::optional<lane_stride> growth = growth_along_lanes(tree_.expressions, position, lane);
    return growth.has_value() && !growth->by.is_set();
  }
  /// A position at the first lane: sums without the lane.
  expression at_first_lane(expression position, expression lane) {
    return rewritten(tree_.expressions, position, [&](expression part) -> std::optional<expression> {
      if (tree_.expressions[part.id].kind != expression_kind::sum) return {};
      std::vector<expression> others;
      for (const std::uint32_t term : tree_.expressions.operands_of(part.id))
        if (term != lane.id) others.push_back(tree_.expressions.at(term));
      if (others.size() == tree_.expressions.operands_of(part.id).size()) return {};
      return sum_of(tree_.expressions, others);
    });
  }

  /// Whether a loop's vector begins at a multiple of its lanes; not set where no position counts words.
  expression condition_of(const statement& loop) {
    expression all{};
    each_in_list(tree_, loop.body, [&](statement_id id) {
      const expression position = position_of(tree_[id]);
      if (!position.is_set() || !goes_up_by_one(position, loop.target)) return;
      const expression aligned = (at_first_lane(position, loop.target) & (lanes_of(loop) - 1)) == 0;
      all = all.is_set() ? all && aligned : aligned;
    });
    return all;
  }

  statement_id copied(const statement& loop, bool is_aligned) {
    statement made = loop;
    made.next = no_statement;
    made.body = copy_list(tree_, loop.body, [&](statement& at) {
      const expression position = position_of(at);
      if (!is_aligned || !position.is_set() || !goes_up_by_one(position, loop.target)) return;
      // the condition says so, too, but not to what shares a block between lanes: the first lane is one of
      // them
      const expression begin = at_first_lane(position, loop.target) & -lanes_of(loop);
      at.value = tree_.expressions.make(expression_kind::evaluate,
                                        {tree_.expressions.call("position_in_block", {begin, loop.target})},
                                        tree_.expressions[at.value.id].value);
    });
    return add_statement(tree_, made);
  }

  const kernel_description& kernel_;
  loop_tree& tree_;
  std::vector<bool> is_counter_;  ///< of each instruction: a position that counts words
};

}  // namespace

void share_random_blocks(const kernel_description& kernel, loop_tree& tree) {
  if (tree.row.lane.is_set()) return;
  block_sharing pass(kernel, tree);
  if (!pass.finds_any()) return;
  replace_statements(
      tree, [&](const statement& at) { return pass.is_shared(at); },
      [&](statement_id id) { return pass.shared(id); });
}

}  // namespace sinter::inline v0::codegen
