#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sinter/runtime/cuda/nvrtc.hpp>

struct nvJitLink;  // nvJitLink's own handle type of a link

namespace sinter::inline v0::runtime {

using nvJitLinkHandle = nvJitLink*;

/// The nvJitLink error codes that Sinter distinguishes.
enum class nvJitLinkResult : int {
  success = 0,
  unrecognized_option = 1,
  ptx_compile = 4,
  nvvm_compile = 5,
  internal = 6,
  unrecognized_arch = 16,
  unsupported_arch = 17,
};

/// The kind of an input of a link.
enum class nvJitLinkInputType : int { cubin = 1, ptx = 2, lto_ir = 3, fatbin = 4, object = 5, library = 6 };

// Every nvJitLink function that Sinter calls, in the form of SINTER_NVRTC_FUNCTIONS. In the library each
// symbol ends with its interface version: __nvJitLinkCreate_13_0.
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

/// nvJitLink's functions, under its own names without the versions, and the version of nvJitLink.
struct nvjitlink_api {
#define SINTER_ROW(name, parameters) nvJitLinkResult(*nvJitLink##name) parameters = nullptr;
  SINTER_NVJITLINK_FUNCTIONS(SINTER_ROW)
#undef SINTER_ROW
  int major = 0;  ///< 12.0 to 12.2 do not report it: 12.0
  int minor = 0;
};

/// nvJitLink's functions, or nullptr if it is not installed. The first use opens $SINTER_NVJITLINK alone if
/// that is set, else libnvJitLink.so.13, .so.12 and .so through the system's search path, then
/// /usr/local/cuda/lib64.
const nvjitlink_api* nvjitlink() noexcept;

/// The reason why `nvjitlink()` returns nullptr, and what to install; empty otherwise.
std::string nvjitlink_absence_reason();

/// nvJitLink's functions; throws device_error with the reason if there are none.
const nvjitlink_api& require_nvjitlink();

/// Opens the first of the candidates as nvJitLink and fills the table. On failure `why` receives the reason.
bool load_nvjitlink(std::span<const std::string> candidates, nvjitlink_api& table, std::string& why);

/// The library names that `nvjitlink()` tries.
std::vector<std::string> nvjitlink_candidates();

/// One input of a link. A zero byte must follow the bytes of PTX, as in a std::string.
struct cuda_link_input {
  nvJitLinkInputType type{};
  std::string_view bytes;
  std::string name;  ///< its name in the linker's messages
};

/// The result of a link.
struct cuda_link_result {
  std::string code;
  std::string log;
  kernel_resources resources;  ///< of the requested kernel, as far as the linker reports them
};

/// Links inputs to a cubin for an architecture, or to PTX (LTO-IR inputs only). The link adds no
/// floating-point contraction. Needs no GPU. Safe from several threads at once, with any stack size. Throws
/// compile_error with the log, the names of the inputs and any missing symbol; device_error without
/// nvJitLink. Does not validate the headers of its inputs: call fault_of (code_image.hpp) first.
cuda_link_result link_cuda(std::span<const cuda_link_input> inputs, cuda_architecture architecture,
                           std::string_view kernel, std::span<const std::string> options = {});

/// The default options of every link that can change its output, and so belong in a cache's key.
std::span<const std::string> default_nvjitlink_options();

}  // namespace sinter::inline v0::runtime
