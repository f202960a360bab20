#pragma once
// The nests that a graph becomes: one where one can hold it, else stages one after the other.

#include <sinter/codegen/nest/build_nest.hpp>
#include <sinter/codegen/segment/cut_long_graphs.hpp>
#include <sinter/codegen/segment/made_ahead.hpp>
#include <sinter/codegen/segment/planned_stage.hpp>
#include <sinter/codegen/segment/workspace.hpp>

#include <cstdint>
#include <vector>

namespace sinter {

/// The stages of a call, and the memory that they pass values through. Reused between calls.
struct stage_plan {
  stage_list stages;
  workspace memory;
};

/// Working memory of segment_graph(), kept between calls.
struct segment_scratch {
  nest_scratch nests;
  cut_scratch cuts;
  node_marks marks;
  std::vector<stored_node> stored;   ///< temporaries that earlier stages make
  std::vector<stored_node> wanted;   ///< results of the nest that is being made
  std::vector<std::uint8_t> placed;  ///< of each result: whether a nest makes it
  nest parts, before, rest;          ///< what a nest is split into
};

/// Plans the stages of a call, each with its nest, normalised, and its best schedule. Results of one shape
/// share a nest; of shape-generic kernels none do, whose shapes differ from call to call. A graph too long
/// for one nest is cut, a reduction that a nest cannot hold is made ahead, and rows too few or too long are
/// split.
void segment_graph(const planning_facts& facts, segment_scratch& scratch, stage_plan& plan);

}  // namespace sinter
