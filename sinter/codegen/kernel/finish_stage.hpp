#pragma once
// Last step of the pass: a planned stage becomes a kernel, through its description, and a launch.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/kernel/stage.hpp>
#include <sinter/codegen/segment/planned_stage.hpp>
#include <sinter/codegen/segment/workspace.hpp>
#include <sinter/codegen/target/target.hpp>

#include <vector>

namespace sinter::inline v0 {

/// Throws compile_error if an external function of the graph has no form for the target.
void check_externals(const graph& recorded, target_kind target);

/// Working memory of finish_stage(), reused between calls.
struct finish_scratch {
  kernel_description described;
  std::vector<argument_field> fields;
};

/// The call that a stage belongs to: its graph, and its workspace, which has the temporaries and receives
/// argument blocks that are too large for a launch.
struct finish_facts {
  const graph& recorded;
  const target_facts& target;
  workspace& memory;
};

/// Fills a stage from a planned one, whose nest it moves: arguments, signature and launch. `is_first` means
/// that no other stage of the call runs before it. Throws shape_error if one launch cannot have so many
/// blocks.
void finish_stage(planned_stage& planned, const finish_facts& facts, bool is_first, finish_scratch& scratch,
                  stage& made);

}  // namespace sinter::inline v0
