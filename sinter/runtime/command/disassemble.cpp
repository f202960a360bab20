#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/child_process.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "cache/cache_files.hpp"
#include "disassemble.hpp"
#include "failure.hpp"
#include "system.hpp"
#include "terminal/units.hpp"

namespace sinter::inline v0::command {
namespace {

/// A program that prints the code of the file named by its last argument.
struct disassembler {
  const char* name;
  std::vector<std::string> arguments;
};

/// The tools for a format, best first.
const std::vector<disassembler>& disassemblers_of(code_format format) {
  static const std::vector<disassembler> cuda{{"nvdisasm", {"--print-code"}}, {"cuobjdump", {"--dump-sass"}}};
  static const std::vector<disassembler> cpu{
      {"objdump", {"--disassemble", "--no-show-raw-insn", "--demangle"}},
      {"llvm-objdump", {"--disassemble", "--no-show-raw-insn", "--demangle"}},
      {"llvm-objdump-19", {"--disassemble", "--no-show-raw-insn", "--demangle"}}};
  return format == code_format::elf ? cpu : cuda;
}

const code_image* image_of(const runtime::cache_entry& entry, code_format format) {
  const auto at = std::find_if(entry.images.begin(), entry.images.end(),
                               [&](const code_image& each) { return each.format == format; });
  return at == entry.images.end() ? nullptr : &*at;
}

listing disassembled(const code_image& image) {
  std::vector<std::string> names;
  for (const disassembler& each : disassemblers_of(image.format)) {
    names.emplace_back(each.name);
    const std::string program = find_program({each.name}, {"/usr/local/cuda/bin"});
    if (program.empty()) continue;
    const runtime::temporary_file file(image.bytes);
    std::vector<std::string> arguments = each.arguments;
    arguments.push_back(file.path());
    runtime::program_answer answer = runtime::run_program(program, arguments);
    if (answer.status != 0)
      throw failure(fmt::format("{} could not read the code (exit code {}): {}", program, answer.status,
                                harmless(answer.errors, true)));
    return {std::move(answer.output), program};
  }
  throw failure(fmt::format("showing {} code needs one of these programs in PATH, and none is there: {}. {}",
                            to_string(image.format), fmt::join(names, ", "),
                            image.format == code_format::elf
                                ? "Install binutils."
                                : "They come with the CUDA toolkit (cuda-nvdisasm, "
                                  "cuda-cuobjdump)."));
}

/// The architecture that an entry was compiled for.
int architecture_of(const runtime::cache_entry& entry) {
  int architecture = 0;
  if (std::sscanf(target_of(entry).c_str(), "cuda %d", &architecture) == 1) return architecture;
  for (const code_image& each : entry.images) architecture = std::max(architecture, each.architecture);
  return architecture;
}

listing compiled(const runtime::cache_entry& entry, runtime::cuda_code code) {
  try {
    return {
        runtime::compile_cuda(entry.text, entry.kernel.c_str(), entry.kernel, {architecture_of(entry), code})
            .code,
        fmt::format("nvrtc {}.{}", runtime::nvrtc()->major, runtime::nvrtc()->minor)};
  } catch (const compile_error& refused) {
    throw failure(fmt::format("the entry's text does not compile with this NVRTC: {}", refused.what()));
  }
}

}  // namespace

listing machine_code_of(const runtime::cache_entry& entry) {
  for (const code_format format : {code_format::cubin, code_format::fatbin, code_format::elf})
    if (const code_image* const image = image_of(entry, format)) return disassembled(*image);
  return disassembled(
      {code_format::cubin, architecture_of(entry), compiled(entry, runtime::cuda_code::cubin).text});
}

listing ptx_of(const runtime::cache_entry& entry) {
  if (image_of(entry, code_format::elf) != nullptr)
    throw failure("the entry is for the CPU and has no PTX: --sass shows its machine code");
  if (const code_image* const image = image_of(entry, code_format::ptx)) return {image->bytes, ""};
  return compiled(entry, runtime::cuda_code::ptx);
}

}  // namespace sinter::inline v0::command
