#pragma once
// Last steps of the pass: a planned stage becomes a kernel, through its description, and a launch.

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

/// Working memory, reused between calls.
struct finish_scratch {
  kernel_description described;
  std::vector<argument_field> fields;
};

/// A planned stage, and the call that it belongs to: its graph, and its workspace, which has the temporaries
/// and receives argument blocks that are too large for a launch.
struct finish_facts {
  const graph& recorded;
  const target_facts& target;
  workspace& memory;
  planned_stage& planned;
  bool is_first;  ///< no other stage of the call runs before it
  finish_scratch& scratch;
};

// The passes that fill a stage, in this order.

/// Moves the nest of the planned stage, and takes its purpose and schedule. Decides how its launch overlaps
/// others.
void take_plan(const finish_facts& facts, stage& made);
/// In place of all passes: a stage that sorts rows, which has no kernel.
void finish_sort(const finish_facts& facts, stage& made);
/// Describes the kernel, and lists its arguments.
void describe(const finish_facts& facts, stage& made);
/// The values of the arguments, and the number of tiles.
void set_arguments(const finish_facts& facts, stage& made);
/// The signature: the bytes of the description.
void sign(const finish_facts& facts, stage& made);
/// The number of blocks, and the shape of each. Throws shape_error if one launch cannot have so many.
void set_launch(const finish_facts& facts, stage& made);

}  // namespace sinter::inline v0
