#pragma once
// From a kernel's description to the loops that a printer writes: the builder, then the passes.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace sinter::inline v0::codegen {

/// A step on the way to a kernel's loops. Pure: a tree follows from the description and the tree before.
struct loop_pass {
  enum class targets : std::uint8_t { all, gpu, cpu };

  std::string_view name;
  void (*run)(const kernel_description& kernel, loop_tree& tree);
  targets of = targets::all;

  bool runs_for(target_kind target) const {
    return of == targets::all || (of == targets::gpu) == is_gpu(target);
  }
};

/// The steps of all targets in their order. The first builds the tree; the others leave trees alone that they
/// have nothing to do with.
std::span<const loop_pass> loop_passes();

/// Builds a kernel's loops and runs all passes. In debug builds each pass's tree is verified
/// (verify_loops.hpp).
void build_loops(const kernel_description& kernel, loop_tree& tree);

/// The same, and shows the tree that each pass leaves.
void build_loops(const kernel_description& kernel, loop_tree& tree,
                 const std::function<void(std::string_view pass, const loop_tree& tree)>& show);

}  // namespace sinter::inline v0::codegen
