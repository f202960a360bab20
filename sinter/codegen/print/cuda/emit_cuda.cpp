// The text of kernels for NVIDIA GPUs: CUDA C++.

#include <sinter/codegen/loops/build_loops.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/print/complex_text.hpp>
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

/// What kernels that reduce call.
std::string row_helpers(const emission& kernel) {
  std::string text(cuda_divide_wide);
  text.append(shared_digit_helper(kernel)).append(cuda_exchange);
  text += complex_exchange_text(kernel, {"exchange"});
  if (kernel.chosen.cluster > 1) text += cuda_cluster;
  if (kernel.chosen.shared_steps > 0) text += cuda_copy_ahead;
  if (kernel.chosen.staged) text += cuda_staging;
  if (!has_scans(kernel.body)) return text;
  text.append(cuda_scan_exchange).append(complex_exchange_text(kernel, {"from_below", "from_thread"}));
  return text;
}

}  // namespace

std::string emit_cuda(emission& kernel) {
  loop_tree tree;
  build_loops(kernel.described, tree);
  text_writer arguments, out;
  emit_arguments(kernel, arguments);
  open_cuda_kernel(kernel, kernel.chosen.threads_along * kernel.chosen.threads_across, out);
  loop_printer printer(kernel.described, tree, cuda_dialect, out);
  printer.print(tree.first);
  out.close();
  kernel.functions.assign(printer.functions().begin(), printer.functions().end());
  const bool reduces = is_reduction_walk(kernel.chosen.order);
  std::string text = cuda_preamble() + arguments.str();
  if (!reduces) text += digit_helpers(kernel);
  text += device_function_text(kernel);
  if (reduces) text += row_helpers(kernel);
  return text + out.str();
}

}  // namespace sinter::codegen
