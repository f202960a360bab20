#include <sinter/codegen/loops/passes/guards/split_ragged_chunks.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>
#include <sinter/codegen/nest/partial_values.hpp>
#include <sinter/codegen/schedule/loop_thresholds.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

class chunk_split : row_statements {
 public:
  chunk_split(const kernel_description& kernel, loop_tree& tree)
      : row_statements(kernel, tree), table_(tree.expressions) {}

  void run() {
    replace_statements(tree_, is_chunks, [&](statement_id id) {
      if (!tree_[id].end.is_set()) {
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
    // two blocks of maximum size fit on a multiprocessor only if their threads use few registers
    if (chosen().whole_rows || chosen().threads_along * chosen().threads_across == max_block_threads)
      return false;
    if (chosen().steps == 1) return false;  // as after a spill
    return registers_of(tree_[id]) <= max_chunk_registers;
  }

  /// 32-bit registers of what a thread loads of a chunk, all of which is in flight at once, and of its sums.
  int registers_of(const statement& chunk) const {
    const auto registers = [](std::size_t bytes) {
      return static_cast<int>(divide_up<std::size_t>(bytes, std::size_t{register_bytes}));
    };
    int count = 0;
    each_in_list(tree_, chunk.body, [&](statement_id id) {
      const value_type type = tree_[id].type;
      if (tree_[id].kind != statement_kind::variable || tree_[id].access == no_access) return;
      const std::size_t bytes = size_of(type.element);
      const int of_step = is_loaded_whole(chunk.body, tree_[id].access) ? registers(bytes * type.lanes)
                                                                        : type.lanes * registers(bytes);
      count += of_step * chosen().steps * rows_per_thread();
    });
    for (const instruction& made : body().body) {
      if (!is_reduction(made.op) || made.phase != chunk.instruction) continue;
      int of_lane = 0;
      for (const element_type type : partial_types(body(), made))
        of_lane += registers(size_of(facts_of(type).compute)) * (adds_by_chunks(made) ? 2 : 1);
      count += of_lane * vector() * rows_per_thread();
    }
    return count;
  }
  /// Whether the elements of a read are loaded as vectors: then they share registers.
  bool is_loaded_whole(statement_id list, std::uint32_t read) const {
    bool found = false;
    each_in_list(tree_, list, [&](statement_id id) {
      const statement& at = tree_[id];
      found |= at.kind == statement_kind::load && at.access == read &&
               at.type.as == value_type::form::vector_of_storage;
      found |= is_loaded_whole(at.body, read);
    });
    return found;
  }

  statement_id split(statement_id id) {
    const statement loop = tree_[id];
    statement variable{.kind = statement_kind::variable};
    variable.type = loop.type;
    variable.target = loop.target;
    variable.value = loop.begin;
    statement whole = loop;
    whole.begin = {};
    whole.is_whole = true;
    whole.body = whole_chunk(id);
    statement rest{.kind = statement_kind::guard};
    rest.condition = loop.target < loop.end;
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
      if (at.kind == statement_kind::variable && at.access != no_access && !columns())
        at.zeroed = false;  // all of it is loaded
      if (at.kind == statement_kind::load && at.step.is_set() && mentions(table_, at.step, length()))
        at.step = {};
      if (at.kind == statement_kind::loop || !at.condition.is_set()) return;
      at.condition = in_whole_chunk(at.condition, serves_all);
      if (at.kind == statement_kind::guard && !at.condition.is_set()) at.kind = statement_kind::scope;
    });
    return without_idle_scopes(tree_, copied);
  }
  /// The condition that remains; not set if none does.
  expression in_whole_chunk(expression condition, bool serves_all) {
    const auto operands = table_.operands_of(condition.id);
    if (table_[condition.id].kind != expression_kind::both) {
      const bool holds =
          mentions(table_, condition, length()) || (serves_all && mentions(table_, condition, lanes_left()));
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
      all &= !is_load || !mentions(tree.expressions, at.value, tree.row.position);
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
  if (kernel.body.reduced != 0) chunk_split(kernel, tree).run();
}

}  // namespace sinter::inline v0::codegen
