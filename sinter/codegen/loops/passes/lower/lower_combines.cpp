#include <sinter/codegen/loops/passes/lower/lower_combines.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>
#include <sinter/codegen/loops/statements/summation_tree.hpp>
#include <sinter/codegen/schedule/loop_thresholds.hpp>

#include <algorithm>
#include <optional>

namespace sinter::inline v0::codegen {
namespace {

class combine_lowering : row_statements {
 public:
  combine_lowering(const kernel_description& kernel, loop_tree& tree) : row_statements(kernel, tree) {
    if (has_statement(tree, statement_kind::grow)) tree_of_sums_.emplace(kernel, tree);
  }

  statement_id grown(const statement& grow) {
    out_ = loop_writer(tree_, loop_writer::detached{});
    tree_of_sums_->grow(out_, grow.instruction);
    return out_.first();
  }

  statement_id lowered(const statement& finish) {
    out_ = loop_writer(tree_, loop_writer::detached{});
    const unsigned phase = finish.instruction;
    scope_ = finish.scope;
    bool exchanged = false;
    if (tree_of_sums_) tree_of_sums_->finish(out_, phase);
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (!columns()) combine_lanes(i);
      if (scope_ == thread_scope::thread) return;
      if (combined_in_warp() > 1)
        exchange_in_warp(i, combined_in_warp() / 2 * distance_in_warp(), distance_in_warp());
      if (!has_parts()) return;
      declare_parts(i, made);
      wait_for_start();
      write_part(i, made);
      exchanged = true;
    });
    if (exchanged) exchange_parts();
    if (exchanged && shares_combines()) combine_by_column(phase);
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (has_parts()) combine_parts(i, made);
      set_row_value(i);
    });
    return out_.first();
  }

 private:
  bool is_clustered() const { return scope_ == thread_scope::cluster; }
  /// Whether a row's values come from several warps: they meet in shared memory.
  bool has_parts() const { return scope_ >= thread_scope::block; }
  /// Threads along a row, and across rows.
  int threads() const { return chosen().threads_along * chosen().cluster; }
  int threads_across() const { return chosen().threads_across; }

  /// Threads of a warp that have the same row and lanes; where they are not neighbours, how far apart they
  /// are.
  int combined_in_warp() const {
    return columns() ? std::min<int>(std::max(1, warp() / chosen().threads_along), threads_across())
                     : std::min<int>(chosen().threads_along, warp());
  }
  int distance_in_warp() const { return columns() ? chosen().threads_along : 1; }
  /// What is left to be combined after that.
  int parts() const { return (columns() ? threads_across() : threads()) / combined_in_warp(); }

  /// Opens loops over the rows of a thread and, of columns, over its lanes.
  void open_sums() { columns() ? open_lanes() : open_rows(); }
  void close_sums() { columns() ? out_.close() : close_rows(); }
  expression sum_lane() { return columns() ? lane() : integer(0); }

  void exchange_in_warp(std::uint32_t i, int farthest, int nearest) {
    const expression distance = name("distance"), other = name("other"), other_where = name("other_where");
    statement loop{.kind = statement_kind::loop, .loop = loop_kind::unrolled, .step_by = loop_step::halved};
    loop.type = narrow_index_type;
    loop.target = distance;
    loop.value = integer(farthest);
    loop.condition = distance >= nearest;
    out_.open(loop);
    open_sums();
    const expression own = sum(i, sum_lane()), own_where = where(i, sum_lane());
    out_.let(value_of(code(i).compute), other, out_.call("exchange", {own, distance}));
    if (finds_position(code(i).op))
      out_.let(index_type, other_where, out_.call("exchange", {own_where, distance}));
    combine(i, own, own_where, other, other_where);
    close_sums();
    out_.close();
  }

  // Parts in shared memory: one of each warp.

  expression part(std::uint32_t i, std::string_view kind, expression number) {
    const expression parts = name(kind, i);
    if (columns()) return parts[number][position() + lane_offset(lane())];
    return of_row(parts)[thread_across()][number];
  }
  void declare_parts(std::uint32_t i, const instruction& made) {
    const auto declare = [&](value_type type, expression named) {
      const expression shape = columns() ? named[parts()][chosen().threads_along * vector()]
                                         : with_rows(named)[chosen().threads_across][parts()];
      out_.variable(type, shape).space = memory_space::shared;
    };
    declare(value_of(made.compute), name("part", i));
    if (finds_position(made.op)) declare(index_type, name("place", i));
  }

  /// No block writes to another one's memory before that one has begun.
  void wait_for_start() {
    if (!is_clustered() || has_begun_) return;
    has_begun_ = true;
    out_.barrier(thread_scope::cluster);
  }
  void exchange_parts() {
    if (is_clustered()) out_.arrive(thread_scope::cluster);
    out_.barrier(scope_);
  }

  void write_part(std::uint32_t i, const instruction& made) {
    const expression thread = thread_along();
    expression condition = thread % warp() == 0, number = thread / warp();
    if (columns()) {
      condition = thread_across() % combined_in_warp() == 0;
      number = thread_across() / combined_in_warp();
    } else if (is_clustered()) {
      // each of the first threads of a warp writes to one of the cluster's blocks
      condition = thread % warp() < chosen().cluster;
      number = tree_.row.thread / warp();
    }
    const auto write = [&](std::string_view kind, expression value) {
      const expression place = part(i, kind, number);
      out_.assign(is_clustered()
                      ? content_of(out_.call("in_block", {address_of(place), thread_along() % warp()}))
                      : place,
                  value);
    };
    out_.open_guard(condition);
    open_sums();
    write("part", sum(i, sum_lane()));
    if (finds_position(made.op)) write("place", where(i, sum_lane()));
    close_sums();
    out_.close();
  }

  /// Of columns, whether each is combined by one thread for all. Otherwise each thread combines the parts of
  /// all its lanes, which spares a barrier.
  bool shares_combines() const { return columns() && parts() * vector() >= fewest_parts_shared; }
  void combine_by_column(unsigned phase) {
    const int along = chosen().threads_along, strip = along * vector();
    statement loop{.kind = statement_kind::loop, .step_by = loop_step::by_amount};
    loop.type = narrow_index_type;
    loop.target = name("column");
    loop.value = thread_across() * along + thread_along();
    loop.condition = loop.target < strip;
    loop.step = integer(along * threads_across());
    out_.open(loop);
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      out_.open_scope();
      combine_in_pairs(i, made, loop.target);
      out_.assign(name("part", i)[0][loop.target], name("pair")[0]);
      if (finds_position(made.op)) out_.assign(name("place", i)[0][loop.target], name("pair_place")[0]);
      out_.close();
    });
    out_.close();
    out_.barrier(thread_scope::block);
  }

  void combine_parts(std::uint32_t i, const instruction& made) {
    open_sums();
    if (shares_combines()) {
      out_.assign(sum(i, sum_lane()), part(i, "part", integer(0)));
      if (finds_position(made.op)) out_.assign(where(i, sum_lane()), part(i, "place", integer(0)));
      return close_sums();
    }
    if (columns() || parts() <= most_parts_of_a_thread) {
      out_.open_scope();
      combine_in_pairs(i, made, {});
      out_.assign(sum(i, sum_lane()), name("pair")[0]);
      if (finds_position(made.op)) out_.assign(where(i, sum_lane()), name("pair_place")[0]);
      out_.close();
      close_sums();
      return;
    }
    const expression to = sum(i, sum_lane()), to_place = where(i, sum_lane()), w = name("w");
    out_.assign(to, start_of(i));
    if (finds_position(made.op)) out_.assign(to_place, last_position());
    statement loop{
        .kind = statement_kind::loop, .loop = loop_kind::unrolled, .step_by = loop_step::by_amount};
    loop.type = narrow_index_type;
    loop.target = w;
    loop.value = thread_along() % warp();
    loop.condition = w < parts();
    loop.step = integer(warp());
    out_.open(loop);
    combine(i, to, to_place, part(i, "part", w), part(i, "place", w));
    out_.close();
    close_sums();
    exchange_in_warp(i, warp() / 2, 1);  // every thread needs the value
  }

  /// A tree, so that no sum passes through more additions than it has to: pair[0] is what all parts come to,
  /// of a strip's column or of the thread's own row or lane.
  void combine_in_pairs(std::uint32_t i, const instruction& made, expression column) {
    const bool places = finds_position(made.op);
    const auto all = static_cast<int>(power_above(parts()));
    const expression pair = name("pair"), pair_place = name("pair_place"), w = name("w"), half = name("half");
    const auto take = [&](std::string_view kind, expression otherwise) {
      const expression taken = column.is_set() ? name(kind, i)[w][column] : part(i, kind, w);
      return all == parts() ? taken : choose(w < parts(), taken, otherwise);
    };
    out_.variable(value_of(made.compute), pair[all]);
    if (places) out_.variable(index_type, pair_place[all]);
    out_.open_count(lanes_kind(), "w", all);
    out_.assign(pair[w], take("part", start_of(i)));
    if (places) out_.assign(pair_place[w], take("place", last_position()));
    out_.close();
    statement halves{.kind = statement_kind::loop, .loop = lanes_kind(), .step_by = loop_step::halved};
    halves.type = narrow_index_type;
    halves.target = half;
    halves.value = integer(all / 2);
    halves.condition = half > 0;
    out_.open(halves);
    out_.open_count(lanes_kind(), "w", 0).condition = w < half;
    combine(i, pair[w], pair_place[w], pair[w + half], pair_place[w + half]);
    out_.close();
    out_.close();
  }

  thread_scope scope_ = thread_scope::thread;   ///< of the phase that is being finished
  std::optional<summation_tree> tree_of_sums_;  ///< where sums grow
  bool has_begun_ = false;                      ///< all blocks of the cluster are known to have begun
};

}  // namespace

void lower_combines(const kernel_description& kernel, loop_tree& tree) {
  if (!has_statement(tree, statement_kind::finish)) return;
  combine_lowering lowering(kernel, tree);
  const auto is_lowered = [](const statement& at) {
    return at.kind == statement_kind::finish || at.kind == statement_kind::grow;
  };
  replace_statements(tree, is_lowered, [&](statement_id id) {
    const statement at = tree[id];  // `tree` grows while lists are made
    return at.kind == statement_kind::grow ? lowering.grown(at) : lowering.lowered(at);
  });
}

}  // namespace sinter::inline v0::codegen
