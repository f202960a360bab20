#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/disassemble.hpp>
#include <sinter/runtime/posix/child_process.hpp>
#include <sinter/runtime/posix/program_search.hpp>

namespace sinter::inline v0::runtime {
namespace {

/// A program that prints the code of the file named by its last argument.
struct disassembler {
  const char* name;
  std::vector<std::string> arguments;
  std::string path = {};  ///< "" until it is found
};

/// The programs for a format, best first.
std::vector<disassembler> disassemblers_of(code_format format) {
  if (format != code_format::elf) return {{"nvdisasm", {"--print-code"}}, {"cuobjdump", {"--dump-sass"}}};
  const std::vector<std::string> arguments{"--disassemble", "--no-show-raw-insn", "--demangle"};
  return {{"objdump", arguments}, {"llvm-objdump", arguments}, {"llvm-objdump-19", arguments}};
}

/// The first of them that is there; its path is "" if none is.
disassembler find_first(const std::vector<disassembler>& all) {
  for (const disassembler& each : all)
    if (std::string path = find_program({each.name}, {"/usr/local/cuda/bin"}); !path.empty())
      return {each.name, each.arguments, std::move(path)};
  return {};
}

}  // namespace

std::string find_disassembler(code_format format) { return find_first(disassemblers_of(format)).path; }

code_listing disassemble(const code_image& image) {
  const std::vector<disassembler> all = disassemblers_of(image.format);
  disassembler found = find_first(all);
  if (found.path.empty()) {
    std::vector<std::string> names;
    for (const disassembler& each : all) names.emplace_back(each.name);
    throw device_error(
        fmt::format("showing {} code needs one of these programs in PATH, and none is there: {}. {}",
                    to_string(image.format), fmt::join(names, ", "),
                    image.format == code_format::elf
                        ? "Install binutils."
                        : "They come with the CUDA toolkit (cuda-nvdisasm, cuda-cuobjdump)."));
  }
  const temporary_file file(image.bytes);
  found.arguments.push_back(file.path());
  program_answer answer = run_program(found.path, found.arguments);
  if (answer.status != 0)
    throw device_error(fmt::format("{} could not read the code (exit code {}): {}", found.path, answer.status,
                                   answer.errors));
  return {std::move(answer.output), std::move(found.path)};
}

}  // namespace sinter::inline v0::runtime
