#include <sinter/codegen/loops/passes/lower/lower_scans.hpp>

#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

/// Of threads that lie along the scanned axis, or across it.
class scan_lowering : row_statements {
 public:
  scan_lowering(const kernel_description& kernel, loop_tree& tree) : row_statements(kernel, tree) {}

  statement_id lowered(const statement& scan) {
    out_ = loop_writer(tree_, loop_writer::detached{});
    scan_ = scan.instruction;
    scope_ = scan.scope;
    if (columns())
      chunk_of_columns();
    else
      chunk_of_rows();
    return out_.first();
  }

 private:
  const instruction& made() const { return code(scan_); }
  value_type type() const { return value_of(made().type); }
  expression carry() { return name("carry", scan_); }
  expression combined(expression a, expression b) {
    return tree_.expressions.make(expression_kind::combined, {a, b}, scan_);
  }
  expression values() { return name("v", scan_); }
  /// The element of a step and a lane.
  expression element(expression step, expression lane) { return values()[step][lane]; }
  void open_steps() { out_.open_count(loop_kind::unrolled, step(), chosen().steps); }
  statement loop_of(loop_kind kind, expression variable, expression from, loop_step by) {
    statement loop{.kind = statement_kind::loop, .loop = kind, .step_by = by};
    loop.type = narrow_index_type;
    loop.target = variable;
    loop.value = from;
    return loop;
  }

  // Threads lie along the scanned axis.

  void chunk_of_rows() {
    out_.open_scope();
    out_.variable(type(), name("total")[chosen().steps]);
    statement& before = out_.variable(type(), name("before")[chosen().steps]);
    before.on_same_line = true;
    lanes_of_threads();
    if (scope_ != thread_scope::thread) threads_of_warps();
    if (scope_ == thread_scope::block)
      warps();
    else
      steps();
    out_.close();
  }

  /// Of each step, what the thread's lanes come to, and what comes before them in the warp.
  void lanes_of_threads() {
    open_steps();
    if (vector() > 1) {
      statement lanes = loop_of(loop_kind::unrolled, lane(), integer(1), loop_step::by_one);
      lanes.condition = lane() < vector();
      lanes.brief = true;
      out_.open(lanes);
      out_.assign(element(step(), lane()), combined(element(step(), lane() - 1), element(step(), lane())));
      out_.close();
    }
    out_.assign(name("total")[step()], element(step(), integer(vector() - 1)));
    out_.assign(name("before")[step()], start_of(scan_));
    out_.close();
  }
  /// Steps side by side, so that their exchanges overlap.
  void threads_of_warps() {
    const int threads = std::min<int>(chosen().threads_along, warp());
    out_.let(narrow_index_type, name("thread_in_warp"), thread_along() % threads);
    open_distances(threads);
    open_steps();
    combine_from_below(name("total")[step()]);
    out_.close();
    out_.close();
    open_steps();
    out_.let(type(), name("other"), out_.call("from_below", {name("total")[step()], integer(1)}));
    out_.assign_if(name("thread_in_warp") > 0, name("before")[step()], name("other"));
    out_.close();
  }
  void open_distances(int end) {
    statement distances = loop_of(loop_kind::unrolled, name("distance"), integer(1), loop_step::doubled);
    distances.condition = distances.target < end;
    out_.open(distances);
  }
  void combine_from_below(expression to) {
    out_.let(type(), name("other"), out_.call("from_below", {to, name("distance")}));
    out_.assign_if(name("thread_in_warp") >= name("distance"), to, combined(name("other"), to));
  }

  /// One warp, or part of one, has the whole row: steps follow each other.
  void steps() {
    const int threads = chosen().threads_along;
    const expression total = name("total")[step()];
    open_steps();
    out_.let(type(), name("here"), combined(carry(), name("before")[step()]));
    combine_into_elements(name("here"));
    const expression last =
        convert(narrow_index_type,
                sum_of(tree_.expressions, std::array{thread_across() * threads, integer(threads - 1)}));
    out_.assign(carry(),
                combined(carry(), threads > 1 ? out_.call("from_thread", {total, last % warp()}) : total));
    out_.close();
  }

