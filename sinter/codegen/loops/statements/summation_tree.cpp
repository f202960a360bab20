#include <sinter/codegen/loops/ir/lane_functions.hpp>
#include <sinter/codegen/loops/statements/summation_tree.hpp>
#include <sinter/codegen/schedule/loop_thresholds.hpp>

namespace sinter::inline v0::codegen {
bool summation_tree::has_sums(unsigned phase) {
  bool found = false;
  each_sum(phase, [&](std::uint32_t, const instruction&) { found = true; });
  return found;
}

void summation_tree::begin(loop_writer& out, unsigned phase) {
  if (!has_sums(phase)) return;
  each_sum(phase, [&](std::uint32_t i, const instruction& made) {
    out.variable(value_of(made.compute), with_rows(upper(i))[max_levels][vector()]);
  });
  out.variable(index_type, blocks(phase), integer(0));
  out.variable(narrow_index_type, steps(phase), integer(0));
}

void summation_tree::open_lanes_of_rows(loop_writer& out) {
  if (rows_per_thread() > 1) out.open_count(loop_kind::rows, "u", rows_per_thread());
  out.open_count(lanes_kind(), lane(), vector());
}
void summation_tree::close_lanes_of_rows(loop_writer& out) {
  out.close();
  if (rows_per_thread() > 1) out.close();
}

void summation_tree::add_level(loop_writer& out, unsigned phase) {
  const expression level = name("level");
  each_sum(phase, [&](std::uint32_t i, const instruction&) {
    open_lanes_of_rows(out);
    out.assign(sum(i, lane()), tree_.expressions.make(expression_kind::combined,
                                                      {of_row(upper(i))[level][lane()], sum(i, lane())}, i));
    close_lanes_of_rows(out);
  });
}

void summation_tree::grow(loop_writer& out, unsigned phase) {
  if (!has_sums(phase)) return;
  const expression level = name("level");
  out.open_guard(incremented(steps(phase)) == steps_of_a_block);
  out.variable(narrow_index_type, level, integer(0));
  statement full{.kind = statement_kind::loop};
  full.target = level;
  out.open(full);
  out.leave_unless(blocks(phase) >> level & 1);
  add_level(out, phase);
  out.close();
  each_sum(phase, [&](std::uint32_t i, const instruction&) {
    open_lanes_of_rows(out);
    out.assign(of_row(upper(i))[level][lane()], sum(i, lane()));
    out.assign(sum(i, lane()), start_of(i));
    close_lanes_of_rows(out);
  });
  out.perform(incremented(blocks(phase)));
  out.assign(steps(phase), integer(0));
  out.close();
}

void summation_tree::finish(loop_writer& out, unsigned phase) {
  if (!has_sums(phase)) return;
  if (has_lane_functions(described_))
    return each_sum(phase, [&](std::uint32_t i, const instruction& made) {
      out.perform(out.call("collect_" + lane_function_kind(made), {name("sum", i), upper(i), blocks(phase)}));
    });
  const expression level = name("level");
  statement levels{.kind = statement_kind::loop};
  levels.type = narrow_index_type;
  levels.target = level;
  levels.begin = integer(0);
  out.open(levels);
  out.leave_unless(blocks(phase) >> level);
  out.open_guard(blocks(phase) >> level & 1);
  add_level(out, phase);
  out.close();
  out.close();
}

}  // namespace sinter::inline v0::codegen
