#include <fmt/format.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/print/emit.hpp>
#include <sinter/codegen/print/emit_body.hpp>
#include <sinter/codegen/print/instruction_text.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>
#include <cctype>

namespace sinter::codegen {
namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

/// Runs `write` with the printer of a kernel's instructions, and notes the functions that it used.
template <typename Write>
std::string with_instructions(emission& kernel, Write write) {
  instruction_printer printer(kernel.described);
  std::string text = write(printer);
  for (const std::string_view name : printer.functions())
    if (std::find(kernel.functions.begin(), kernel.functions.end(), name) == kernel.functions.end())
      kernel.functions.push_back(name);
  return text;
}

std::string value_text(emission& kernel, const instruction& at, std::span<const std::string> operands) {
  return with_instructions(kernel, [&](instruction_printer& printer) {
    const bool fast = has_fast_path(kernel.described, at);
    if (fast) kernel.tests.push_back(printer.fast_path_test(at, operands));
    return fast && kernel.range == argument_range::tested ? printer.value_of_fast_path(at, operands)
                                                          : printer.value(at, operands);
  });
}

}  // namespace

emission::emission(const kernel_description& from)
    : described(from),
      body(described.body),
      chosen(described.chosen),
      target(described.target),
      mode(described.mode),
      entry(entry_name(described.name)),
      argument_block(described.argument_block),
      overlap(described.overlap),
      cut(tile_of(described.body, described.chosen, described.target)),
      kept(described.body, false),
      reduced(described.body, true),
      externals(described.externals) {}

unsigned emission::groups() const {
  unsigned count = 0;
  for (const access& at : body.accesses) count = std::max(count, at.group + 1);
  return count;
}

const access& emission::first_of_group(unsigned group) const {
  return *std::find_if(body.accesses.begin(), body.accesses.end(),
                       [&](const access& at) { return at.group == group; });
}

std::string emission::base_pointer(std::uint32_t i) const {
  const access& at = body.accesses[i];
  std::string plain = "a.p" + number(i);
  if (!is_cuda() || at.what != access::kind::read) return plain;
  return fmt::format("with_property({}, {})", plain, property(i));
}

std::string_view emission::property(std::uint32_t i) const {
  return is_read_once(body, i) ? "a.read_once" : "a.read_again";
}

std::string emission::window_distance(std::uint32_t i) const {
  const access& at = body.accesses[i];
  std::string text;
  if (at.shift != 0) text += " + " + number(at.shift);
  if (at.row_shift != 0) text += " + " + number(at.row_shift) + " * a.s" + number(at.group) + "_1";
  return text;
}

std::string entry_name(std::string_view name) {
  std::string entry;
  for (const char c : name) entry += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (entry.empty()) return "sinter_kernel";
  // "exp" and the like are functions of the text: a suffix keeps names apart
  return (std::isdigit(static_cast<unsigned char>(entry.front())) != 0 ? "_" + entry : entry) + "_kernel";
}

void open_cuda_kernel(const emission& kernel, int threads, text_writer& out) {
  const int cluster = kernel.chosen.cluster;
  out.open(fmt::format(
      "extern \"C\" __global__ void {}__launch_bounds__({}) {}({}) {{",
      cluster > 1 ? fmt::format("__cluster_dims__({}, 1, 1) ", cluster) : "", threads, kernel.entry,
      kernel.argument_block ? "const arguments* __restrict__ block" : "const __grid_constant__ arguments a"));
  if (kernel.overlap.releases) out.line("asm volatile(\"griddepcontrol.launch_dependents;\");");
  if (kernel.overlap.waits) out.line("asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");");
  if (kernel.argument_block) out.line("const arguments& a = *block;");
}

