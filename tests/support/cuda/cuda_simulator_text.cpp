#include "cuda_simulator_text.hpp"

#include "cuda_simulator_prelude.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace sinter::test {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// "cvt.rzi.s32.f32 %0, %1;" -> "cvt_rzi_s32_f32"
std::string instruction_name(std::string_view assembly) {
  std::string name(assembly.substr(0, assembly.find_first_of(" ;")));
  for (char& c : name)
    if (c == '.' || c == ':') c = '_';
  return name;
}

/// Operands of one list of an asm statement: `"=r"(r), "=r"(s)` -> {"r", "s"}.
std::vector<std::string> operands_of(std::string_view list) {
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = list.find('"', at)) != std::string_view::npos;) {
    const std::size_t open = list.find('(', list.find('"', at + 1));
    std::size_t end = open + 1;
    for (int depth = 1; depth > 0; ++end) depth += list[end] == '(' ? 1 : list[end] == ')' ? -1 : 0;
    found.emplace_back(list.substr(open + 1, end - open - 2));
    at = end;
  }
  return found;
}

/// Replaces inline assembly by calls of the prelude's functions of the same names.
void replace_assembly(std::string& text) {
  for (std::size_t at = 0; (at = text.find("asm", at)) != std::string::npos;) {
    const bool is_statement =
        at > 0 && !std::isalnum(static_cast<unsigned char>(text[at - 1])) && text[at - 1] != '_' &&
        (text.compare(at, 4, "asm(") == 0 || text.compare(at, 13, "asm volatile(") == 0);
    if (!is_statement) {
      at += 3;
      continue;
    }
    const std::size_t open = text.find('(', at) + 2, close = text.find('"', open);
    const std::string_view assembly = std::string_view(text).substr(open, close - open);
    // the end of the statement, and the colons that separate its lists
    std::size_t end = close + 1;
    std::vector<std::size_t> colons;
    for (int depth = 1; depth > 0; ++end) {
      if (text[end] == '"') end = text.find('"', end + 1);
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      if (text[end] == ':' && depth == 1) colons.push_back(end);
    }
    colons.resize(std::max<std::size_t>(colons.size(), 1), end - 1);
    const auto list = [&](std::size_t which) {
      if (which >= colons.size()) return std::vector<std::string>();
      const std::size_t from = colons[which], to = which + 1 < colons.size() ? colons[which + 1] : end - 1;
      return operands_of(std::string_view(text).substr(from, to - from));
    };
    const std::vector<std::string> outputs = list(0), inputs = list(1);
    std::string call = "ptx_" + instruction_name(assembly) + "(";
    for (std::size_t i = 0; i < inputs.size(); ++i) call += (i == 0 ? "" : ", ") + inputs[i];
    call += ")";
    if (!outputs.empty()) call = outputs[0] + " = " + call;
    text.replace(at, end - at, call);
    at += call.size();
  }
}

}  // namespace

std::string text_for_cpu(const kernel_text& text, const stage& launched) {
  std::string source = text.source;
  replace_assembly(source);
  replace_all(source, "#pragma unroll 2\n", "\n");
  replace_all(source, "#pragma unroll\n", "\n");
  replace_all(source, "reinterpret_cast<", "sim_cast<");
  replace_all(source, "__shared__ alignas(16)", "alignas(16) __shared__");
  replace_all(source, "extern __shared__ uint4 shared[];",
              "__shared__ uint4 shared[" + std::to_string(launched.shared_bytes / 16 + 1) + "];");
  return std::string(simulator_prelude) + source +
         "extern \"C\" __attribute__((visibility(\"default\"))) void sim_run(const void* block) { " +
         text.entry +
         (launched.argument_block ? "((const arguments*)block);" : "(*(const arguments*)block);") + " }\n";
}

}  // namespace sinter::test