  /// Totals of the warps, as many steps at once as a warp has threads for; each warp does so for itself.
  void warps() {
    const int steps = chosen().steps, warps = chosen().threads_along / warp();
    int at_once = 1;
    while (2 * at_once * warps <= warp() && steps % (2 * at_once) == 0) at_once *= 2;
    const int totals = at_once * warps;
    share_totals(warps);
    statement firsts = loop_of(loop_kind::unrolled, name("first"), integer(0), loop_step::by_amount);
    const expression first = firsts.target, thread = name("thread_in_warp");
    firsts.condition = first < steps;
    firsts.step = integer(at_once);
    out_.open(firsts);
    const expression own = part()[first * warps + thread];
    out_.variable(type(), name("upto"),
                  totals == warp() ? own : choose(thread < totals, own, start_of(scan_)));
    open_distances(totals);
    combine_from_below(name("upto"));
    out_.close();
    statement these = loop_of(loop_kind::unrolled, step(), first, loop_step::by_one);
    these.condition = step() < first + at_once;
    out_.open(these);
    const expression place = name("place");
    out_.let(narrow_index_type, place, (step() - first) * warps + name("warp"));
    out_.let(type(), name("below"), out_.call("from_thread", {name("upto"), place - 1}));
    out_.let(type(), name("base"), choose(place == 0, carry(), combined(carry(), name("below"))));
    out_.let(type(), name("here"), combined(name("base"), name("before")[step()]));
    combine_into_elements(name("here"));
    out_.close();
    out_.assign(carry(), combined(carry(), out_.call("from_thread", {name("upto"), integer(totals - 1)})));
    out_.close();
  }
  expression part() { return name("part", scan_)[name("parity")][thread_across()]; }
  /// Two places, used alternately: the next barrier waits for threads that still read one of them.
  void share_totals(int warps) {
    const int steps = chosen().steps;
    out_.variable(type(), name("part", scan_)[2][chosen().threads_across][steps * warps]).space =
        memory_space::shared;
    out_.let(narrow_index_type, name("warp"), thread_along() / warp());
    out_.open_guard(name("thread_in_warp") == warp() - 1);
    out_.open_count(loop_kind::unrolled, step(), steps).brief = true;
    out_.assign(part()[step() * warps + name("warp")], name("total")[step()]);
    out_.close();
    out_.close();
    out_.barrier(thread_scope::block);
  }

  /// What is before a step's elements is combined into each of them.
  void combine_into_elements(expression before) {
    if (!made().exclusive) {
      out_.open_count(loop_kind::unrolled, lane(), vector());
      out_.assign(element(step(), lane()), combined(before, element(step(), lane())));
      out_.close();
      return;
    }
    if (vector() > 1) {
      statement lanes = loop_of(loop_kind::unrolled, lane(), integer(vector() - 1), loop_step::down_by_one);
      lanes.condition = lane() > 0;
      out_.open(lanes);
      out_.assign(element(step(), lane()), combined(before, element(step(), lane() - 1)));
      out_.close();
    }
    out_.assign(element(step(), integer(0)), before);
  }

  // Threads lie across the scanned axis.

  void chunk_of_columns() {
    const int steps = chosen().steps, threads = chosen().threads_across;
    out_.open_scope();
    out_.variable(type(), name("base")[vector()]);
    if (scope_ != thread_scope::thread)
      out_.variable(type(), name("part", scan_)[2][threads][chosen().threads_along * vector()]).space =
          memory_space::shared_aligned;
    const expression total = element(integer(steps - 1), lane()), own_carry = carry()[lane()],
                     base = name("base")[lane()];
    out_.open_count(loop_kind::unrolled, lane(), vector());
    statement sums = loop_of(loop_kind::unrolled, step(), integer(1), loop_step::by_one);
    sums.condition = step() < steps;
    sums.brief = true;
    out_.open(sums);
    out_.assign(element(step(), lane()), combined(element(step() - 1, lane()), element(step(), lane())));
    out_.close();
    if (scope_ != thread_scope::thread) {
      exchange_totals(total);
    } else {
      out_.assign(base, own_carry);
      out_.assign(own_carry, combined(own_carry, total));
    }
    statement downward = loop_of(loop_kind::unrolled, step(), integer(steps - 1), loop_step::down_by_one);
    downward.condition = step() >= (made().exclusive ? 1 : 0);
    downward.brief = true;
    out_.open(downward);
    out_.assign(element(step(), lane()),
                combined(base, made().exclusive ? element(step() - 1, lane()) : element(step(), lane())));
    out_.close();
    if (made().exclusive) out_.assign(element(integer(0), lane()), base);
    out_.close();
    out_.close();
  }
  /// Leaves the loop over lanes open.
  void exchange_totals(expression total) {
    const expression own_carry = carry()[lane()], base = name("base")[lane()], w = name("w");
    const auto part = [&](expression thread) {
      return name("part", scan_)[name("parity")][thread][position() + lane_offset(lane())];
    };
    out_.assign(part(thread_across()), total);
    out_.close();
    out_.barrier(thread_scope::block);
    out_.open_count(loop_kind::unrolled, lane(), vector());
    out_.assign(base, own_carry);
    out_.open_count(loop_kind::unrolled, "w", chosen().threads_across);
    out_.assign_if(w == thread_across(), base, own_carry);
    out_.assign(own_carry, combined(own_carry, part(w)));
    out_.close();
  }

  std::uint32_t scan_ = 0;
  thread_scope scope_ = thread_scope::thread;
};

}  // namespace

void lower_scans(const kernel_description& kernel, loop_tree& tree) {
  if (!has_statement(tree, statement_kind::scan)) return;
  scan_lowering lowering(kernel, tree);
  replace_statements(tree, statement_kind::scan, [&](const statement& at) { return lowering.lowered(at); });
}

}  // namespace sinter::inline v0::codegen
