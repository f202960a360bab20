#include <sinter/codegen/print/cuda/emit_cuda.hpp>

#include <sinter/codegen/print/argument_text.hpp>
#include <sinter/codegen/print/complex_text.hpp>
#include <sinter/codegen/print/cuda/cuda_dialect.hpp>
#include <sinter/codegen/print/cuda/cuda_helpers.hpp>
#include <sinter/codegen/print/device_function_text.hpp>
#include <sinter/codegen/print/loop_printer.hpp>
#include <sinter/codegen/print/position_text.hpp>
#include <sinter/codegen/print/report_text.hpp>
#include <sinter/codegen/print/update_text.hpp>

#include <fmt/format.h>

namespace sinter::inline v0::codegen {
namespace {

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
  std::string text = cuda_preamble(kernel);
  text.reserve(text.size() + out.text().size() + usual_rest);
  text.append(argument_text(kernel)).append(cuda_helpers(printer.helpers(), has_complex(kernel)));
  text += position_text(printer.helpers(), "static __device__ __forceinline__ ");
  text += report_text(printer.helpers(), kernel.target);
  text += update_text(printer.helpers(), kernel.target);
  text += device_function_text(kernel, printer.functions());
  return text.append(out.text());
}

}  // namespace sinter::inline v0::codegen
