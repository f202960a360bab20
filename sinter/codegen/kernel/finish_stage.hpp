#pragma once
// Last step of the pass: a planned stage becomes a kernel, by its description, and the launch of it.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/kernel/stage.hpp>
#include <sinter/codegen/segment/planned_stage.hpp>
#include <sinter/codegen/segment/workspace.hpp>
#include <sinter/codegen/target/target.hpp>

#include <vector>

namespace sinter {

/// Throws compile_error where an external function of the graph has no form for the target.
void check_externals(const graph& recorded, target_kind target);

/// Working memory of finish_stage(), kept between calls.
struct finish_scratch {
  kernel_description described;
  std::vector<argument_field> fields;
};

/// What the stages of a call are finished with: its graph, and its workspace, whose temporaries are there and
/// in which argument blocks that do not fit a launch get memory.
struct finish_facts {
  const graph& recorded;
  const target_facts& target;
  workspace& memory;
};

/// Fills a stage from a planned one, whose nest it takes: its arguments, signature and launch. `is_first`
/// says that no other stage of the call runs before it. Throws shape_error where one launch cannot hold its
/// blocks.
void finish_stage(planned_stage& planned, const finish_facts& facts, bool is_first, finish_scratch& scratch,
                  stage& made);

}  // namespace sinter
