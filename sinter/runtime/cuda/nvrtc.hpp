#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct _nvrtcProgram;  // NVRTC's own handle type of a program

namespace sinter::inline v0::runtime {

using nvrtcProgram = _nvrtcProgram*;

/// The NVRTC error codes that Sinter distinguishes.
enum class nvrtcResult : int {
  success = 0,
  out_of_memory = 1,
  program_creation_failure = 2,
  invalid_option = 5,
  compilation = 6,
  internal_error = 11,
};

// Every NVRTC function that Sinter may call, in the form of SINTER_DRIVER_FUNCTIONS.
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

/// NVRTC's functions, under its own names, and the version of NVRTC.
struct nvrtc_api {
#define SINTER_ROW(need, answer, name, parameters) answer(*name) parameters = nullptr;
  SINTER_NVRTC_FUNCTIONS(SINTER_ROW)
#undef SINTER_ROW
  int major = 0;
  int minor = 0;
};

/// The oldest NVRTC that works: 12.0 introduced LTO-IR in the form that compile_cuda() requests.
inline constexpr int min_nvrtc_major = 12;

/// NVRTC's functions, or nullptr if it is not installed. The first use opens $SINTER_NVRTC alone if that is
/// set, else libnvrtc.so.13, .so.12 and .so through the system's search path, then /usr/local/cuda/lib64.
const nvrtc_api* nvrtc() noexcept;

/// The reason why `nvrtc()` returns nullptr, and what to install; empty otherwise.
std::string nvrtc_absence_reason();

/// NVRTC's functions; throws device_error with the reason if there are none.
const nvrtc_api& require_nvrtc();

/// Opens the first of the candidates as NVRTC and fills the table. On failure `why` receives the reason.
bool load_nvrtc(std::span<const std::string> candidates, nvrtc_api& table, std::string& why);

/// The library names that `nvrtc()` tries.
std::vector<std::string> nvrtc_candidates();

/// The output of a compile.
enum class cuda_code {
  cubin,   ///< machine code for one architecture
  ptx,     ///< for this architecture and all later ones; the driver translates it
  lto_ir,  ///< for linking with nvJitLink
};

/// The architecture to compile for: compute capability 9.0 is number 90.
struct cuda_architecture {
  int number = 0;
  cuda_code code = cuda_code::cubin;
  bool operator==(const cuda_architecture&) const = default;
};

/// What ptxas reports about one kernel; -1 where it reports nothing (PTX and LTO-IR are not assembled yet).
struct kernel_resources {
  int registers = -1;
  int spill_store_bytes = -1;
  int spill_load_bytes = -1;
  int shared_bytes = -1;
  int stack_bytes = -1;
  bool operator==(const kernel_resources&) const = default;
};

/// The result of a compile.
struct nvrtc_result {
  std::string code;  ///< cubin, PTX or LTO-IR, as requested
  std::string log;   ///< NVRTC's whole log
  kernel_resources resources;
};

/// Compiles CUDA C++ to object code in process, with default_nvrtc_options() and the given options; a given
/// option replaces the default of the same name. `name` is the file name in the compiler's messages. `kernel`
/// is the kernel whose resources are reported (extern "C", so that its name is not mangled). Needs no GPU.
/// Safe from several threads at once, with any stack size. Throws compile_error with source and log, or
/// device_error without NVRTC.
nvrtc_result compile_cuda(std::string_view source, const char* name, std::string_view kernel,
                          cuda_architecture architecture, std::span<const std::string> options = {});
nvrtc_result compile_cuda(const nvrtc_api& api, std::string_view source, const char* name,
                          std::string_view kernel, cuda_architecture architecture,
                          std::span<const std::string> options = {});

/// A header in memory, as NVRTC takes it: its name in an #include, and its text, both ending in a zero.
struct nvrtc_header {
  const char* name = nullptr;
  const char* text = nullptr;
};

/// A text that includes headers.
struct cuda_source {
  std::string_view text;
  const char* name = "";                    ///< the file name in the compiler's messages
  std::string_view kernel{};                ///< whose resources are reported, "" for none
  std::span<const nvrtc_header> headers{};  ///< all that it includes: no folder is searched
};
/// The same for a text that includes headers, which may use the types of the CUDA runtime.
nvrtc_result compile_cuda(const nvrtc_api& api, const cuda_source& source, cuda_architecture architecture,
                          std::span<const std::string> options = {});

/// The default options of every compile that can change its output, and so belong in a cache's key. Other
/// options only make compiling faster or the log shorter.
std::span<const std::string> default_nvrtc_options();

/// Options that make compiling faster and the code slower; empty if this NVRTC has none.
std::span<const std::string> quick_nvrtc_options();

/// The architectures that this NVRTC compiles for, as in {75, 80, 90}. Needs no GPU.
std::vector<int> supported_architectures();

/// NVRTC's version in the driver's numbering: 13000 is 13.0.
int nvrtc_version();

/// Parses what `--ptxas-options=-v` wrote about one kernel. The log may contain several.
kernel_resources parse_ptxas_log(std::string_view log, std::string_view kernel);

}  // namespace sinter::inline v0::runtime
