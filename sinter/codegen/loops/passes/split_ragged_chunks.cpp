#include <sinter/codegen/loops/passes/split_ragged_chunks.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/loops/passes/by_target.hpp>
#include <sinter/codegen/loops/passes/replace_statements.hpp>
#include <sinter/codegen/loops/passes/rewrite_statements.hpp>
#include <sinter/codegen/loops/row_builder.hpp>
#include <sinter/codegen/schedule/loop_thresholds.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v0::codegen {
namespace {

class chunk_split : row_statements {
 public:
  chunk_split(const kernel_description& kernel, loop_tree& tree)
      : row_statements(kernel, tree), table_(tree.expressions) {}

  void run() {
    replace_statements(tree_, is_chunks, [&](statement_id id) {
      if (!tree_[id].condition.is_set()) {
        tree_[id].kind = statement_kind::scope;  // the only chunk
      } else if (is_worth_it(id)) {
        return split(id);
      }
      tree_[id].next = no_statement;
      return id;
    });
  }

 private:
  bool is_worth_it(statement_id id) const {
    if (contains(tree_, id, statement_kind::scan)) return false;
    if (serves_all_lanes(described_, tree_, id))
      return true;  // it loads little: tests would be much of what is left
    // of blocks of the most threads a multiprocessor holds two only where a thread has few registers
    if (chosen().whole_rows || chosen().threads_along * chosen().threads_across == most_block_threads)
      return false;
    if (chosen().steps == 1) return false;  // as after a spill
    return registers_of(tree_[id]) <= most_chunk_registers;
  }

  /// 32-bit registers of what a thread loads of a chunk, all of which is in flight at once, and of its sums.
  int registers_of(const statement& chunk) const {
    const auto registers = [](std::size_t bytes) {
      return static_cast<int>(divide_up<std::size_t>(bytes, std::size_t{register_bytes}));
    };
    int count = 0;
    each_in_list(tree_, chunk.body, [&](statement_id id) {
      const value_type type = tree_[id].type;
      if (tree_[id].kind != statement_kind::variable || type.as != value_type::form::vector_of_storage)
        return;
      const std::size_t bytes = size_of(type.element);
      const int of_step = is_loaded_whole(chunk.body, tree_[id].target) ? registers(bytes * type.lanes)
                                                                        : type.lanes * registers(bytes);
      count += of_step * chosen().steps * rows_per_thread();
    });
    for (const instruction& made : body().body) {
      if (!is_reduction(made.op) || made.phase != chunk.instruction) continue;
      const int of_lane = registers(size_of(facts(made.compute).compute)) * (adds_by_chunks(made) ? 2 : 1) +
                          (finds_position(made.op) ? registers(sizeof(std::int64_t)) : 0);
      count += of_lane * vector() * rows_per_thread();
    }
    return count;
  }
  /// Whether the elements of a buffer are loaded as vectors: then they share registers.
  bool is_loaded_whole(statement_id list, expression buffer) const {
    bool found = false;
    each_in_list(tree_, list, [&](statement_id id) {
      const statement& at = tree_[id];
      found |= at.kind == statement_kind::load && at.type.as == value_type::form::vector_of_storage &&
               base_name(table_, at.target) == base_name(table_, buffer);
      found |= is_loaded_whole(at.body, buffer);
    });
    return found;
  }

  statement_id split(statement_id id) {
    const statement loop = tree_[id];
    const expression start = loop.target, end = table_.at(table_.operands_of(loop.condition.id)[1]);
    statement variable{.kind = statement_kind::variable};
    variable.type = loop.type;
    variable.target = start;
    variable.value = loop.value;
    statement whole = loop;
    whole.value = {};
    whole.condition = start + loop.step <= end;
    whole.body = whole_chunk(id);
    statement rest{.kind = statement_kind::guard};
    rest.condition = start < end;
    rest.body = loop.body;
    statement_list made(tree_);
    made.add(variable);
    made.add(whole);
    made.add(rest);
    return add_statement(tree_, {.kind = statement_kind::scope, .body = made.first()});
  }
  /// A copy of a chunk's statements without what asks whether a position lies in the row.
  statement_id whole_chunk(statement_id id) {
    const bool serves_all = serves_all_lanes(described_, tree_, id);
    const statement_id copied = copy_list(tree_, tree_[id].body, [&](statement& at) {
      if (at.kind == statement_kind::variable && at.type.as == value_type::form::vector_of_storage &&
          !columns())
        at.zeroed = false;  // all of it is loaded
      if (at.kind == statement_kind::load && at.step.is_set() && mentions(table_, at.step, row_names::length))
        at.step = {};
      if (at.kind == statement_kind::loop || !at.condition.is_set()) return;
      at.condition = in_whole_chunk(at.condition, serves_all);
      if (at.kind == statement_kind::guard && !at.condition.is_set()) at.kind = statement_kind::scope;
    });
    return without_idle_scopes(tree_, copied);
  }
  /// What is left to be asked; not set if that is nothing.
  expression in_whole_chunk(expression condition, bool serves_all) {
    const auto operands = table_.operands_of(condition.id);
    if (table_[condition.id].kind != expression_kind::both) {
      const bool holds = mentions(table_, condition, row_names::length) ||
                         (serves_all && mentions(table_, condition, row_names::lanes_left));
      return holds ? expression() : condition;
    }
    const expression first = table_.at(operands[0]), second = table_.at(operands[1]);
    const expression left = in_whole_chunk(first, serves_all), right = in_whole_chunk(second, serves_all);
    if (!left.is_set()) return right;
    if (!right.is_set()) return left;
    return left.id == first.id && right.id == second.id ? condition : left && right;
  }

