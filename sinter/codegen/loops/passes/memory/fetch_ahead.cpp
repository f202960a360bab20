#include <sinter/codegen/loops/passes/memory/fetch_ahead.hpp>

#include <sinter/codegen/loops/passes/guards/split_ragged_chunks.hpp>
#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>

#include <string>

namespace sinter::inline v0::codegen {
namespace {

class fetching {
 public:
  fetching(const kernel_description& kernel, loop_tree& tree)
      : kernel_(kernel), tree_(tree), table_(tree.expressions) {}

  void run() {
    replace_statements(
        tree_, [&](const statement& at) { return is_over_whole_chunks(at); },
        [&](statement_id id) {
          tree_[id].next = no_statement;
          return serves_all_lanes(kernel_, tree_, id) ? fetch(id) : id;
        });
  }

 private:
  /// As split_ragged_chunks() leaves them: while `start + stride <= end`.
  static bool is_over_whole_chunks(const statement& at) { return is_chunks(at) && at.is_whole; }

  /// Of a chunk: the buffers that it loads, the loops that load, and what stands before and after them.
  struct parts {
    statement_list before, buffers, loads, after;
  };
  parts take_apart(statement_id chunk) {
    parts made{statement_list(tree_), statement_list(tree_), statement_list(tree_), statement_list(tree_)};
    for (statement_id id = chunk, next = no_statement; id != no_statement; id = next) {
      const statement& at = tree_[id];
      next = at.next;
      if (at.kind == statement_kind::variable && at.access != no_access)
        made.buffers.take(id);
      else if (contains(tree_, id, statement_kind::load))
        made.loads.take(id);
      else
        (made.loads.first() == no_statement ? made.before : made.after).take(id);
    }
    return made;
  }

  /// in = chunk 0; for each chunk: now = in, in = the next chunk, evaluate now
  statement_id fetch(statement_id id) {
    const statement loop = tree_[id];
    const expression start = loop.target, end = loop.end, next = table_.name("next");
    parts chunk = take_apart(loop.body);
    statement_list made(tree_), body(tree_);
    for (statement_id at = chunk.buffers.first(); at != no_statement; at = tree_[at].next)
      made.add(tree_[at]);
    made.append(guarded(start + loop.step <= end, copied(chunk.loads.first(), {})));

    body.append(chunk.before.first());
    hold(chunk.buffers.first(), chunk.loads.first(), body);
    statement following{.kind = statement_kind::let};
    following.type = loop.type;
    following.target = next;
    following.value = start + loop.step;
    body.add(following);
    body.append(guarded(next + loop.step <= end, copied(chunk.loads.first(), [&](expression at) {
                          return at.id == tree_.row.chunk.id ? std::optional(next) : std::nullopt;
                        })));
    body.append(copied(chunk.after.first(), [&](expression at) { return held(chunk.buffers.first(), at); }));
    statement whole = loop;
    whole.body = body.first();
    made.add(whole);
    return made.first();
  }

  /// Copies the buffers of a chunk to others, a step at a time.
  void hold(statement_id buffers, statement_id loads, statement_list& body) {
    statement_list copies(tree_);
    for (statement_id id = buffers; id != no_statement; id = tree_[id].next) {
      statement now = tree_[id];
      const expression step = tree_[loads].target, extent = table_.at(table_.operands_of(now.target.id)[1]);
      const expression from = table_.at(table_.operands_of(now.target.id)[0]), to = held_read(now.access);
      now.target = to[extent];
      now.zeroed = false;
      body.add(now);
      statement copy{.kind = statement_kind::assign};
      copy.target = to[step];
      copy.value = from[step];
      copies.add(copy);
    }
    statement steps = tree_[loads];
    steps.body = copies.first();
    body.add(steps);
  }
  /// Where a chunk's elements of a read lie while those of the next are loaded.
  expression held_read(std::uint32_t access) { return table_.name("now", access); }
  std::optional<expression> held(statement_id buffers, expression at) {
    if (table_[at.id].kind != expression_kind::name) return {};
    for (statement_id id = buffers; id != no_statement; id = tree_[id].next)
      if (base_variable(table_, tree_[id].target).id == at.id) return held_read(tree_[id].access);
    return {};
  }

  statement_id copied(statement_id list, const expression_change& change) {
    return copy_list(tree_, list, [&](statement& at) {
      if (change) rewrite(tree_, at, change);
    });
  }
  statement_id guarded(expression condition, statement_id list) {
    statement made{.kind = statement_kind::guard};
    made.condition = condition;
    made.body = list;
    return add_statement(tree_, made);
  }

  const kernel_description& kernel_;
  loop_tree& tree_;
  expression_table& table_;
};

}  // namespace

void fetch_ahead(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.body.reduced != 0) fetching(kernel, tree).run();
}

}  // namespace sinter::inline v0::codegen
