#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/disassemble.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cache/cache_files.hpp"
#include "disassemble.hpp"
#include "failure.hpp"
#include "terminal/units.hpp"

namespace sinter::inline v0::command {
namespace {

const code_image* image_of(const runtime::cache_entry& entry, code_format format) {
  const auto at = std::find_if(entry.images.begin(), entry.images.end(),
                               [&](const code_image& each) { return each.format == format; });
  return at == entry.images.end() ? nullptr : &*at;
}

listing disassembled(const code_image& image) {
  try {
    runtime::code_listing shown = runtime::disassemble(image);
    return {std::move(shown.text), std::move(shown.by)};
  } catch (const device_error& refused) {
    throw failure(harmless(refused.what(), true));
  }
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
