#include <sinter/codegen/loops/passes/lower/lower_scans.hpp>

#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>

#include <algorithm>
#include <initializer_list>

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
  partial_values carry() { return partial_names("carry", scan_); }
  /// The element of a step and a lane.
  partial_values element(expression step, expression lane) {
    return at(at(partial_names("v", scan_), step), lane);
  }
  static partial_values at(partial_values of, expression place) {
    for (expression& each : of) each = each[place];
    return of;
  }
  void open_steps() { out_.open_count(loop_kind::unrolled, step(), chosen().steps); }
  bool by_body() const { return has_body(made().op); }

  /// Declares variables "name", "name_1", …, an array each if there is a shape.
  partial_values declare(std::string_view named, std::initializer_list<expression> shape = {}) {
    const std::vector<value_type> types = types_of_partials(scan_);
    partial_values declared(types.size());
    for (std::size_t k = 0; k < types.size(); ++k) {
      declared[k] = k == 0 ? name(named) : name(named, "_", static_cast<std::int64_t>(k));
      expression array = declared[k];
      for (const expression& extent : shape) array = array[extent];
      out_.variable(types[k], array);
    }
    return declared;
  }
  partial_values declare(std::string_view named, const partial_values& values) {
    const std::vector<value_type> types = types_of_partials(scan_);
    partial_values declared(types.size());
    for (std::size_t k = 0; k < types.size(); ++k) {
      declared[k] = k == 0 ? name(named) : name(named, "_", static_cast<std::int64_t>(k));
      out_.let(types[k], declared[k], values[k]);
    }
    return declared;
  }
  partial_values named(std::string_view of) {
    partial_values made(types_of_partials(scan_).size());
    for (std::size_t k = 0; k < made.size(); ++k)
      made[k] = k == 0 ? name(of) : name(of, "_", static_cast<std::int64_t>(k));
    return made;
  }
  partial_values exchanged(std::string_view function, const partial_values& from, expression by) {
    partial_values made(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) made[k] = out_.call(function, {from[k], by});
    return made;
  }

  /// `to` becomes left and right combined, in this order; of a body only what is there.
  void join(const partial_values& to, const optional_values& left, const optional_values& right) {
    if (by_body()) return combine(scan_, to, left, right);
    out_.assign(to[0],
                tree_.expressions.make(expression_kind::combined, {left.values[0], right.values[0]}, scan_));
  }
  /// The same as new variables.
  partial_values joined(std::string_view named, const optional_values& left, const optional_values& right) {
    if (!by_body())
      return declare(named, partial_values{tree_.expressions.make(expression_kind::combined,
                                                                  {left.values[0], right.values[0]}, scan_)});
    const partial_values to = declare(named);
    combine(scan_, to, left, right);
    return to;
  }
  void assign_all_if(expression condition, const partial_values& to, const partial_values& from) {
    for (std::size_t k = 0; k < to.size(); ++k) out_.assign_if(condition, to[k], from[k]);
  }

  // Where elements are: the row ends inside a chunk, and its elements come first there.

  /// Whether the carry holds anything before this chunk, or before a step of it.
  expression has_carry() {
    const expression earlier = has_earlier_pieces(scan_), here = chunk_start() > 0;
    return earlier.is_set() ? earlier || here : here;
  }
  expression has_carry(expression step) {
    if (columns() || !chosen().resident) return has_carry() || step > 0;
    const expression earlier = has_earlier_pieces(scan_);
    return earlier.is_set() ? earlier || step > 0 : step > 0;
  }
  /// Whether the row reaches the element of a thread, step and lane.
  expression is_in_row(expression step, expression thread, expression lane) {
    return (step * chosen().threads_along + thread) * vector() + lane < name("left");
  }
  /// How many of a chunk's elements are in the row, in 32 bits.
  void declare_left() {
    if (!by_body()) return;
    const expression rest = chosen().resident ? length() : length() - chunk_start();
    out_.let(narrow_index_type, name("left"),
             convert(narrow_index_type, choose(rest < elements_of_chunk(), rest, elements_of_chunk())));
  }
  int elements_of_chunk() const { return chosen().threads_along * chosen().steps * vector(); }
  /// Writes what a body takes without a test where the whole chunk is in the row.
  template <typename Write>
  void where_whole(Write write) {
    if (!by_body()) return write(false);
    statement choice{.kind = statement_kind::choice};
    choice.instruction = scan_;
    choice.condition = name("left") == elements_of_chunk();
    out_.open(choice);
    write(true);
    out_.reopen();
    write(false);
    out_.close();
  }
  expression own_thread() { return tree_.row.thread; }

  // Threads lie along the scanned axis.

  void chunk_of_rows() {
    out_.open_scope();
    declare_left();
    const partial_values total = named("total"), before = named("before");
    const std::vector<value_type> types = types_of_partials(scan_);
    for (std::size_t k = 0; k < total.size(); ++k) {
      out_.variable(types[k], total[k][chosen().steps]);
      out_.variable(types[k], before[k][chosen().steps]);
    }
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
      where_whole([&](bool whole) {
        out_.open_steps(loop_kind::unrolled, lane(), 1, vector());
        join(element(step(), lane()), {element(step(), lane() - 1)},
             {element(step(), lane()), whole ? expression() : is_in_row(step(), own_thread(), lane())});
        out_.close();
      });
    }
    assign_all(at(named("total"), step()), element(step(), integer(vector() - 1)));
    assign_all(at(named("before"), step()), starts_of(scan_));
    out_.close();
  }
  /// Steps side by side, so that their exchanges overlap.
  void threads_of_warps() {
    const int threads = std::min<int>(chosen().threads_along, warp());
    out_.let(narrow_index_type, name("thread_in_warp"), thread_along() % threads);
    open_distances(threads);
    open_steps();
    combine_from_below(at(named("total"), step()),
                       is_in_row(step(), first_of_those(own_thread()), integer(0)));
    out_.close();
    out_.close();
    open_steps();
    const partial_values other =
        declare("other", exchanged("from_below", at(named("total"), step()), integer(1)));
    assign_all_if(name("thread_in_warp") > 0, at(named("before"), step()), other);
    out_.close();
  }
  void open_distances(int end) {
    out_.open_steps(loop_kind::unrolled, name("distance"), 1, end, loop_step::doubled);
  }
  /// Of those that a thread or warp has combined when it looks further, `distance` below, the first.
  expression first_of_those(expression number) { return number - (name("distance") - 1); }
  void combine_from_below(const partial_values& to, expression is_present) {
    const partial_values other = declare("other", exchanged("from_below", to, name("distance")));
    const expression is_above = name("thread_in_warp") >= name("distance");
    if (!by_body()) {
      out_.assign_if(is_above, to[0],
                     tree_.expressions.make(expression_kind::combined, {other[0], to[0]}, scan_));
      return;
    }
    statement choice{.kind = statement_kind::choice};
    choice.instruction = scan_;
    choice.condition = is_above;
    out_.open(choice);
    join(to, {other}, {to, is_present});
    out_.close();
  }

  /// One warp, or part of one, has the whole row: steps follow each other.
  void steps() {
    const int threads = chosen().threads_along;
    const partial_values total = at(named("total"), step());
    // where there is no thread before, nothing is
    const expression is_below = scope_ == thread_scope::thread ? integer(1) == 0 : name("thread_in_warp") > 0;
    open_steps();
    const partial_values here =
        joined("here", {carry(), has_carry(step())}, {at(named("before"), step()), is_below});
    combine_into_elements({here, has_carry(step()) || is_below});
    const expression last =
        convert(narrow_index_type,
                sum_of(tree_.expressions, std::array{thread_across() * threads, integer(threads - 1)}));
    const partial_values all = threads > 1 ? exchanged("from_thread", total, last % warp()) : total;
    join_after_exchange(carry(), {carry(), has_carry(step())},
                        {all, is_in_row(step(), integer(0), integer(0))});
    out_.close();
  }
  /// Of a body: all threads take part in the exchange before it is known which of them combine.
  void join_after_exchange(const partial_values& to, const optional_values& left,
                           const optional_values& right) {
    if (!by_body()) return join(to, left, right);
    join(to, left, {declare("all", right.values), right.present});
  }

  /// Totals of the warps, as many steps at once as a warp has threads for; each warp does so for itself.
  void warps() {
    const int steps = chosen().steps, warps = chosen().threads_along / warp();
    int at_once = 1;
    while (2 * at_once * warps <= warp() && steps % (2 * at_once) == 0) at_once *= 2;
    const int totals = at_once * warps;
    share_totals(warps);
    const expression first = name("first"), thread = name("thread_in_warp");
    out_.open_strided(loop_kind::unrolled, first, 0, steps, at_once);
    const partial_values own = at(part(), first * warps + thread), starts = starts_of(scan_),
                         upto = named("upto");
    const std::vector<value_type> types = types_of_partials(scan_);
    for (std::size_t k = 0; k < own.size(); ++k)
      out_.variable(types[k], upto[k],
                    totals == warp() ? own[k] : choose(thread < totals, own[k], starts[k]));
    open_distances(totals);
    const expression from = first_of_those(thread);
    combine_from_below(upto, is_in_row(first + from / warps, from % warps * warp(), integer(0)));
    out_.close();
    out_.open_steps(loop_kind::unrolled, step(), first, first + at_once);
    const expression place = name("place"), is_below = place > 0;
    out_.let(narrow_index_type, place, (step() - first) * warps + name("warp"));
    const partial_values below = declare("below", exchanged("from_thread", upto, place - 1));
    partial_values base = named("base");
    if (by_body()) {
      base = joined("base", {carry(), has_carry(first)}, {below, is_below});
    } else {
      out_.let(types[0], base[0],
               choose(place == 0, carry()[0],
                      tree_.expressions.make(expression_kind::combined, {carry()[0], below[0]}, scan_)));
    }
    const expression has_base = has_carry(first) || is_below, is_above = thread > 0;
    const partial_values here = joined("here", {base, has_base}, {at(named("before"), step()), is_above});
    combine_into_elements({here, has_base || is_above});
    out_.close();
    join_after_exchange(
        carry(), {carry(), has_carry(first)},
        {exchanged("from_thread", upto, integer(totals - 1)), is_in_row(first, integer(0), integer(0))});
    out_.close();
  }
  partial_values part() { return at(at(partial_names("part", scan_), name("parity")), thread_across()); }
  /// Two places, used alternately: the next barrier waits for threads that still read one of them.
  void share_totals(int warps) {
    const int steps = chosen().steps;
    const std::vector<value_type> types = types_of_partials(scan_);
    const partial_values parts = partial_names("part", scan_);
    for (std::size_t k = 0; k < parts.size(); ++k)
      out_.variable(types[k], parts[k][2][chosen().threads_across][steps * warps]).space =
          memory_space::shared;
    out_.let(narrow_index_type, name("warp"), thread_along() / warp());
    out_.open_guard(name("thread_in_warp") == warp() - 1);
    out_.open_count(loop_kind::unrolled, step(), steps);
    assign_all(at(part(), step() * warps + name("warp")), at(named("total"), step()));
    out_.close();
    out_.close();
    out_.barrier(thread_scope::block);
  }

  /// What is before a step's elements is combined into each of them.
  void combine_into_elements(const optional_values& before) {
    const auto is_there = [&](expression lane) { return is_in_row(step(), own_thread(), lane); };
    if (!made().exclusive) {
      where_whole([&](bool whole) {
        out_.open_count(loop_kind::unrolled, lane(), vector());
        join(element(step(), lane()), before,
             {element(step(), lane()), whole ? expression() : is_there(lane())});
        out_.close();
      });
      return;
    }
    if (vector() > 1) {
      out_.open_steps(loop_kind::unrolled, lane(), vector() - 1, 1, loop_step::down_by_one);
      join(element(step(), lane()), before, {element(step(), lane() - 1), is_there(lane() - 1)});
      out_.close();
    }
    assign_all(element(step(), integer(0)), before.values);
  }

  // Threads lie across the scanned axis.

  /// Whether there is an element in a lane's column, at a step of a thread across.
  expression is_in_column(expression thread, expression step) {
    return both(chunk_start() + thread * chosen().steps + step < length(), is_in_columns(lane()));
  }
  void chunk_of_columns() {
    const int steps = chosen().steps, threads = chosen().threads_across;
    out_.open_scope();
    declare("base", {integer(vector())});
    const std::vector<value_type> types = types_of_partials(scan_);
    const partial_values parts = partial_names("part", scan_);
    for (std::size_t k = 0; k < parts.size() && scope_ != thread_scope::thread; ++k)
      out_.variable(types[k], parts[k][2][threads][chosen().threads_along * vector()]).space =
          memory_space::shared_aligned;
    const partial_values total = element(integer(steps - 1), lane()), own_carry = at(carry(), lane()),
                         base = at(named("base"), lane());
    out_.open_count(loop_kind::unrolled, lane(), vector());
    out_.open_steps(loop_kind::unrolled, step(), 1, steps);
    join(element(step(), lane()), {element(step() - 1, lane())},
         {element(step(), lane()), is_in_column(thread_across(), step())});
    out_.close();
    if (scope_ != thread_scope::thread) {
      exchange_totals(total);
    } else {
      assign_all(base, own_carry);
      join(own_carry, {own_carry, has_carry()}, {total, is_in_column(integer(0), integer(0))});
    }
    out_.open_steps(loop_kind::unrolled, step(), steps - 1, made().exclusive ? 1 : 0, loop_step::down_by_one);
    const expression from = made().exclusive ? step() - 1 : step();
    join(element(step(), lane()), {base, has_carry() || thread_across() > 0},
         {element(from, lane()), is_in_column(thread_across(), from)});
    out_.close();
    if (made().exclusive) assign_all(element(integer(0), lane()), base);
    out_.close();
    out_.close();
  }
  /// Leaves the loop over lanes open.
  void exchange_totals(const partial_values& total) {
    const partial_values own_carry = at(carry(), lane()), base = at(named("base"), lane());
    const expression other = name("w");
    const auto part = [&](expression thread) {
      return at(at(at(partial_names("part", scan_), name("parity")), thread),
                position() + lane_offset(lane()));
    };
    assign_all(part(thread_across()), total);
    out_.close();
    out_.barrier(thread_scope::block);
    out_.open_count(loop_kind::unrolled, lane(), vector());
    assign_all(base, own_carry);
    // a body unrolled for a thousand threads takes NVRTC 20 seconds
    out_.open_count(by_body() ? loop_kind::rolled : loop_kind::unrolled, "w", chosen().threads_across);
    assign_all_if(other == thread_across(), base, own_carry);
    join(own_carry, {own_carry, has_carry() || other > 0}, {part(other), is_in_column(other, integer(0))});
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
