#include <sinter/codegen/loops/build/build_kernel.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

using make_steps = std::unique_ptr<tile_steps> (*)(const kernel_description&, loop_tree&);

constexpr struct steps_of_shape {
  tile_shape tiles;
  make_steps cpu, gpu;
} shapes[] = {
    {tile_shape::rectangle, make_cpu_tiles, make_cuda_tiles},
    {tile_shape::run, make_cpu_flat, make_cuda_flat},
    {tile_shape::row_group, make_cpu_rows, make_cuda_rows},
    {tile_shape::strip, make_cpu_rows, make_cuda_rows},
};

void build_phase(tile_steps& steps, unsigned phase) {
  steps.open_chunks(phase);
  for (unsigned level = 0; level < steps.levels(phase); ++level) {
    steps.open_elements(phase, level);
    if (level == 0) steps.load(phase);
    steps.open_lane(phase);
    steps.evaluate_lane(phase);
    steps.combine_lane(phase);
    steps.store_lane(phase);
    steps.close_lane(phase);
    steps.close_elements(phase);
    steps.scan(phase, level);
  }
  steps.close_chunks(phase);
}

}  // namespace

void build_kernel(const kernel_description& described, loop_tree& tree) {
  const auto* const shape =
      std::ranges::find(shapes, tiles_of(described.chosen.order), &steps_of_shape::tiles);
  const std::unique_ptr<tile_steps> steps =
      (is_gpu(described.target) ? shape->gpu : shape->cpu)(described, tree);
  steps->open_tiles();
  steps->evaluate_once(0);
  for (unsigned phase = 0; phase < steps->phases(); ++phase) {
    if (steps->has_loop(phase)) build_phase(*steps, phase);
    steps->evaluate_once(phase + 1);
  }
  steps->store_once();
  steps->close_tiles();
}

}  // namespace sinter::inline v0::codegen
