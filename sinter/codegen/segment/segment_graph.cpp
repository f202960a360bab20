#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/normalise.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose_schedule.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/segment/choose_pieces.hpp>
#include <sinter/codegen/segment/segment_graph.hpp>
#include <sinter/codegen/segment/split_rows.hpp>
#include <sinter/codegen/segment/split_scans.hpp>
#include <sinter/codegen/shape/shape_bytes.hpp>

#include <algorithm>
#include <span>

namespace sinter::inline v0 {
namespace {

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

/// Appends stages to a plan, each before the stages that read its results.
class stage_planner {
 public:
  stage_planner(const planning_facts& facts, segment_scratch& scratch, stage_plan& plan)
      : facts_(facts), call_(facts.call), scratch_(scratch), plan_(plan) {
    scratch_.stored.clear();
    plan_.stages.clear();
    plan_.memory.clear();
  }

  /// Appends the stages that store the nodes of a cut, and frees the memory that nothing reads afterwards.
  void add_cut(const graph_cut& cut) {
    for (const node_id id : cut.nodes) {
      if (is_stored(id)) continue;
      std::vector<stored_node> group;
      for (const node_id other : cut.nodes)
        if (!is_stored(other) && call_.have_one_shape(other, id)) group.push_back(new_temporary(other));
      add(group, {.reason = stage_reason::too_long});
      keep(group);
    }
    for (const node_id id : cut.done) give_back(id);
  }

  /// Appends the stages that compute the results; results of one shape, but for axes of one element, share a
  /// nest.
  void add_results(nest_cutter& cutter) {
    const auto& outputs = call_.recorded.outputs;
    scratch_.placed.assign(outputs.size(), 0);
    for (std::uint32_t first = 0; first < outputs.size(); ++first) {
      if (scratch_.placed[first] != 0) continue;
      scratch_.wanted.clear();
      cutter.begin_nest();
      for (std::uint32_t other = first; other < outputs.size(); ++other)
        if (scratch_.placed[other] == 0 && share_nest(first, other) && cutter.add_to_nest(outputs[other])) {
          scratch_.wanted.push_back({outputs[other], access::where::argument, other});
          scratch_.placed[other] = 1;
        }
      add(scratch_.wanted, {});
    }
  }

 private:
  bool is_stored(node_id id) const { return find_stored(scratch_.stored, id) != nullptr; }

  /// Whether one nest can compute two results: they have one shape but for axes of one element, and the nest
  /// is not shape-generic.
  bool share_nest(std::uint32_t first, std::uint32_t other) const {
    const auto& outputs = call_.recorded.outputs;
    return first == other || (!call_.shape_generic && call_.have_one_space(outputs[first], outputs[other]));
  }

  std::size_t bytes_of(node_id id) const {
    return bytes_of_array(call_.recorded.nodes[id].type, call_.shapes.of(id));
  }
  stored_node new_temporary(node_id id) {
    return {id, access::where::temporary, plan_.memory.add_temporary(bytes_of(id))};
  }
  void keep(std::span<const stored_node> made) {
    for (const stored_node& at : made)
      scratch_.stored.insert(std::ranges::lower_bound(scratch_.stored, at.node, {}, &stored_node::node), at);
  }
  void give_back(node_id id) {
    const auto found = std::ranges::lower_bound(scratch_.stored, id, {}, &stored_node::node);
    if (found == scratch_.stored.end() || found->node != id) return;
    plan_.memory.give_back(found->index, bytes_of(id));
    scratch_.stored.erase(found);
  }

  /// Appends the stages that compute nodes of one shape. A reduction that their nest cannot hold, or that is
  /// better split over the device, is computed before by stages of its own. Those have fewer nodes
  /// (needs_all_of()), so the recursion ends.
  void add(std::span<const stored_node> wanted, const stage_purpose& purpose) {
    while (true) {
      stage_purpose ahead;
      const node_id first = build(wanted, ahead);
      if (first == no_node) return finish(purpose);
      make_ahead(first, wanted, ahead);
    }
  }

  /// Builds the next stage's nest, or returns the reduction that must be computed before it, with the reason.
  node_id build(std::span<const stored_node> wanted, stage_purpose& ahead) {
    planned_stage& made = plan_.stages.next();
    const node_demands& demands = scratch_.nests.demands;
    const node_id misfit = build_nest(call_, scratch_.stored, wanted, scratch_.nests, made.body);
    ahead.reason = reason_of(demands.why);
    if (misfit != no_node)
      return needs_all(wanted, {{misfit, access::where::temporary, 0}}) ? demands.first_reduction() : misfit;
    settle_empty(made.body);
    normalise(made.body);
    if (made.body.shape_generic || made.body.reduced == 0) return no_node;
    const schedule together = choose(made.body, call_.inputs, call_.outputs, facts_.target, 0);
    if (!is_better_ahead(made.body, together, facts_.target)) return no_node;
    const node_id first = demands.first_reduction();
    if (needs_all(wanted, {{first, access::where::temporary, 0}})) return no_node;
    const bool few = has_too_few_rows(made.body, together, facts_.target);
    ahead = purpose_of_split(few ? stage_reason::few_rows : stage_reason::rereading, made.body, together,
                             facts_.target.kind);
    return first;
  }

