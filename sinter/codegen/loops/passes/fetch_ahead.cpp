#include <sinter/codegen/loops/passes/fetch_ahead.hpp>

#include <sinter/codegen/loops/passes/by_target.hpp>
#include <sinter/codegen/loops/passes/replace_statements.hpp>
#include <sinter/codegen/loops/passes/rewrite_statements.hpp>
#include <sinter/codegen/loops/passes/split_ragged_chunks.hpp>
#include <sinter/codegen/loops/row_builder.hpp>
#include <sinter/codegen/loops/row_names.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

#include <algorithm>
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
  bool is_over_whole_chunks(const statement& at) const {
    return at.kind == statement_kind::loop && at.loop == loop_kind::chunks && at.condition.is_set() &&
           table_[at.condition.id].kind == expression_kind::less_equal;
  }

  /// Of a chunk: the buffers that it loads, the loops that load, and what stands before and after them.
  struct parts {
    statement_list before, buffers, loads, after;
  };
  parts take_apart(statement_id chunk) {
    parts made{statement_list(tree_), statement_list(tree_), statement_list(tree_), statement_list(tree_)};
    for (statement_id id = chunk, next = no_statement; id != no_statement; id = next) {
      const statement& at = tree_[id];
      next = at.next;
      if (at.kind == statement_kind::variable && at.type.as == value_type::form::vector_of_storage)
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
    const expression start = loop.target, next = table_.name("next"),
                     end = table_.at(table_.operands_of(loop.condition.id)[1]);
    parts chunk = take_apart(loop.body);
    statement_list made(tree_), body(tree_);
    for (statement_id at = chunk.buffers.first(); at != no_statement; at = tree_[at].next)
      made.add(tree_[at]);
    made.append(guarded(loop.condition, copied(chunk.loads.first(), {})));

    body.append(chunk.before.first());
    hold(chunk.buffers.first(), chunk.loads.first(), body);
    statement following{.kind = statement_kind::let};
    following.type = loop.type;
    following.target = next;
    following.value = start + loop.step;
    body.add(following);
    body.append(guarded(next + loop.step <= end, copied(chunk.loads.first(), [&](expression at) {
                          return is_named(table_, at, row_names::chunk) ? std::optional(next) : std::nullopt;
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
      const expression from = table_.at(table_.operands_of(now.target.id)[0]), to = held_name(now.target);
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
  /// "now3" for "in3": see row_names
  expression held_name(expression buffer) {
    const std::string name(base_name(table_, buffer).substr(row_names::read.size()));
    return table_.name(row_names::loaded_ahead, std::string_view(name));
  }
  std::optional<expression> held(statement_id buffers, expression at) {
    if (table_[at.id].kind != expression_kind::name) return {};
    for (statement_id id = buffers; id != no_statement; id = tree_[id].next)
      if (base_name(table_, tree_[id].target) == table_.name_of(at.id)) return held_name(at);
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

/// Processors fetch on by themselves to the end of a row, then find the memory idle while the row is
/// evaluated: its second loop asks for the next row. What lies there, if anything, is not looked at.
class asking_for_rows : row_statements {
 public:
  asking_for_rows(const kernel_description& kernel, loop_tree& tree) : row_statements(kernel, tree) {}

  void run() {
    const unsigned phase = second_phase();
    replace_statements(tree_, is_chunks, [&](statement_id id) {
      tree_[id].next = no_statement;
      if (tree_[id].instruction == phase)
        tree_[id].body = with_list_behind_lets(tree_, tree_[id].body, lines_of_next_row());
      return id;
    });
  }

 private:
  /// That of the second loop over a row; of the only one where there are no two.
  unsigned second_phase() const {
    unsigned found = body().phases;
    for (unsigned phase = 0, loops = 0; phase < body().phases && loops < 2; ++phase)
      if (has_loop(phase)) {
        found = phase;
        ++loops;
      }
    return found;
  }
  bool has_loop(unsigned phase) const {
    return std::ranges::any_of(tree_.statements,
                               [&](const statement& at) { return is_chunks(at) && at.instruction == phase; });
  }
  bool is_asked_for(std::uint32_t i) const {
    return is_read(i) && at(i).base == i && moves_along_reduced_axes(body(), at(i)) &&
           at(i).pattern(lane_axis()) == step_pattern::unit &&
           at(i).pattern(kept_axes_[0]) == step_pattern::strided;
  }
  /// The lines that are as far in the next row as the chunk is in its own.
  statement_id lines_of_next_row() {
    out_ = loop_writer(tree_, loop_writer::detached{});
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_asked_for(i)) continue;
      const expression line = name("line");
      const expression next =
          moved(pointer_of_row(i), index_in_row(i, {})) + name("a.s", at(i).group, "_", kept_axes_[0]);
      statement& lines = out_.open_count(loop_kind::serial, "line",
                                         vector() * static_cast<std::int64_t>(size_of(at(i).type)));
      lines.step_by = loop_step::by_amount;
      lines.step = integer(cpu_cache_line_bytes);
      lines.brief = true;
      out_.perform(
          out_.call("prefetch", {convert(pointer_to({value_type::form::octet}, true), next) + line}));
      out_.close();
    }
    return out_.first();
  }
};

void fetch_chunks(const kernel_description& kernel, loop_tree& tree) { fetching(kernel, tree).run(); }
void ask_for_rows(const kernel_description& kernel, loop_tree& tree) {
  const unsigned every_axis = (1u << kernel.body.rank) - 1;
  if (kernel.chosen.resident && !reduces_columns(kernel.chosen.order) && kernel.body.reduced != every_axis)
    asking_for_rows(kernel, tree).run();
}

constexpr pass_by_target ways = {.cuda = fetch_chunks, .cpu = ask_for_rows};

}  // namespace

void fetch_ahead(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.body.reduced != 0) ways.run(kernel, tree);
}

}  // namespace sinter::inline v0::codegen
