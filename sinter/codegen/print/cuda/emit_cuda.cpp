#include <fmt/format.h>

#include <sinter/codegen/print/cuda/cuda_helpers.hpp>
#include <sinter/codegen/print/cuda/emit_cuda_pointwise.hpp>

namespace sinter::codegen {

std::string cuda_walk::run() {
  emit_arguments(kernel_, out_);
  out_.str() += index_functions();
  const std::string arguments = std::move(out_.str());
  out_ = {};
  const int threads = kernel_.chosen.threads_along * kernel_.chosen.threads_across;
  open_cuda_kernel(kernel_, threads, out_);
  walk_elements();
  out_.close();
  return cuda_preamble() + arguments + device_function_text(kernel_) + out_.str();
}

void cuda_walk::unroll(std::string_view loop) {
  out_.line("#pragma unroll");
  out_.open(loop);
}

void cuda_walk::each_lane(std::string_view statement) {
  unroll(fmt::format("for (int e = 0; e < {}; ++e) {{", vector()));
  out_.line(statement);
  out_.close();
}

void cuda_walk::declare_results() {
  for (std::uint32_t i = 0; i < count(); ++i)
    if (is_write(i)) out_.line(fmt::format("pack<{}, {}> out{};", storage(i), vector(), i));
}

void cuda_walk::lanes(argument_range range, const body_hooks& hooks) {
  kernel_.range = range;
  unroll(fmt::format("for (int e = 0; e < {}; ++e) {{", vector()));
  emit_body(kernel_, hooks, out_);
  if (range == argument_range::tested)
    for (const std::string& test : kernel_.tests) out_.line(fmt::format("near = near & {};", test));
  out_.close();
}

void cuda_walk::compute_lanes(const body_hooks& hooks) {
  emission probe = kernel_;
  text_writer unused;
  emit_body(probe, hooks, unused);
  // with fewer, memory hides the branches of several elements, and the text is half as long
  const std::size_t fewest_tests = kernel_.chosen.rows_per_thread * kernel_.chosen.steps > 1 ? 3 : 1;
  if (probe.tests.size() < fewest_tests) {
    lanes(argument_range::any, hooks);
    return;
  }
  out_.line("bool near = true;");
  lanes(argument_range::tested, hooks);
  out_.open("if (!near) {");
  lanes(argument_range::any, hooks);
  out_.close();
}

std::string emit_cuda(emission& kernel) {
  return kernel.chosen.order == walk::flat ? emit_cuda_flat(kernel) : emit_cuda_tiles(kernel);
}

}  // namespace sinter::codegen
