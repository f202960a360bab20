#pragma once
// Small kernels and trees for tests of passes, as text.

#include "sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_text.hpp>
#include <sinter/codegen/loops/statements/loop_writer.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>

#include <functional>
#include <string>

namespace sinter::test {

/// The kernel of the only stage of a graph with float32 inputs of these extents, under another schedule.
inline kernel_description kernel_of(const graph& recorded, const shape& extents, const target_facts& target,
                                    const schedule& chosen) {
  const lowered_call lowered =
      lower(recorded, std::vector<layout>(recorded.inputs.size(), contiguous(extents)), target);
  kernel_description kernel = read_signature(lowered.stages[0].signature).value();
  kernel.chosen = chosen;
  return kernel;
}

/// What a pass leaves of the statements that `write` writes.
inline std::string lowered_by(void (*pass)(const kernel_description&, codegen::loop_tree&),
                              const kernel_description& kernel,
                              const std::function<void(codegen::loop_writer&)>& write) {
  codegen::loop_tree tree;
  tree.row = codegen::name_row_variables(tree, kernel.chosen.rows_per_thread);
  codegen::loop_writer out(tree);
  write(out);
  pass(kernel, tree);
  return to_string(tree);
}

}  // namespace sinter::test