  expression_table& table_;
};

/// Lanes of the CPU: a group of them is a vector where all are in the row. A chunk has one group, whose loops
/// run to what a choice says: whether the group is whole, all of its lanes, and the lanes that are left.
class lane_split {
 public:
  lane_split(const kernel_description& kernel, loop_tree& tree)
      : tree_(tree), table_(tree.expressions), is_nested_(!std::has_single_bit(kernel.body.reduced)) {}

  void run() {
    replace_statements(tree_, is_chunks, [&](statement_id id) {
      tree_[id].next = no_statement;
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
  expression operand_of(expression of, std::size_t number) {
    return table_.at(table_.operands_of(of.id)[number]);
  }
  lane_bound bound_of(statement_id list) {
    lane_bound found;
    expression bound;
    each_in_list(tree_, list, [&](statement_id id) {
      if (is_lanes(tree_[id]) && !bound.is_set()) bound = operand_of(tree_[id].condition, 1);
    });
    each_in_list(tree_, list, [&](statement_id id) {
      if (tree_[id].kind != statement_kind::let ||
          base_name(table_, bound) != base_name(table_, tree_[id].target))
        return;
      found.declared = id;
    });
    const expression choice = found.declared == no_statement ? bound : tree_[found.declared].value;
    found.is_whole = operand_of(choice, 0);
    found.all = operand_of(choice, 1);
    found.left = operand_of(choice, 2);
    return found;
  }

  /// Whole groups have a loop of their own, so that sums stay in registers where nothing asks for a lane by
  /// number; behind it a guard has the lanes that are left.
  statement_id split(statement_id id, const lane_bound& bound) {
    const statement loop = tree_[id];
    const expression end = operand_of(loop.condition, 1);
    statement whole = loop;
    whole.condition = bound.is_whole;
    whole.body = without(vectors(loop.body, bound), [&](const statement& at) {
      return at.kind == statement_kind::let && at.value.id == tree_[bound.declared].value.id;
    });
    tree_[bound.declared].value = bound.left;
    statement rest{.kind = statement_kind::guard};
    rest.type = loop.type;
    rest.target = loop.target;
    rest.value = end / loop.step * loop.step;
    rest.condition = loop.condition;
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
      at.condition = at.target < bound.all;
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
      tree_[id].condition = tree_[id].target < bound.left;
      statement guard{.kind = statement_kind::guard};
      guard.condition = bound.is_whole;
      guard.body = vectors(id, bound);
      guard.otherwise = id;
      made.add(guard);
    }
    return made.first();
  }

  loop_tree& tree_;
  expression_table& table_;
  bool is_nested_;  ///< a row is several loops over chunks
};

void split_steps(const kernel_description& kernel, loop_tree& tree) { chunk_split(kernel, tree).run(); }
void split_lanes(const kernel_description& kernel, loop_tree& tree) { lane_split(kernel, tree).run(); }

constexpr pass_by_target ways = {.cuda = split_steps, .cpu = split_lanes};

/// Whether a list loads anything, and all its loads are of what lanes share.
struct shared_loads {
  const loop_tree& tree;
  bool any = false, all = true;

  void visit(statement_id list) {
    each_in_list(tree, list, [&](statement_id id) {
      const statement& at = tree[id];
      const bool is_load = at.kind == statement_kind::load;
      any |= is_load;
      all &= at.kind != statement_kind::store && at.kind != statement_kind::scan;
      all &= !is_load || !mentions(tree.expressions, at.value, row_names::position);
      visit(at.body);
      visit(at.otherwise);
    });
  }
};

}  // namespace

bool serves_all_lanes(const kernel_description& kernel, const loop_tree& tree, statement_id chunk) {
  if (!reduces_columns(kernel.chosen.order)) return false;
  shared_loads loads{tree};
  loads.visit(tree[chunk].body);
  return loads.any && loads.all;
}

void split_ragged_chunks(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.body.reduced != 0) ways.run(kernel, tree);
}

}  // namespace sinter::inline v0::codegen
