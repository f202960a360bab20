#pragma once
// Passes that go about the same end in different ways on different targets.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// The way of each target.
struct pass_by_target {
  using way = void (*)(const kernel_description& kernel, loop_tree& tree);
  way cuda, cpu;

  void run(const kernel_description& kernel, loop_tree& tree) const {
    (is_gpu(kernel.target) ? cuda : cpu)(kernel, tree);
  }
};

inline bool is_chunks(const statement& at) {
  return at.kind == statement_kind::loop && at.loop == loop_kind::chunks;
}

}  // namespace sinter::inline v0::codegen
