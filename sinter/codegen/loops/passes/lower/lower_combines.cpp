#include <sinter/codegen/loops/passes/lower/lower_combines.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>
#include <sinter/codegen/loops/statements/summation_tree.hpp>
#include <sinter/codegen/schedule/loop_thresholds.hpp>

#include <algorithm>
#include <functional>
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
    each_reduction(phase, [&](std::uint32_t i, const instruction&) {
      if (!columns()) combine_lanes(i);
      if (scope_ == thread_scope::thread) return;
      if (combined_in_warp() > 1) exchange_in_warp(i, combined_in_warp(), threads_of_warp());
      if (!has_parts()) return;
      declare_parts(i);
      wait_for_start();
      write_part(i);
      exchanged = true;
    });
    if (exchanged) exchange_parts();
    if (exchanged && shares_combines()) combine_by_column(phase);
    each_reduction(phase, [&](std::uint32_t i, const instruction&) {
      if (has_parts()) combine_parts(i);
      set_row_values(i);
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
  void open_sums() {
    open_rows();
    if (columns()) open_lanes();
  }
  void close_sums() {
    if (columns()) out_.close();
    close_rows();
  }
  expression sum_lane() { return columns() ? lane() : integer(0); }

  /// Threads that hold partial values side by side, of elements in the order of their numbers.
  struct unit {
    expression number;                                 ///< of the thread at hand
    int distance;                                      ///< between neighbours, in threads
    std::function<expression(expression)> is_present;  ///< of a number: not set if it always is
  };
  /// Each of `count` neighbours gets what all of them come to.
  void exchange_in_warp(std::uint32_t i, int count, const unit& of) {
    if (has_body(code(i).op)) return exchange_in_order(i, count, of);
    const expression distance = name("distance");
    out_.open_steps(loop_kind::unrolled, distance, count / 2 * of.distance, of.distance, loop_step::halved);
    open_sums();
    const partial_values own = sums(i, sum_lane());
    combine(i, own, exchanged(i, own, distance));
    close_sums();
    out_.close();
  }
  /// Of a body: nearest neighbours first. The lower of two threads is the left side for both of them, so that
  /// all come to the same bits.
  void exchange_in_order(std::uint32_t i, int count, const unit& of) {
    const expression distance = name("distance"), first = name("first"), is_second = name("is_second");
    out_.open_steps(loop_kind::unrolled, distance, 1, count, loop_step::doubled);
    out_.let(narrow_index_type, first, of.number / (distance * 2) * (distance * 2));
    out_.let(truth_type, is_second, of.number - first >= distance);
    open_sums();
    const partial_values own = sums(i, sum_lane()), other = exchanged(i, own, distance * of.distance);
    const partial_values left = partial_names("left", i), right = partial_names("right", i);
    const std::vector<value_type> types = types_of_partials(i);
    for (std::size_t k = 0; k < own.size(); ++k) {
      out_.let(types[k], left[k], choose(is_second, other[k], own[k]));
      out_.let(types[k], right[k], choose(is_second, own[k], other[k]));
    }
    const expression present = of.is_present ? of.is_present(first + distance) : expression();
    combine(i, own, {left}, {right, both(present, is_in_columns(sum_lane()))});
    close_sums();
    out_.close();
  }
  /// What another thread has.
  partial_values exchanged(std::uint32_t i, const partial_values& own, expression distance) {
    const std::vector<value_type> types = types_of_partials(i);
    partial_values other(own.size());
    for (std::size_t k = 0; k < own.size(); ++k) {
      other[k] = partial_name("other", i, k);
      out_.let(types[k], other[k], out_.call("exchange", {own[k], distance}));
    }
    return other;
  }
  /// Threads along a row, or across columns.
  unit threads_of_warp() {
    return {.number = columns() ? thread_across() % combined_in_warp() : thread_along() % combined_in_warp(),
            .distance = distance_in_warp(),
            .is_present = [this](expression number) {
              return first_element_of(first_of_warp() + number) < length();
            }};
  }
  /// The number of a warp's first thread among those that share the row or columns.
  expression first_of_warp() {
    const expression thread = columns() ? thread_across() : tree_.row.thread;
    return thread / combined_in_warp() * combined_in_warp();
  }
  /// Whether a part has elements.
  expression is_part_present(expression number) {
    return first_element_of(number * combined_in_warp()) < length();
  }

  // Parts in shared memory: one of each warp.

  partial_values part(std::uint32_t i, expression number) {
    partial_values parts = partial_names("part", i);
    for (expression& each : parts)
      each = columns() ? of_row(each)[number][position() + lane_offset(lane())]
                       : of_row(each)[thread_across()][number];
    return parts;
  }
  void declare_parts(std::uint32_t i) {
    const std::vector<value_type> types = types_of_partials(i);
    const partial_values named = partial_names("part", i);
    for (std::size_t k = 0; k < named.size(); ++k) {
      const expression shape = columns() ? with_rows(named[k])[parts()][chosen().threads_along * vector()]
                                         : with_rows(named[k])[chosen().threads_across][parts()];
      out_.variable(types[k], shape).space = memory_space::shared;
    }
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

  void write_part(std::uint32_t i) {
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
    out_.open_guard(condition);
    open_sums();
    const partial_values own = sums(i, sum_lane()), places = part(i, number);
    for (std::size_t k = 0; k < own.size(); ++k)
      out_.assign(is_clustered()
                      ? content_of(out_.call("in_block", {address_of(places[k]), thread_along() % warp()}))
                      : places[k],
                  own[k]);
    close_sums();
    out_.close();
  }

  /// Of columns, whether each is combined by one thread for all. Otherwise each thread combines the parts of
  /// all its lanes, which spares a barrier.
  bool shares_combines() const { return columns() && parts() * vector() >= min_shared_parts; }
  void combine_by_column(unsigned phase) {
    const int along = chosen().threads_along, strip = along * vector();
    const expression column = name("column");
    out_.open_strided(loop_kind::serial, column, thread_across() * along + thread_along(), strip,
                      along * threads_across());
    each_reduction(phase, [&](std::uint32_t i, const instruction&) {
      open_rows();
      out_.open_scope();
      partial_values first = partial_names("part", i);
      for (expression& each : first) each = of_row(each)[0][column];
      assign_all(first, combined_in_pairs(i, column));
      out_.close();
      close_rows();
    });
    out_.close();
    out_.barrier(thread_scope::block);
  }

  void combine_parts(std::uint32_t i) {
    open_sums();
    const partial_values to = sums(i, sum_lane());
    if (shares_combines()) {
      assign_all(to, part(i, integer(0)));
      return close_sums();
    }
    if (columns() || parts() <= max_thread_parts) {
      out_.open_scope();
      assign_all(to, combined_in_pairs(i, {}));
      out_.close();
      close_sums();
      return;
    }
    const expression number = name("w"), own = thread_along() % warp();
    assign_all(to, starts_of(i));
    out_.open_strided(loop_kind::unrolled, number, own, parts(), warp());
    combine(i, to, {to, number >= warp()}, {part(i, number), is_part_present(number)});
    out_.close();
    close_sums();
    // every thread needs the value
    exchange_in_warp(i, warp(), {.number = own, .distance = 1, .is_present = [this](expression number) {
                                   return number < parts() && is_part_present(number);
                                 }});
  }

  /// A tree, so that no sum passes through more additions than it has to: what all parts come to, of a
  /// strip's column or of the thread's own row or lane.
  partial_values combined_in_pairs(std::uint32_t i, expression column) {
    const auto all = static_cast<int>(power_above(parts()));
    const partial_values pair = partial_names("pair", i), starts = starts_of(i);
    const std::vector<value_type> types = types_of_partials(i);
    const expression number = name("w");
    const auto at = [](partial_values of, expression number) {
      for (expression& each : of) each = each[number];
      return of;
    };
    partial_values taken = part(i, number);
    if (column.is_set()) {
      taken = partial_names("part", i);
      for (expression& each : taken) each = of_row(each)[number][column];
    }
    for (std::size_t k = 0; k < pair.size(); ++k) out_.variable(types[k], pair[k][all]);
    out_.open_count(lanes_kind(), "w", all);
    for (std::size_t k = 0; k < pair.size(); ++k)
      out_.assign(pair[k][number], all == parts() ? taken[k] : choose(number < parts(), taken[k], starts[k]));
    out_.close();
    // a loop for each half: NVRTC 13.0 does not unroll one of 16 whose bound another loop sets, and keeps the
    // pairs in local memory
    for (int half = all / 2; half >= 1; half /= 2) {
      out_.open_count(lanes_kind(), "w", half);
      const expression is_part = all == parts() ? expression() : number + half < parts();
      // the columns of a strip that lie past the end
      const expression is_in_column = !columns()        ? expression()
                                      : column.is_set() ? column < lanes_left()
                                                        : is_in_columns(lane());
      combine(i, at(pair, number), {at(pair, number)},
              {at(pair, number + half), both(both(is_part, is_part_present(number + half)), is_in_column)});
      out_.close();
    }
    return at(pair, integer(0));
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
