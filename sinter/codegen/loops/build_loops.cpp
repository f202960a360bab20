#include <sinter/codegen/loops/build_loops.hpp>

#include <sinter/codegen/loops/build/build_kernel.hpp>
#include <sinter/codegen/loops/passes/guards/assume_whole_rows.hpp>
#include <sinter/codegen/loops/passes/guards/split_ragged_chunks.hpp>
#include <sinter/codegen/loops/passes/guards/split_ragged_tiles.hpp>
#include <sinter/codegen/loops/passes/lower/choose_vectors.hpp>
#include <sinter/codegen/loops/passes/lower/lower_combines.hpp>
#include <sinter/codegen/loops/passes/lower/lower_scans.hpp>
#include <sinter/codegen/loops/passes/lower/lower_scans_in_lanes.hpp>
#include <sinter/codegen/loops/passes/lower/lower_sorts.hpp>
#include <sinter/codegen/loops/passes/lower/report_shared_indices.hpp>
#include <sinter/codegen/loops/passes/lower/roll_outer_loops.hpp>
#include <sinter/codegen/loops/passes/lower/share_random_blocks.hpp>
#include <sinter/codegen/loops/passes/lower/speculate_fast_paths.hpp>
#include <sinter/codegen/loops/passes/lower/vectorise_lanes.hpp>
#include <sinter/codegen/loops/passes/memory/fetch_ahead.hpp>
#include <sinter/codegen/loops/passes/memory/hoist_loads.hpp>
#include <sinter/codegen/loops/passes/memory/pack_strided.hpp>
#include <sinter/codegen/loops/passes/memory/place_resident.hpp>
#include <sinter/codegen/loops/passes/memory/prefetch_rows.hpp>
#include <sinter/codegen/loops/passes/memory/privatise_updates.hpp>
#include <sinter/codegen/loops/passes/memory/spill_to_shared.hpp>
#include <sinter/codegen/loops/passes/memory/stage_rows.hpp>
#include <sinter/codegen/loops/passes/memory/stage_strips.hpp>
#ifndef NDEBUG
#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/loops/ir/loop_text.hpp>
#include <sinter/codegen/loops/verify/verify_loops.hpp>
#endif

namespace sinter::inline v0::codegen {
namespace {

constexpr auto on_gpu = loop_pass::targets::gpu, on_cpu = loop_pass::targets::cpu;
constexpr loop_pass passes[] = {
    {"build_loops", build_kernel},
    {"assume_whole_rows", assume_whole_rows, on_gpu},
    {"stage_rows", stage_rows, on_gpu},
    {"spill_to_shared", spill_to_shared, on_gpu},
    {"place_resident", place_resident_in_registers, on_gpu},
    {"place_resident", place_resident_on_stack, on_cpu},
    {"privatise_updates", privatise_updates_on_stack, on_cpu},
    {"stage_strips", stage_strips, on_cpu},
    {"hoist_loads", hoist_loads, on_gpu},
    {"split_ragged_tiles", split_ragged_tiles, on_gpu},
    {"split_ragged_chunks", split_ragged_chunks, on_gpu},
    {"vectorise_lanes", vectorise_lanes, on_cpu},
    {"pack_strided", pack_strided, on_cpu},
    {"fetch_ahead", fetch_ahead, on_gpu},
    {"prefetch_rows", prefetch_rows, on_cpu},
    {"lower_sorts", lower_sorts, on_gpu},
    {"lower_scans", lower_scans, on_gpu},
    {"lower_scans", lower_scans_in_lanes, on_cpu},
    {"lower_combines", lower_combines},
    {"share_random_blocks", share_random_blocks, on_gpu},
    {"speculate_fast_paths", speculate_several_fast_paths, on_gpu},
    {"privatise_updates", privatise_updates_in_shared, on_gpu},
    {"report_shared_indices", report_shared_indices, on_cpu},
    {"speculate_fast_paths", speculate_fast_paths, on_cpu},
    {"choose_vectors", choose_vectors, on_cpu},
    {"roll_outer_loops", roll_outer_loops, on_cpu},
};

}  // namespace

std::span<const loop_pass> loop_passes() { return passes; }

void build_loops(const kernel_description& kernel, loop_tree& tree,
                 const std::function<void(std::string_view, const loop_tree&)>& show) {
  for (const loop_pass& pass : passes) {
    if (!pass.runs_for(kernel.target)) continue;
    pass.run(kernel, tree);
    if (show) show(pass.name, tree);
  }
}

void build_loops(const kernel_description& kernel, loop_tree& tree) {
#ifdef NDEBUG
  build_loops(kernel, tree, nullptr);
#else
  build_loops(kernel, tree, [&](std::string_view pass, const loop_tree& made) {
    if (const std::string fault = fault_of(kernel, made); !fault.empty())
      throw compile_error("the pass " + std::string(pass) + " left loops that are wrong: " + fault,
                          to_string(made), {});
  });
#endif
}

}  // namespace sinter::inline v0::codegen
