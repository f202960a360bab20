#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/build/recomputed_values.hpp>
#include <sinter/codegen/nest/build/sorted_in_nest.hpp>
#include <sinter/codegen/nest/build/updates/scatter_update.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/normalise.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose/choose_schedule.hpp>
#include <sinter/codegen/schedule/choose/order_axes.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/segment/pieces/split_rows.hpp>
#include <sinter/codegen/segment/pieces/split_scans.hpp>
#include <sinter/codegen/segment/result_parts.hpp>
#include <sinter/codegen/segment/stage_planner.hpp>
#include <sinter/codegen/shape/shape_bytes.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

namespace sinter::inline v0 {
namespace {

stage_reason reason_of(stored_first why, bool shape_generic) {
  switch (why) {
    case stored_first::many_values:
      return stage_reason::many_values;
    case stored_first::recomputed:
      return stage_reason::recomputed;
    case stored_first::moved_twice:
      return stage_reason::moved_twice;
    case stored_first::index_of_rows:
      return stage_reason::index_of_rows;
    case stored_first::read_in_body:
      return stage_reason::read_in_body;
    case stored_first::updated:
      return stage_reason::updated;
    case stored_first::ordered:
      return stage_reason::ordered;
    case stored_first::another_loop:
      break;
  }
  return shape_generic ? stage_reason::any_layout : stage_reason::another_loop;
}

/// The purpose of stages made from a nest that could be one stage but is split.
stage_purpose purpose_of_split(stage_reason reason, const nest& body, const schedule& chosen,
                               target_kind target) {
  return {.reason = reason,
          .columns = reduces_columns(chosen.order),
          .rows = count_rows(body, false),
          .length = count_rows(body, true),
          .blocks = count_tiles(body, chosen, tile_of(body, chosen, target))};
}

stage_purpose as_part(stage_part part, stage_purpose purpose) {
  purpose.part = part;
  return purpose;
}

}  // namespace

stage_planner::stage_planner(const planning_facts& facts, plan_scratch& scratch, stage_plan& plan)
    : facts_(facts),
      call_(facts.call),
      scratch_(scratch),
      plan_(plan),
      cutter_(facts.call.recorded, scratch.cuts) {
  scratch_.stored.clear();
  scratch_.reports.find(call_);
  list_result_parts(call_, scratch_.results);
  scratch_.placed.assign(scratch_.results.size(), 0);
  plan_.stages.clear();
  plan_.memory.clear();
}

bool stage_planner::begin_stage() {
  if (depth_ == 0 && !begin_cut() && !begin_result()) return false;
  begin_base();
  while (begin_keys()) begin_base();
  planned_stage& stage = made();
  stage.purpose = task().purpose;
  stage.chosen = {};
  stage.sorts = {};
  if (task().part != nullptr) std::swap(stage.body, *task().part);
  return true;
}

/// Of a scatter: begins its base, which is stored where the scatter updates it.
void stage_planner::begin_base() {
  if (task().part != nullptr || task().has_base || !is_scatter(call_, stored(), task().wanted)) return;
  scratch_.tasks[depth_ - 1].has_base = true;
  stored_node base = task().wanted.front();
  base.node = call_.recorded.nodes[base.node].inputs[0];
  base.codes = stored_node::no_codes;
  stage_task& made = push({.reason = stage_reason::base_of_scatter});
  made.wanted.push_back(base);
  made.is_base = true;
  begin_base();
}

/// Of an argsort: begins its keys, contiguous rows in memory that the sort overwrites. Whether it did.
bool stage_planner::begin_keys() {
  if (!sorts() || task().has_base) return false;
  const node_id keys = call_.recorded.nodes[task().wanted.front().node].inputs[0];
  const std::uint32_t temporary = plan_.memory.add_temporary(bytes_of(keys));
  stage_task& ordered = scratch_.tasks[depth_ - 1];
  ordered.has_base = true;
  ordered.keys = temporary;
  stage_task& made = push({.reason = stage_reason::keys_of_rows});
  made.wanted.push_back({keys, access::where::temporary, temporary});
  made.is_base = true;
  return true;
}

bool stage_planner::sorts() const {
  if (task().part != nullptr || task().wanted.size() != 1) return false;
  const stored_node& wanted = task().wanted.front();
  return wanted.place == access::where::temporary && !task().is_base &&
         call_.recorded.nodes[wanted.node].op == operation::argsort && !is_stored(wanted.node) &&
         !is_sorted_in_nest(call_, wanted.node);
}

void stage_planner::sort_rows() {
  const stored_node& ordered = task().wanted.front();
  const node& at = call_.recorded.nodes[ordered.node];
  const auto extents = call_.shapes.of(ordered.node);
  sorted_rows sorted{static_cast<unsigned>(size_of(call_.recorded.nodes[at.inputs[0]].type)),
                     static_cast<unsigned>(at.payload), 1, extents.back()};
  for (const std::int64_t extent : extents.first(extents.size() - 1)) sorted.rows *= extent;
  if (sorted.length > std::numeric_limits<std::uint32_t>::max())
    throw shape_error("argsort" + describe_place(call_.recorded, ordered.node) + ": rows of " +
                      std::to_string(sorted.length) +
                      " elements are not sorted, since positions are numbers of 32 bits: sort parts of them");
  const std::uint32_t scratch = plan_.memory.add_temporary(scratch_bytes(sorted, facts_.target.kind));
  planned_stage& stage = made();
  stage.is_given = false;
  stage.sorts = sorted;
  stage.temporaries = {task().keys, ordered.index, scratch};
  stage.body = {};
}

/// Begins the nodes of a cut that are not stored yet, those of one shape at once. Frees the memory that
/// nothing reads after a cut.
bool stage_planner::begin_cut() {
  for (; cut_ < cutter_.cuts().size(); ++cut_) {
    const graph_cut& cut = cutter_.cuts()[cut_];
    const auto next = std::ranges::find_if(cut.nodes, [&](node_id id) { return !is_stored(id); });
    if (next != cut.nodes.end()) {
      stage_task& task = push({.reason = stage_reason::too_long});
      for (const node_id other : cut.nodes)
        if (!is_stored(other) && (other == *next || share_temporaries(*next, other)))
          task.wanted.push_back(new_temporary(other));
      return true;
    }
    for (const node_id id : cut.done) give_back(id);
  }
  return false;
}

/// Whether one nest can store both.
bool stage_planner::share_temporaries(node_id first, node_id other) const {
  const auto is_written = [&](node_id id) {
    const operation op = call_.recorded.nodes[id].op;
    return op == operation::scatter || (op == operation::argsort && !is_sorted_in_nest(call_, id));
  };
  return !is_written(first) && !is_written(other) && call_.have_one_shape(other, first);
}

/// Begins a result, or a part of one, and the others that share its nest.
bool stage_planner::begin_result() {
  const std::vector<stored_node>& results = scratch_.results;
  while (result_ < results.size() && scratch_.placed[result_] != 0) ++result_;
  if (result_ == results.size()) return false;
  stage_task& task = push({});
  cutter_.begin_nest();
  for (std::size_t other = result_; other < results.size(); ++other)
    if (scratch_.placed[other] == 0 && share_nest(result_, other) &&
        cutter_.add_to_nest(results[other].node)) {
      task.wanted.push_back(results[other]);
      scratch_.placed[other] = 1;
    }
  return true;
}

/// Whether one nest can compute two results: they have one shape but for axes of one element, and the nest is
/// not shape-generic.
bool stage_planner::share_nest(std::size_t first, std::size_t other) const {
  const std::vector<stored_node>& results = scratch_.results;
  const auto is_written = [&](std::size_t result) {
    return is_scatter(call_, stored(), std::span(&results[result], 1));
  };
  return first == other || (!is_written(first) && !is_written(other) && !call_.shape_generic &&
                            call_.have_one_space(results[first].node, results[other].node));
}

stage_task& stage_planner::push(const stage_purpose& purpose) {
  if (scratch_.tasks.size() == depth_) scratch_.tasks.emplace_back();
  stage_task& task = scratch_.tasks[depth_++];
  task.purpose = purpose;
  task.wanted.clear();
  task.part = nullptr;
  task.may_split = true;
  task.has_base = task.is_base = false;
  return task;
}

void stage_planner::push_part(nest& part, const stage_purpose& purpose, bool may_split) {
  stage_task& task = push(purpose);
  task.part = &part;
  task.may_split = may_split;
}

/// Ends the task of the stage. Its temporaries are readable: what remains of it, if it was split, comes next.
void stage_planner::finish_task() {
  const std::span wanted = task().wanted;
  if (!wanted.empty() && wanted.front().place == access::where::temporary && !task().is_base) keep(wanted);
  --depth_;
}

void stage_planner::accept() {
  finish_task();
  plan_.stages.add_next();
}

std::size_t stage_planner::bytes_of(node_id id) const {
  return bytes_of_array(call_.recorded.nodes[id].type, call_.shapes.of(id));
}

std::size_t stage_planner::bytes_of_codes(node_id id) const {
  return bytes_of_array(element_type::int64, call_.shapes.of(id));
}

stored_node stage_planner::new_temporary(node_id id) {
  stored_node made{id, access::where::temporary, plan_.memory.add_temporary(bytes_of(id))};
  if (scratch_.reports.are_deferred(id)) made.codes = plan_.memory.add_temporary(bytes_of_codes(id));
  return made;
}

void stage_planner::keep(std::span<const stored_node> made) {
  for (const stored_node& at : made)
    scratch_.stored.insert(std::ranges::lower_bound(scratch_.stored, at.node, {}, &stored_node::node), at);
}

void stage_planner::give_back(node_id id) {
  const auto found = std::ranges::lower_bound(scratch_.stored, id, {}, &stored_node::node);
  if (found == scratch_.stored.end() || found->node != id) return;
  plan_.memory.give_back(found->index, bytes_of(id));
  if (found->codes != stored_node::no_codes) plan_.memory.give_back(found->codes, bytes_of_codes(id));
  scratch_.stored.erase(found);
}

/// Whether the stage is nothing but what these nodes need.
bool stage_planner::needs_all(std::span<const stored_node> made) {
  return needs_all_of(call_.recorded, made, task().wanted, scratch_.stored, scratch_.marks);
}

void stage_planner::put_off(node_id misfit) {
  const node_demands& demands = scratch_.nests.demands;
  const stage_reason reason = reason_of(demands.why, call_.shape_generic);
  scratch_.alone.clear();
  add_values_of(misfit, scratch_.alone);
  const bool is_updated = reason == stage_reason::updated || reason == stage_reason::ordered;
  compute_ahead(!is_updated && needs_all(scratch_.alone) ? demands.first_reduction() : misfit,
                {.reason = reason});
  if (!is_updated) share_with_rest(reason);
}

/// Puts off the stage of a value ahead until what it has in common with the rest is stored, if that takes
/// less time than computing it in both.
void stage_planner::share_with_rest(stage_reason reason) {
  if (reason == stage_reason::recomputed || call_.shape_generic) return;
  const stage_task &ahead = scratch_.tasks[depth_ - 1], &rest = scratch_.tasks[depth_ - 2];
  const node_id common =
      last_in_common(call_.recorded, ahead.wanted, rest.wanted, scratch_.stored, scratch_.marks);
  if (common == no_node) return;
  const std::array alone{stored_node{common, access::where::temporary, 0}};
  constexpr std::uint64_t in_both = 2;
  if (build_nest(call_, scratch_.stored, alone, scratch_.nests, scratch_.rest) == no_node &&
      is_worth_sharing(scratch_.rest, in_both, call_.target))
    compute_ahead(common, {.reason = stage_reason::recomputed});
}

bool stage_planner::put_off_for_reduction() {
  const nest& body = made().body;
  const schedule& chosen = made().chosen;
  if (body.shape_generic || body.reduced == 0 || !is_better_ahead(body, chosen, facts_.target)) return false;
  const node_id first = scratch_.nests.demands.first_reduction();
  scratch_.alone.clear();
  add_values_of(first, scratch_.alone);
  if (needs_all(scratch_.alone)) return false;
  const stage_reason reason = reason_to_split(body, chosen, facts_.target);
  compute_ahead(first, purpose_of_split(reason, body, chosen, facts_.target.kind));
  share_with_rest(reason);
  return true;
}

/// Computes a reduction in earlier stages. The same stages also compute other values of the following nest
/// where possible: reductions with the same shape and axes that are available as early, so that elements are
/// not read once for each of them; then reductions that depend on those, as long as everything is still read
/// once. What is computed ahead has fewer nodes (needs_all_of()), so stages are not put off forever.
void stage_planner::compute_ahead(node_id first, const stage_purpose& purpose) {
  const std::span wanted = task().wanted;
  std::vector<stored_node>& group = push(purpose).wanted;
  add_values_of(first, group);
  const operation op = call_.recorded.nodes[first].op;
  if (is_reduction(op) || needs_chunk(op)) add_alike(first, group, wanted);
  for (stored_node& each : group) each = new_temporary(each.node);
}

/// A node as what is stored of it: of one with a body the results that the nest needs.
void stage_planner::add_values_of(node_id id, std::vector<stored_node>& to) const {
  const graph& recorded = call_.recorded;
  if (!has_body(recorded.nodes[id].op)) return to.push_back({id, access::where::temporary, 0});
  std::vector<node_id> results;
  for (const node_id each : scratch_.nests.demands.nodes)
    if (recorded.nodes[each].op == operation::component && recorded.nodes[each].inputs[0] == id)
      results.push_back(each);
  std::ranges::sort(results);
  for (const node_id each : results)
    if (!is_stored(each)) to.push_back({each, access::where::temporary, 0});
}

void stage_planner::add_alike(node_id first, std::vector<stored_node>& group,
                              std::span<const stored_node> wanted) {
  std::size_t before = group.size();
  const auto add = [&](std::span<const stored_node> values) {
    before = group.size();
    group.insert(group.end(), values.begin(), values.end());
    if (!needs_all_of(call_.recorded, group, wanted, scratch_.stored, scratch_.marks)) return true;
    group.resize(before);
    return false;
  };
  const alike_reductions alike =
      find_alike(call_, scratch_.nests.demands, scratch_.stored, first, scratch_.marks);
  // what the nest needs of each, before trials ask for other nests
  scratch_.alone.clear();
  scratch_.ends.clear();
  for (const std::span<const node_id> list : {std::span(alike.ready), std::span(alike.later)})
    for (const node_id each : list) {
      add_values_of(each, scratch_.alone);
      scratch_.ends.push_back(scratch_.alone.size());
    }
  for (std::size_t i = 0, begin = 0; i < scratch_.ends.size(); begin = scratch_.ends[i++]) {
    const bool is_added = add(std::span(scratch_.alone).subspan(begin, scratch_.ends[i] - begin));
    const bool is_ready = i < alike.ready.size();
    if (is_added && !is_ready && !is_read_once_by(group, made().body)) group.resize(before);
  }
}

/// Whether one nest computes a group and reads every element once.
bool stage_planner::is_read_once_by(std::span<const stored_node> group, nest& trial) {
  if (build_nest(call_, scratch_.stored, group, scratch_.nests, trial) != no_node) return false;
  normalise(trial);
  order_axes(trial, facts_.target);
  const schedule chosen = choose(trial, call_.inputs, call_.outputs, facts_.target, 0);
  return reads_once(trial, chosen, facts_.target);
}

bool stage_planner::split() {
  if (!task().may_split) return false;
  const planned_stage& whole = made();
  const piece_choice pieces = choose_pieces(whole.body, whole.chosen, facts_.target, facts_.cuts);
  if (!pieces.cut.cuts()) return false;
  const stage_purpose purpose = whole.purpose;
  const stage_purpose cut = purpose_of_split(pieces.reason, whole.body, whole.chosen, facts_.target.kind);
  const auto first = static_cast<std::uint32_t>(plan_.memory.temporaries().size());
  finish_task();
  // tasks are a stack: the part that runs first is pushed last
  if (has_separate_scans(whole.body)) {
    add_temporaries(
        split_scans(whole.body, pieces.cut.length, first, scratch_.parts, scratch_.before, scratch_.rest));
    push_part(scratch_.rest, as_part(stage_part::continued, purpose));
    push_part(scratch_.before, as_part(stage_part::starts, cut));
    push_part(scratch_.parts, as_part(stage_part::totals, cut));
    return true;
  }
  add_temporaries(split_rows(whole.body, pieces.cut, first, scratch_.parts, scratch_.rest));
  // results of pieces that are still many are combined in fewer pieces, which are then combined
  const bool again = purpose.part == stage_part::combined;
  push_part(scratch_.rest, as_part(stage_part::combined, purpose), true);
  push_part(scratch_.parts, as_part(again ? stage_part::combined : stage_part::pieces, cut));
  return true;
}

/// Allocates temporaries for the results of the pieces in `scratch_.parts`.
void stage_planner::add_temporaries(std::uint32_t count) {
  const auto parts = static_cast<std::size_t>(count_rows(scratch_.parts, false));
  for (std::uint32_t i = 0; i < count; ++i)
    plan_.memory.add_temporary(bytes_of_elements(parts, widest_value(scratch_.parts)));
}

}  // namespace sinter::inline v0
