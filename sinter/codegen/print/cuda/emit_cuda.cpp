// The text of pointwise kernels for NVIDIA GPUs: CUDA C++.

#include <sinter/codegen/loops/build_loops.hpp>
#include <sinter/codegen/loops/hoist_loads.hpp>
#include <sinter/codegen/loops/speculate_fast_paths.hpp>
#include <sinter/codegen/loops/split_ragged_tiles.hpp>
#include <sinter/codegen/print/cuda/cuda_dialect.hpp>
#include <sinter/codegen/print/cuda/cuda_helpers.hpp>
#include <sinter/codegen/print/emit_body.hpp>
#include <sinter/codegen/print/loop_printer.hpp>

namespace sinter::codegen {
namespace {

/// What takes numbers apart into positions.
std::string digit_helpers(const emission& kernel) {
  const bool is_flat = kernel.chosen.order == walk::flat;
  std::string text;
  if (is_flat || kernel.cut.digits > 1) text += cuda_divide;
  if (is_flat || kernel.kept.shared_count() != 0) text += cuda_divide_wide;
  return text.append(shared_digit_helper(kernel));
}

}  // namespace

std::string emit_cuda(emission& kernel) {
  loop_tree tree;
  if (kernel.chosen.order == walk::flat)
    build_cuda_flat(kernel.described, tree);
  else
    build_cuda_tiles(kernel.described, tree);
  hoist_loads(tree);
  split_ragged_tiles(kernel.described, tree);
  speculate_fast_paths(kernel.described, tree);

  text_writer arguments, out;
  emit_arguments(kernel, arguments);
  open_cuda_kernel(kernel, kernel.chosen.threads_along * kernel.chosen.threads_across, out);
  loop_printer printer(kernel.described, tree, cuda_dialect, out);
  printer.print(tree.first);
  out.close();
  kernel.functions.assign(printer.functions().begin(), printer.functions().end());
  return cuda_preamble() + arguments.str() + digit_helpers(kernel) + device_function_text(kernel) + out.str();
}

}  // namespace sinter::codegen
