#pragma once
// Which stages a call has: one if a nest can hold the graph, else a sequence. The passes that make a stage
// are listed in lower.cpp; the planner says what the next one computes, and puts other stages before it.

#include <sinter/codegen/nest/build/build_nest.hpp>
#include <sinter/codegen/nest/build/indices/deferred_reports.hpp>
#include <sinter/codegen/segment/cut_long_graphs.hpp>
#include <sinter/codegen/segment/made_ahead.hpp>
#include <sinter/codegen/segment/pieces/choose_pieces.hpp>
#include <sinter/codegen/segment/planned_stage.hpp>
#include <sinter/codegen/segment/workspace.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// The stages of a call, and the memory through which they pass values. Reused between calls.
struct stage_plan {
  stage_list stages;
  workspace memory;
};

/// What one stage has to compute: nodes of one shape, or a part of a nest that was split.
struct stage_task {
  stage_purpose purpose;
  std::vector<stored_node> wanted;  ///< results of the call, or temporaries; empty for a part
  nest* part = nullptr;             ///< in the planner's working memory; nullptr for nodes
  bool may_split = true;
  bool has_base = false;   ///< of a scatter: its base is stored, or comes next; of an argsort: its keys
  bool is_base = false;    ///< what is stored is updated by the next task, and read by none
  std::uint32_t keys = 0;  ///< of an argsort: their temporary
};

/// Working memory of stage_planner, reused between calls.
struct plan_scratch {
  nest_scratch nests;
  deferred_reports reports;
  cut_scratch cuts;
  node_marks marks;
  std::vector<stored_node> stored;   ///< temporaries of earlier stages
  std::vector<stored_node> alone;    ///< what nodes store that are looked at, one after the other
  std::vector<std::size_t> ends;     ///< where that of each ends
  std::vector<stored_node> results;  ///< of the call, or parts of them (result_parts.hpp)
  std::vector<std::uint8_t> placed;  ///< of each: whether a nest computes it
  std::deque<stage_task> tasks;      ///< a stack; tasks keep their address and their memory
  nest parts, before, rest;          ///< the parts that a nest is split into
};

/// Plans a call's stages, each before the stages that read its results. Results of one shape share a nest,
/// except in shape-generic kernels, whose shapes differ between calls. A graph too long for one nest is cut,
/// a reduction that a nest cannot hold is computed ahead, and rows too few or too long are split.
class stage_planner {
 public:
  stage_planner(const planning_facts& facts, plan_scratch& scratch, stage_plan& plan);

  /// Begins the next stage, or one that was put off; false if everything is planned.
  bool begin_stage();
  /// The stage under construction, and its number.
  planned_stage& made() { return plan_.stages.next(); }
  std::size_t number() const { return plan_.stages.size(); }
  const stage_task& task() const { return scratch_.tasks[depth_ - 1]; }
  /// Appends the stage to the plan. Later nests read what it stores.
  void accept();
  /// Whether the stage sorts rows, and has no nest: then sort_rows() makes it, and no pass runs.
  bool sorts() const;
  void sort_rows();

  std::span<const stored_node> stored() const { return scratch_.stored; }
  nest_scratch& nests() { return scratch_.nests; }

  /// Puts the stage off until earlier ones have computed the node that build_nest() returned for it.
  void put_off(node_id misfit);
  void share_with_rest(stage_reason reason);
  /// Puts the stage off until its first reduction is computed, if that is better done ahead: alone it can be
  /// split over the device. Returns whether it did.
  bool put_off_for_reduction();
  /// Replaces the stage by its pieces and what combines them, if its rows are too few or too long. Returns
  /// whether it did.
  bool split();

 private:
  bool begin_cut();
  void begin_base();
  bool begin_keys();
  bool begin_result();
  bool share_temporaries(node_id first, node_id other) const;
  bool share_nest(std::size_t first, std::size_t other) const;
  stage_task& push(const stage_purpose& purpose);
  void push_part(nest& part, const stage_purpose& purpose, bool may_split = false);
  void finish_task();

  bool is_stored(node_id id) const { return find_stored(scratch_.stored, id) != nullptr; }
  std::size_t bytes_of(node_id id) const;
  std::size_t bytes_of_codes(node_id id) const;
  stored_node new_temporary(node_id id);
  void keep(std::span<const stored_node> made);
  void give_back(node_id id);

  bool needs_all(std::span<const stored_node> made);
  void compute_ahead(node_id first, const stage_purpose& purpose);
  void add_values_of(node_id id, std::vector<stored_node>& to) const;
  void add_alike(node_id first, std::vector<stored_node>& group, std::span<const stored_node> wanted);
  bool is_read_once_by(std::span<const stored_node> group, nest& trial);
  void add_temporaries(std::uint32_t count);

  const planning_facts& facts_;
  const call_facts& call_;
  plan_scratch& scratch_;
  stage_plan& plan_;
  nest_cutter cutter_;
  std::size_t cut_ = 0;     ///< the next of the cuts
  std::size_t result_ = 0;  ///< the next of the results
  std::size_t depth_ = 0;   ///< tasks in use: those that are begun, each put off for the one above it
};

}  // namespace sinter::inline v0
