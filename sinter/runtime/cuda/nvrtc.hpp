#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct _nvrtcProgram;  // NVRTC's own name for its program type

namespace sinter::runtime {

using nvrtcProgram = _nvrtcProgram*;

/// What an NVRTC function answers: those answers that Sinter tells apart.
enum class nvrtcResult : int {
  success = 0,
  out_of_memory = 1,
  program_creation_failure = 2,
  invalid_option = 5,
  compilation = 6,
  internal_error = 11,
};

// Every NVRTC function that Sinter may call, as SINTER_DRIVER_FUNCTIONS has the driver's.
// clang-format off
#define SINTER_NVRTC_FUNCTIONS(row)                                                                          \
  row(essential, nvrtcResult, nvrtcVersion, (int* major, int* minor))                                        \
  row(essential, const char*, nvrtcGetErrorString, (nvrtcResult answer))                                     \
  row(essential, nvrtcResult, nvrtcGetNumSupportedArchs, (int* count))                                       \
  row(essential, nvrtcResult, nvrtcGetSupportedArchs, (int* architectures))                                  \
  row(essential, nvrtcResult, nvrtcCreateProgram, (nvrtcProgram* program, const char* source,                \
                                                   const char* name, int headers,                            \
                                                   const char* const* texts, const char* const* names))      \
  row(essential, nvrtcResult, nvrtcDestroyProgram, (nvrtcProgram* program))                                  \
  row(essential, nvrtcResult, nvrtcCompileProgram, (nvrtcProgram program, int count,                         \
                                                    const char* const* options))                             \
  row(essential, nvrtcResult, nvrtcGetProgramLogSize, (nvrtcProgram program, std::size_t* size))             \
  row(essential, nvrtcResult, nvrtcGetProgramLog, (nvrtcProgram program, char* log))                         \
  row(essential, nvrtcResult, nvrtcGetCUBINSize, (nvrtcProgram program, std::size_t* size))                  \
  row(essential, nvrtcResult, nvrtcGetCUBIN, (nvrtcProgram program, char* cubin))                            \
  row(essential, nvrtcResult, nvrtcGetPTXSize, (nvrtcProgram program, std::size_t* size))                    \
  row(essential, nvrtcResult, nvrtcGetPTX, (nvrtcProgram program, char* ptx))                                \
  row(essential, nvrtcResult, nvrtcGetLTOIRSize, (nvrtcProgram program, std::size_t* size))                  \
  row(essential, nvrtcResult, nvrtcGetLTOIR, (nvrtcProgram program, char* lto_ir))
// clang-format on

/// NVRTC's functions, under its own names, and which NVRTC it is.
struct nvrtc_api {
#define SINTER_ROW(need, answer, name, parameters) answer(*name) parameters = nullptr;
  SINTER_NVRTC_FUNCTIONS(SINTER_ROW)
#undef SINTER_ROW
  int major = 0;
  int minor = 0;
};

/// The least NVRTC that works: 12.0 brought LTO-IR as compile_cuda() asks for it.
inline constexpr int least_nvrtc_major = 12;

/// NVRTC's functions, or nullptr where it is not installed. Opened on first use, once: $SINTER_NVRTC alone if
/// that is set, else libnvrtc.so.13, .so.12 and .so through the system's search path, then
/// /usr/local/cuda/lib64.
const nvrtc_api* nvrtc() noexcept;

/// Why `nvrtc()` answers nullptr and what to install; empty when it does not.
std::string nvrtc_absence_reason();

/// NVRTC's functions; throws device_error with the reason where there are none.
const nvrtc_api& require_nvrtc();

/// Opens the first of the candidates as NVRTC and fills the table. On failure `why` tells the reason.
bool load_nvrtc(std::span<const std::string> candidates, nvrtc_api& table, std::string& why);

/// The names `nvrtc()` tries.
std::vector<std::string> nvrtc_candidates();

/// What a compile makes.
enum class cuda_code {
  cubin,   ///< machine code for one architecture
  ptx,     ///< for any architecture from this one on; the driver translates it
  lto_ir,  ///< for linking with nvJitLink
};

/// What to compile for: compute capability 9.0 is number 90.
struct cuda_architecture {
  int number = 0;
  cuda_code code = cuda_code::cubin;
  bool operator==(const cuda_architecture&) const = default;
};

/// What ptxas reported of one kernel; -1 where it reported nothing (PTX and LTO-IR are not assembled yet).
struct kernel_resources {
  int registers = -1;
  int spill_store_bytes = -1;
  int spill_load_bytes = -1;
  int shared_bytes = -1;
  int stack_bytes = -1;
  bool operator==(const kernel_resources&) const = default;
};

/// What a compile gave.
struct nvrtc_result {
  std::string code;  ///< cubin, PTX or LTO-IR, as asked
  std::string log;   ///< NVRTC's whole log
  kernel_resources resources;
};

/// Compiles CUDA C++ to object code in process, with default_nvrtc_options() and the given ones; a given
/// option replaces the default of the same name. `name` is what the compiler calls the text in its messages,
/// `kernel` the kernel whose resources are reported (extern "C", so that its name is not mangled). Needs no
/// GPU. Safe from several threads at once, whatever their stacks. Throws compile_error with source and log,
/// or device_error without NVRTC.
nvrtc_result compile_cuda(std::string_view source, const char* name, std::string_view kernel,
                          cuda_architecture architecture, std::span<const std::string> options = {});
nvrtc_result compile_cuda(const nvrtc_api& api, std::string_view source, const char* name,
                          std::string_view kernel, cuda_architecture architecture,
                          std::span<const std::string> options = {});

/// The options every compile has that can change what is made: they belong in a cache's key. Beside them are
/// some that only make compiling quicker or tidier.
std::span<const std::string> default_nvrtc_options();

/// Options with which a compile is there sooner, and makes code that is slower to run: none where NVRTC has
/// none.
std::span<const std::string> quick_nvrtc_options();

/// The architectures this NVRTC compiles for, as in {75, 80, 90}. Needs no GPU.
std::vector<int> supported_architectures();

/// NVRTC's version as the driver counts them: 13000 is 13.0.
int nvrtc_version();

/// Reads what `--ptxas-options=-v` wrote about one kernel. The log may speak of several.
kernel_resources parse_ptxas_log(std::string_view log, std::string_view kernel);

}  // namespace sinter::runtime
