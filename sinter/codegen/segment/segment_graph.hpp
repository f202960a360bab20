#pragma once
// The nests of a graph: one if a nest can hold it, else a sequence of stages.

#include <sinter/codegen/nest/build_nest.hpp>
#include <sinter/codegen/segment/cut_long_graphs.hpp>
#include <sinter/codegen/segment/made_ahead.hpp>
#include <sinter/codegen/segment/planned_stage.hpp>
#include <sinter/codegen/segment/workspace.hpp>

#include <cstdint>
#include <vector>

namespace sinter::inline v0 {

/// The stages of a call, and the memory through which they pass values. Reused between calls.
struct stage_plan {
  stage_list stages;
  workspace memory;
};

/// Working memory of segment_graph(), reused between calls.
struct segment_scratch {
  nest_scratch nests;
  cut_scratch cuts;
  node_marks marks;
  std::vector<stored_node> stored;   ///< temporaries of earlier stages
  std::vector<stored_node> wanted;   ///< results of the current nest
  std::vector<std::uint8_t> placed;  ///< per result: whether a nest computes it
  nest parts, before, rest;          ///< the parts that a nest is split into
};

/// Plans the stages of a call, each with its normalised nest and its best schedule. Results of one shape
/// share a nest, except in shape-generic kernels, whose shapes differ between calls. A graph too long for one
/// nest is cut, a reduction that a nest cannot hold is computed ahead, and rows too few or too long are
/// split.
void segment_graph(const planning_facts& facts, segment_scratch& scratch, stage_plan& plan);

}  // namespace sinter::inline v0
