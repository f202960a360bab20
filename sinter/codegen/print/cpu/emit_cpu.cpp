// The text of kernels for the CPU: C++ for Clang, with its pragmas and vector extensions.

#include <sinter/codegen/print/cpu/emit_cpu.hpp>

#include <sinter/codegen/print/argument_text.hpp>
#include <sinter/codegen/print/complex_text.hpp>
#include <sinter/codegen/print/cpu/cpu_helpers.hpp>
#include <sinter/codegen/print/cpu/cpu_lane_helpers.hpp>
#include <sinter/codegen/print/cpu/cpu_scan_helpers.hpp>
#include <sinter/codegen/print/cpu/cpu_strip_helpers.hpp>
#include <sinter/codegen/print/device_function_text.hpp>
#include <sinter/codegen/print/loop_printer.hpp>
#include <sinter/codegen/print/position_text.hpp>
#include <sinter/codegen/print/report_text.hpp>
#include <sinter/codegen/print/update_text.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

#include <fmt/format.h>

namespace sinter::inline v0::codegen {
namespace {

constexpr call_spelling cpu_calls[] = {{"streaming_fence", "__builtin_ia32_sfence"},
                                       {"prefetch", "__builtin_prefetch"},
                                       {"doubled_where_wide", "WIDE"}};

static_assert(cpu_cache_line_bytes == 64, "the alignment of buffers on the stack says so");
constexpr dialect cpu_dialect = {
    .rows = "#pragma clang loop unroll(full)",
    .vector = "#pragma clang loop unroll(full)",
    .vector_pairs = "#pragma clang loop unroll(disable)",
    .compiler_vector = "#pragma clang loop vectorize(assume_safety) interleave_count(1) unroll(disable)",
    .lanes = "#pragma clang loop vectorize(disable) unroll(disable)",
    .rolled = "#pragma clang loop unroll(disable)",
    .stack = "alignas(64) ",
    .flag = "int needs_fallback = 0;",
    .require = "needs_fallback |= !{};",
    .fallback = "if (__builtin_expect(needs_fallback, 0) != 0) {",
    .quotient = "{} / {}.value",
    .narrow_quotient = "{} / {}.value",
    .has_access_properties = false,
    .calls = cpu_calls,
};

/// Bytes of a text that are neither loops nor helpers, of most kernels.
constexpr std::size_t usual_rest = 2048;

}  // namespace

std::string emit_cpu(const kernel_description& kernel, const loop_tree& loops, const std::string& entry) {
  text_writer out;
  out.open(fmt::format("extern \"C\" void {}(const void* block, long long first, long long last) {{", entry));
  out.line("const arguments& a = *static_cast<const arguments*>(block);");
  loop_printer printer(kernel, loops, cpu_dialect, out);
  printer.print(loops.first);
  out.close();
  const std::string lane_helpers = cpu_lane_helpers(kernel, printer.instructions());
  std::string text = cpu_preamble();
  text.reserve(text.size() + out.text().size() + usual_rest);
  text.append(cpu_helpers(printer.helpers()))
      .append(cpu_strip_helpers(printer.helpers()))
      .append(cpu_scan_helpers(kernel))
      .append(position_text(printer.helpers(), "static inline "))
      .append(report_text(printer.helpers(), target_kind::cpu))
      .append(update_text(printer.helpers(), target_kind::cpu))
      .append(argument_text(kernel));
  if (has_complex(kernel)) text += cpu_complex_helpers(printer.helpers());
  return text.append(device_function_text(kernel, printer.functions(), printer.lanes()))
      .append(lane_helpers)
      .append(out.text());
}

}  // namespace sinter::inline v0::codegen
