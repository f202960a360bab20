// The text of kernels for the CPU: C++ for Clang, with its pragmas and vector extensions.

#include <sinter/codegen/loops/build_loops.hpp>
#include <sinter/codegen/print/cpu/cpu_helpers.hpp>
#include <sinter/codegen/print/cpu/cpu_scan_helpers.hpp>
#include <sinter/codegen/print/emit_body.hpp>
#include <sinter/codegen/print/loop_printer.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

constexpr call_spelling cpu_calls[] = {{"streaming_fence", "__builtin_ia32_sfence"},
                                       {"prefetch", "__builtin_prefetch"}};

constexpr dialect cpu_dialect = {
    .vector = "#pragma clang loop vectorize(assume_safety)",
    .vector_pairs = "#pragma clang loop vectorize(assume_safety) interleave_count(2) unroll(disable)",
    .lanes = "#pragma clang loop vectorize(disable) unroll(disable)",
    .stack = "alignas(64) ",
    .flag = "int far = 0;",
    .require = "far |= !{};",
    .fallback = "if (__builtin_expect(far, 0) != 0) {",
    .quotient = "{} / {}.value",
    .narrow_quotient = "{} / {}.value",
    .has_access_properties = false,
    .calls = cpu_calls,
};

}  // namespace

std::string emit_host(emission& kernel) {
  loop_tree tree;
  build_loops(kernel.described, tree);
  text_writer arguments, out;
  emit_arguments(kernel, arguments);
  arguments.str() += shared_digit_helper(kernel);
  out.open(fmt::format("extern \"C\" void {}(const void* block, long long first, long long last) {{",
                       kernel.entry));
  out.line("const arguments& a = *static_cast<const arguments*>(block);");
  loop_printer printer(kernel.described, tree, cpu_dialect, out);
  printer.print(tree.first);
  out.close();
  kernel.functions.assign(printer.functions().begin(), printer.functions().end());
  return host_preamble(host_helpers_of(printer.helpers())) + cpu_scan_helpers(kernel.described) +
         arguments.str() + device_function_text(kernel) + out.str();
}

}  // namespace sinter::codegen
