#include <sinter/codegen/loops/passes/memory/stage_rows.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/loops/statements/kernel_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>
#include <sinter/codegen/schedule/choose/choose_rows.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

namespace sinter::inline v0::codegen {
namespace {

class row_staging : kernel_statements {
 public:
  row_staging(const kernel_description& described, loop_tree& tree) : kernel_statements(described, tree) {}

  void run() {
    for (statement& at : tree_.statements) {
      const bool begins = at.kind == statement_kind::let || at.kind == statement_kind::assign;
      if (begins && at.access != no_access && is_staged(at.access)) at.value = begin_of_row(at.access);
      if (at.kind == statement_kind::guard && asks_for_end(at.condition)) {
        at.kind = statement_kind::scope;
        at.condition = {};
      }
    }
    statement_list all(tree_);
    const statement_id first = first_of_thread(tree_), rest = tree_[first].next;
    all.take(first);  // the thread's number
    all.append(moves_to_shared());
    all.append(rest);
    all.append(moves_back());
    set_first_of_thread(tree_, all.first());
  }

 private:
  bool is_staged(std::uint32_t i) const { return has_own_elements(body(), at(i)); }
  int rows_of_block() const { return chosen().threads_across * chosen().rows_per_thread; }
  int row_length() const { return chosen().steps; }

  /// Where an access begins in a row, in shared memory.
  expression begin_of_row(std::uint32_t i) {
    return name("staged", i) + convert(narrow_index_type, tree_.row.number - name("first")) * row_length();
  }
  bool asks_for_end(expression condition) {
    expression_table& table = tree_.expressions;
    if (table[condition.id].kind != expression_kind::less) return false;
    const auto operands = table.operands_of(condition.id);
    return operands[0] == tree_.row.position.id && operands[1] == tree_.row.length.id;
  }

  statement_id moves_to_shared() {
    out_ = loop_writer(tree_, loop_writer::detached{});
    const int rows = rows_of_block();
    const expression first = name("first"), left = name("a.rows") - first;
    out_.let(index_type, first, convert(index_type, block()) * rows);
    out_.let(narrow_index_type, name("count"),
             choose(left < rows, convert(narrow_index_type, left), rows) * row_length());
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_staged(i)) continue;
      const int room = rows * row_length() + static_cast<int>(access_bytes / size_of(at(i).type));
      const expression stage = name("stage", i), side = name("side", i), ahead = name("ahead", i);
      out_.variable(storage(i), stage[room]).space = memory_space::shared_aligned;
      out_.let(pointer_to(storage(i), is_read(i)), side, base_pointer(i) + first * row_length());
      out_.let(narrow_index_type, ahead, out_.call("elements_ahead", {side}));
      out_.let(pointer_to(storage(i)), name("staged", i), stage + ahead);
      if (is_read(i)) move(i, name("staged", i), side);
    }
    out_.barrier(thread_scope::block);
    return out_.first();
  }
  statement_id moves_back() {
    out_ = loop_writer(tree_, loop_writer::detached{});
    out_.barrier(thread_scope::block);
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_staged(i) && is_write(i)) move(i, name("side", i), name("staged", i));
    return out_.first();
  }
  void move(std::uint32_t i, expression to, expression from) {
    const int threads = chosen().threads_along * chosen().threads_across;
    const auto bytes = static_cast<int>(size_of(at(i).type));
    const int vectors =
        divide_up(rows_of_block() * row_length() * bytes, static_cast<int>(access_bytes) * threads);
    out_.perform(out_.call(out_.instance("move_rows", {integer(vectors), integer(threads)}),
                           {to, from, name("ahead", i), name("count"), thread_across()}));
  }
};

}  // namespace

void stage_rows(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.chosen.staged) row_staging(kernel, tree).run();
}

}  // namespace sinter::inline v0::codegen
