#include <sinter/codegen/loops/passes/lower/vectorise_lanes.hpp>

#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>

#include <bit>

namespace sinter::inline v0::codegen {
namespace {

/// A group of lanes is a vector where all of them are in the row. A chunk has one group. The builder bounds
/// its loops by a choice: all lanes if the group is whole, else the lanes that remain.
class lane_vectors {
 public:
  lane_vectors(const kernel_description& kernel, loop_tree& tree)
      : tree_(tree),
        table_(tree.expressions),
        is_nested_(!std::has_single_bit(kernel.body.reduced)),
        columns_(reduces_columns(kernel.chosen.order)) {}

  void run() {
    replace_statements(tree_, is_chunks, [&](statement_id id) {
      tree_[id].next = no_statement;
      if (!has_lanes(tree_[id].body)) return id;
      const lane_bound bound = bound_of(tree_[id].body);
      if (bound.declared != no_statement) return split(id, bound);
      tree_[id].body = with_guards(tree_[id].body, bound);
      return id;
    });
  }

 private:
  struct lane_bound {
    expression is_whole, all, left;
    statement_id declared = no_statement;  ///< the let that says how many lanes a chunk has, if it differs
  };
  static bool is_lanes(const statement& at) {
    return at.kind == statement_kind::loop && at.loop == loop_kind::lanes;
  }
  bool has_lanes(statement_id list) const {
    bool found = false;
    each_in_list(tree_, list, [&](statement_id id) { found |= is_lanes(tree_[id]); });
    return found;
  }
  expression operand_of(expression of, std::size_t number) {
    return table_.at(table_.operands_of(of.id)[number]);
  }
  lane_bound bound_of(statement_id list) {
    lane_bound found;
    expression bound;
    each_in_list(tree_, list, [&](statement_id id) {
      if (is_lanes(tree_[id]) && !bound.is_set()) bound = tree_[id].end;
    });
    each_in_list(tree_, list, [&](statement_id id) {
      if (tree_[id].kind != statement_kind::let || bound.id != tree_[id].target.id) return;
      found.declared = id;
    });
    const expression choice = found.declared == no_statement ? bound : tree_[found.declared].value;
    found.is_whole = operand_of(choice, 0);
    found.all = operand_of(choice, 1);
    found.left = operand_of(choice, 2);
    return found;
  }

  /// Whole groups have a loop of their own, so that sums stay in registers where nothing asks for a lane by
  /// number; a guarded loop after it handles the remaining lanes.
  statement_id split(statement_id id, const lane_bound& bound) {
    const statement loop = tree_[id];
    statement whole = loop;
    whole.is_whole = true;
    whole.body = without(vectors(loop.body, bound), [&](const statement& at) {
      return at.kind == statement_kind::let && at.value.id == tree_[bound.declared].value.id;
    });
    tree_[bound.declared].value = bound.left;
    statement rest{.kind = statement_kind::guard};
    rest.type = loop.type;
    rest.target = loop.target;
    rest.value = loop.end / loop.step * loop.step;
    rest.condition = loop.target < loop.end;
    // sums go up the tree for the chunks that follow
    rest.body = without(loop.body,
                        [&](const statement& at) { return !is_nested_ && at.kind == statement_kind::grow; });
    statement_list made(tree_);
    made.add(whole);
    made.add(rest);
    return made.first();
  }
  template <typename Test>
  statement_id without(statement_id list, Test test) {
    statement_list kept(tree_);
    for (statement_id id = list, next = no_statement; id != no_statement; id = next) {
      next = tree_[id].next;
      if (!test(tree_[id])) kept.take(id);
    }
    return kept.first();
  }

  /// A copy of a list in which all lanes are there.
  statement_id vectors(statement_id list, const lane_bound& bound) {
    return copy_list(tree_, list, [&](statement& at) {
      if (at.kind == statement_kind::scan) at.value = bound.all;
      if (!is_lanes(at)) return;
      at.loop = loop_kind::vector;
      at.end = bound.all;
    });
  }
  /// The list with a choice in place of each loop over lanes.
  statement_id with_guards(statement_id list, const lane_bound& bound) {
    statement_list made(tree_);
    for (statement_id id = list, next = no_statement; id != no_statement; id = next) {
      next = tree_[id].next;
      if (!is_lanes(tree_[id])) {
        made.take(id);
        continue;
      }
      tree_[id].next = no_statement;
      tree_[id].end = bound.left;
      statement guard{.kind = statement_kind::guard};
      guard.condition = bound.is_whole;
      guard.body = vectors(id, bound);
      // the last strip may be most of the work where there are few columns
      if (columns_) tree_[id].loop = loop_kind::compiler_vector;
      guard.otherwise = id;
      made.add(guard);
    }
    return made.first();
  }

  loop_tree& tree_;
  expression_table& table_;
  bool is_nested_;  ///< a row is several loops over chunks
  bool columns_;
};

}  // namespace

void vectorise_lanes(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.body.reduced != 0) lane_vectors(kernel, tree).run();
}

}  // namespace sinter::inline v0::codegen