std::string index_expression(const emission& kernel, unsigned group, std::span<const std::string> positions) {
  const access& at = kernel.first_of_group(group);
  std::string text;
  for (unsigned axis = 0; axis < kernel.rank() && axis < positions.size(); ++axis) {
    if (positions[axis].empty()) continue;
    const bool shared_kept = kernel.kept.is_shared(axis), shared_reduced = kernel.reduced.is_shared(axis);
    if (shared_kept || shared_reduced ? !(shared_kept ? kernel.kept : kernel.reduced).moves_along_shared(at)
                                      : !at.moves_along(axis))
      continue;
    if (!text.empty()) text += " + ";
    if (shared_kept || shared_reduced) {
      text += shared_offset_name(group, shared_reduced);
      continue;
    }
    text += positions[axis];
    if (at.pattern(axis) == step_pattern::strided) text += " * a.s" + number(group) + "_" + number(axis);
  }
  return text.empty() ? "0" : text;
}

std::string instruction_text(emission& kernel, std::uint32_t instruction, const instruction_names& names) {
  const auto& at = kernel.body.body[instruction];
  std::array<std::string, 3> operands;
  for (unsigned i = 0; i < at.arity; ++i) operands[i] = names.value(at.arguments[i]);
  if (at.op == operation::input || at.op == operation::coordinate)
    operands[0] = names.element(static_cast<std::uint32_t>(at.payload));
  return value_text(kernel, at, operands);
}

std::string combined_text(emission& kernel, const instruction& reduction, const std::string& a,
                          const std::string& b) {
  return with_instructions(kernel,
                           [&](instruction_printer& printer) { return printer.combined(reduction, a, b); });
}

std::string start_text(const emission& kernel, const instruction& reduction) {
  return instruction_printer(kernel.described).start(reduction);
}

std::string prefers_text(emission& kernel, const instruction& reduction, const std::string& value,
                         const std::string& position, const std::string& than,
                         const std::string& than_position) {
  return with_instructions(kernel, [&](instruction_printer& printer) {
    return printer.preferred(reduction, value, position, than, than_position);
  });
}

std::string prefers_later_text(emission& kernel, const instruction& reduction, const std::string& value,
                               const std::string& than) {
  return with_instructions(
      kernel, [&](instruction_printer& printer) { return printer.preferred_later(reduction, value, than); });
}

std::string stored_text(emission& kernel, element_type type, const std::string& value) {
  return with_instructions(kernel, [&](instruction_printer& printer) { return printer.stored(type, value); });
}

std::vector<std::uint64_t> linked_externals(const emission& kernel) {
  std::vector<std::uint64_t> linked;
  for (const instruction& at : kernel.body.body) {
    if (at.op != operation::external || (at.by_pointer && !kernel.is_cuda())) continue;
    if (std::find(linked.begin(), linked.end(), at.payload) == linked.end()) linked.push_back(at.payload);
  }
  return linked;
}

std::string device_function_text(const emission& kernel) {
  const text_target target = kernel.is_cuda() ? text_target::cuda : text_target::host;
  const text_mode mode = kernel.mode == arithmetic_mode::fast ? text_mode::fast : text_mode::standard;
  std::string text;
  for (const std::uint64_t i : linked_externals(kernel))
    text += "extern \"C\" " + std::string(kernel.is_cuda() ? "__device__ " : "") +
            external_type(kernel.externals[i], kernel.externals[i].name) + ";\n";
  for (const device_function* at : collect_device_functions(kernel.functions, target, mode)) {
    text += device_function_prefix(target);
    text += at->text;
    if (text.back() != '\n') text += '\n';
  }
  return text;
}

}  // namespace sinter::codegen

namespace sinter {

kernel_text emit(const stage& lowered) {
  const std::optional<kernel_description> described = read_signature(lowered.signature);
  if (!described)
    throw compile_error("a stage without a signature has no kernel: lower() gives it one", {}, {});
  codegen::emission kernel(*described);
  std::string source = kernel.is_cuda() ? codegen::emit_cuda(kernel) : codegen::emit_host(kernel);
  kernel_text text{std::move(source), kernel.entry};
  for (const std::uint64_t i : codegen::linked_externals(kernel)) text.linked.push_back(lowered.externals[i]);
  return text;
}

}  // namespace sinter