  stage_reason reason_of(stored_first why) const {
    switch (why) {
      case stored_first::many_values:
        return stage_reason::many_values;
      case stored_first::recomputed:
        return stage_reason::recomputed;
      case stored_first::another_loop:
        break;
    }
    return call_.shape_generic ? stage_reason::any_layout : stage_reason::another_loop;
  }

  bool needs_all(std::span<const stored_node> wanted, std::initializer_list<stored_node> made) {
    return needs_all_of(call_.recorded, made, wanted, scratch_.stored, scratch_.marks);
  }

  /// Computes a reduction in earlier stages. The same stages also compute other values of the following nest
  /// where possible: reductions with the same shape and axes that are available as early, so that elements
  /// are not read once for each of them; then reductions that depend on those, as long as everything is still
  /// read once.
  void make_ahead(node_id first, std::span<const stored_node> wanted, const stage_purpose& purpose) {
    std::vector<stored_node> group{{first, access::where::temporary, 0}};
    if (is_reduction(call_.recorded.nodes[first].op) || is_scan(call_.recorded.nodes[first].op))
      add_alike(group, wanted);
    for (stored_node& made : group) made = new_temporary(made.node);
    add(group, purpose);
    keep(group);
  }

  void add_alike(std::vector<stored_node>& group, std::span<const stored_node> wanted) {
    const auto push = [&](node_id next) {
      group.push_back({next, access::where::temporary, 0});
      if (!needs_all_of(call_.recorded, group, wanted, scratch_.stored, scratch_.marks)) return true;
      group.pop_back();
      return false;
    };
    const alike_reductions alike =
        find_alike(call_, scratch_.nests.demands, scratch_.stored, group.front().node, scratch_.marks);
    for (const node_id next : alike.ready) push(next);
    nest& trial = plan_.stages.next().body;
    for (const node_id next : alike.later)
      if (push(next) && !is_read_once_by(group, trial)) group.pop_back();
  }

  /// Whether one nest computes a group and reads every element once.
  bool is_read_once_by(std::span<const stored_node> group, nest& trial) {
    if (build_nest(call_, scratch_.stored, group, scratch_.nests, trial) != no_node) return false;
    normalise(trial);
    const schedule chosen = choose(trial, call_.inputs, call_.outputs, facts_.target, 0);
    return reads_once(trial, chosen, facts_.target);
  }

  /// Schedules the next stage, whose nest is built, and appends it. Splits it if its rows are too few and it
  /// is not itself a part of a split stage.
  void finish(const stage_purpose& purpose, bool may_split = true) {
    planned_stage& made = plan_.stages.next();
    made.purpose = purpose;
    // splitting depends on the first schedule, so that another attempt changes only its own stage
    schedule_stage(made, facts_, 0);
    if (may_split)
      if (const piece_choice pieces = choose_pieces(made.body, made.chosen, facts_.target); pieces.cut.cuts())
        return split(made, pieces);
    plan_.stages.add_next();
  }

  void split(planned_stage& whole, const piece_choice& pieces) {
    const stage_purpose purpose = whole.purpose;
    const stage_purpose cut = purpose_of_split(pieces.reason, whole.body, whole.chosen, facts_.target.kind);
    const auto first = static_cast<std::uint32_t>(plan_.memory.temporaries().size());
    if (has_scans(whole.body)) {
      add_temporaries(
          split_scans(whole.body, pieces.cut.length, first, scratch_.parts, scratch_.before, scratch_.rest));
      finish_part(scratch_.parts, as_part(stage_part::totals, cut));
      finish_part(scratch_.before, as_part(stage_part::starts, cut));
      return finish_part(scratch_.rest, as_part(stage_part::continued, purpose));
    }
    add_temporaries(split_rows(whole.body, pieces.cut, first, scratch_.parts, scratch_.rest));
    // results of pieces that are still many are combined in fewer pieces, which are then combined
    const bool again = purpose.part == stage_part::combined;
    finish_part(scratch_.parts, as_part(again ? stage_part::combined : stage_part::pieces, cut));
    finish_part(scratch_.rest, as_part(stage_part::combined, purpose), true);
  }

  /// Allocates temporaries for the results of the pieces in `scratch_.parts`.
  void add_temporaries(std::uint32_t count) {
    const auto parts = static_cast<std::size_t>(count_rows(scratch_.parts, false));
    for (std::uint32_t i = 0; i < count; ++i)
      plan_.memory.add_temporary(bytes_of_elements(parts, widest_value(scratch_.parts)));
  }

  void finish_part(nest& part, const stage_purpose& purpose, bool may_split = false) {
    std::swap(plan_.stages.next().body, part);
    finish(purpose, may_split);
  }

  const planning_facts& facts_;
  const call_facts& call_;
  segment_scratch& scratch_;
  stage_plan& plan_;
};

}  // namespace

void segment_graph(const planning_facts& facts, segment_scratch& scratch, stage_plan& plan) {
  stage_planner planner(facts, scratch, plan);
  nest_cutter cutter(facts.call.recorded, scratch.cuts);
  for (const graph_cut& cut : cutter.cuts()) planner.add_cut(cut);
  planner.add_results(cutter);
}

}  // namespace sinter::inline v0
