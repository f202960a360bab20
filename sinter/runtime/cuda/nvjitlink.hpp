#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sinter/runtime/cuda/nvrtc.hpp>

struct nvJitLink;  // nvJitLink's own name for a link in progress

namespace sinter::runtime {

using nvJitLinkHandle = nvJitLink*;

/// What an nvJitLink function answers: those answers that Sinter tells apart.
enum class nvJitLinkResult : int {
  success = 0,
  unrecognized_option = 1,
  ptx_compile = 4,
  nvvm_compile = 5,
  internal = 6,
  unrecognized_arch = 16,
  unsupported_arch = 17,
};

/// What an input of a link is.
enum class nvJitLinkInputType : int { cubin = 1, ptx = 2, lto_ir = 3, fatbin = 4, object = 5, library = 6 };

// Every nvJitLink function that Sinter calls, as SINTER_NVRTC_FUNCTIONS has NVRTC's. In the library each has
// the version of its interface behind its name: __nvJitLinkCreate_13_0.
// clang-format off
#define SINTER_NVJITLINK_FUNCTIONS(row)                                                                      \
  row(Create, (nvJitLinkHandle* handle, std::uint32_t count, const char* const* options))                    \
  row(Destroy, (nvJitLinkHandle* handle))                                                                    \
  row(AddData, (nvJitLinkHandle handle, nvJitLinkInputType type, const void* data, std::size_t size,         \
                const char* name))                                                                           \
  row(Complete, (nvJitLinkHandle handle))                                                                    \
  row(GetLinkedCubinSize, (nvJitLinkHandle handle, std::size_t* size))                                       \
  row(GetLinkedCubin, (nvJitLinkHandle handle, void* cubin))                                                 \
  row(GetLinkedPtxSize, (nvJitLinkHandle handle, std::size_t* size))                                         \
  row(GetLinkedPtx, (nvJitLinkHandle handle, char* ptx))                                                     \
  row(GetErrorLogSize, (nvJitLinkHandle handle, std::size_t* size))                                          \
  row(GetErrorLog, (nvJitLinkHandle handle, char* log))                                                      \
  row(GetInfoLogSize, (nvJitLinkHandle handle, std::size_t* size))                                           \
  row(GetInfoLog, (nvJitLinkHandle handle, char* log))
// clang-format on

/// nvJitLink's functions, under its own names less their versions, and which nvJitLink it is.
struct nvjitlink_api {
#define SINTER_ROW(name, parameters) nvJitLinkResult(*nvJitLink##name) parameters = nullptr;
  SINTER_NVJITLINK_FUNCTIONS(SINTER_ROW)
#undef SINTER_ROW
  int major = 0;  ///< 12.0 to 12.2 do not tell: 12.0
  int minor = 0;
};

/// nvJitLink's functions, or nullptr where it is not installed. Opened on first use, once: $SINTER_NVJITLINK
/// alone if that is set, else libnvJitLink.so.13, .so.12 and .so through the system's search path, then
/// /usr/local/cuda/lib64.
const nvjitlink_api* nvjitlink() noexcept;

/// Why `nvjitlink()` answers nullptr and what to install; empty when it does not.
std::string nvjitlink_absence_reason();

/// nvJitLink's functions; throws device_error with the reason where there are none.
const nvjitlink_api& require_nvjitlink();

/// Opens the first of the candidates as nvJitLink and fills the table. On failure `why` tells the reason.
bool load_nvjitlink(std::span<const std::string> candidates, nvjitlink_api& table, std::string& why);

/// The names `nvjitlink()` tries.
std::vector<std::string> nvjitlink_candidates();

/// One input of a link. The bytes of PTX must be followed by a zero, as those of a std::string are.
struct cuda_link_input {
  nvJitLinkInputType type{};
  std::string_view bytes;
  std::string name;  ///< what the linker calls it in its messages
};

/// What a link gave.
struct cuda_link_result {
  std::string code;
  std::string log;
  kernel_resources resources;  ///< of the kernel that was asked for, as far as the linker told
};

/// Links inputs to a cubin for an architecture, or to PTX (LTO-IR inputs only). Nothing is contracted that
/// the texts did not contract. Needs no GPU. Safe from several threads at once, whatever their stacks. Throws
/// compile_error that names the inputs, the symbol where one is missing, and carries the log; device_error
/// without nvJitLink. Trusts the headers of what it is given: ask fault_of (code_image.hpp) first.
cuda_link_result link_cuda(std::span<const cuda_link_input> inputs, cuda_architecture architecture,
                           std::string_view kernel, std::span<const std::string> options = {});

/// The options every link has that can change what is made: they belong in a cache's key.
std::span<const std::string> default_nvjitlink_options();

}  // namespace sinter::runtime
