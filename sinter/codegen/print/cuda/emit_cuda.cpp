#include <sinter/codegen/print/cuda/emit_cuda.hpp>

#include <sinter/codegen/nest/axis_digits.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/print/argument_text.hpp>
#include <sinter/codegen/print/complex_text.hpp>
#include <sinter/codegen/print/cuda/cuda_dialect.hpp>
#include <sinter/codegen/print/cuda/cuda_helpers.hpp>
#include <sinter/codegen/print/device_function_text.hpp>
#include <sinter/codegen/print/loop_printer.hpp>
#include <sinter/codegen/print/text/digit_helpers.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <fmt/format.h>

namespace sinter::inline v0::codegen {
namespace {

/// What takes numbers apart into positions.
std::string digit_functions(const kernel_description& kernel) {
  const bool by_elements = numbers_elements(kernel.chosen.order);
  std::string text;
  if (by_elements || tile_of(kernel.body, kernel.chosen, kernel.target).digits > 1) text += cuda_divide;
  if (by_elements || axis_digits(kernel.body, false).shared_count() != 0) text += cuda_divide_wide;
  return text.append(shared_digit_helper(kernel));
}

/// What kernels that reduce call.
std::string row_functions(const kernel_description& kernel) {
  std::string text(cuda_divide_wide);
  if (kernel.narrow_kept || kernel.narrow_reduced) text += cuda_divide;
  text.append(shared_digit_helper(kernel)).append(cuda_exchange);
  text += complex_exchange_text(kernel, {"exchange"});
  if (kernel.chosen.cluster > 1) text += cuda_cluster;
  if (kernel.chosen.shared_steps > 0) text += cuda_copy_ahead;
  if (kernel.chosen.staged) text += cuda_staging;
  if (!has_scans(kernel.body)) return text;
  return text.append(cuda_scan_exchange).append(complex_exchange_text(kernel, {"from_below", "from_thread"}));
}

/// "extern "C" __global__ … {", the arguments by the name a, and how the launch overlaps its neighbours.
void open_kernel(const kernel_description& kernel, const std::string& entry, text_writer& out) {
  const int threads = kernel.chosen.threads_along * kernel.chosen.threads_across,
            cluster = kernel.chosen.cluster;
  out.open(fmt::format(
      "extern \"C\" __global__ void {}__launch_bounds__({}) {}({}) {{",
      cluster > 1 ? fmt::format("__cluster_dims__({}, 1, 1) ", cluster) : "", threads, entry,
      kernel.argument_block ? "const arguments* __restrict__ block" : "const __grid_constant__ arguments a"));
  if (kernel.overlap.releases) out.line("asm volatile(\"griddepcontrol.launch_dependents;\");");
  if (kernel.overlap.waits) out.line("asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");");
  if (kernel.argument_block) out.line("const arguments& a = *block;");
}

/// Bytes of a text that are neither loops nor what all kernels begin with, of most kernels.
constexpr std::size_t usual_rest = 4096;

}  // namespace

std::string emit_cuda(const kernel_description& kernel, const loop_tree& loops, const std::string& entry) {
  text_writer out;
  open_kernel(kernel, entry, out);
  loop_printer printer(kernel, loops, cuda_dialect, out);
  printer.print(loops.first);
  out.close();
  const bool reduces = is_reduction_order(kernel.chosen.order);
  std::string text = cuda_preamble();
  text.reserve(text.size() + out.text().size() + usual_rest);
  text.append(argument_text(kernel));
  if (!reduces) text += digit_functions(kernel);
  text += device_function_text(kernel, printer.functions());
  if (reduces) text += row_functions(kernel);
  return text.append(out.text());
}

}  // namespace sinter::inline v0::codegen
