#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/base/no_compiler.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/dynamic_library.hpp>
#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/stack_thread.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr bool essential = true;

constexpr library_function rows[] = {
#define SINTER_ROW(need, answer, name, parameters) {#name, offsetof(nvrtc_api, name), need},
    SINTER_NVRTC_FUNCTIONS(SINTER_ROW)
#undef SINTER_ROW
};

constexpr const char* how_to_install =
    "install the CUDA toolkit's NVRTC 12.0 or newer (package cuda-nvrtc-13-0, or the Python wheel "
    "nvidia-cuda-nvrtc "
    "with its folder on LD_LIBRARY_PATH), or set SINTER_NVRTC to the library's path";

// Whether the exit handlers of NVRTC may have run, after which it cannot be called.
std::atomic<bool> is_ending{false};

struct nvrtc_state {
  nvrtc_api table;
  std::string reason;
  bool loaded = false;
  nvrtc_state() {
    loaded = load_nvrtc(nvrtc_candidates(), table, reason);
    if (!loaded) return;
    finish_compiles_at_exit();
    std::atexit([] { is_ending.store(true); });
  }
};

const nvrtc_state& state() {
  static const nvrtc_state* const only = new nvrtc_state;  // never destroyed, like the driver
  return *only;
}

// Options that do not change the code, with the version that introduced them. Measured on 13.0 with a kernel
// of one page: --minimal (no textures, no device runtime) reduces 38 ms to 34. --no-cache keeps NVRTC out of
// the user's home, because Sinter has its own cache. NVRTC's own way to a deep stack raises a limit of the
// whole process, and two concurrent compiles can leave it raised; it is off, and the compile runs on a thread
// with its own stack.
struct quick_option {
  int since;
  std::string_view text;
};
constexpr std::string_view minimal_option = "--minimal";
constexpr quick_option quick_options[] = {
    {12040, minimal_option},
    {12090, "--no-cache"},
    {12000, "--modify-stack-limit=false"},
    {12000, "--ptxas-options=-v"},
};

// Set if an NVRTC rejects one of these options: they are then omitted.
std::atomic<bool> quick_options_refused{false};

constexpr std::size_t compiler_stack = std::size_t{64} << 20;

// An option's name: "--fmad=false" and "-fmad" both give "fmad".
std::string_view option_name(std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  return option.substr(0, option.find('='));
}

std::string architecture_option(cuda_architecture architecture) {
  return fmt::format("--gpu-architecture={}_{}", architecture.code == cuda_code::cubin ? "sm" : "compute",
                     architecture.number);
}

/// `minimal`: the text needs no types of the CUDA runtime.
std::vector<std::string> all_options(const nvrtc_api& api, cuda_architecture architecture,
                                     std::span<const std::string> given, bool quick, bool minimal) {
  std::vector<std::string> all{architecture_option(architecture)};
  const auto add_default = [&](std::string_view option) {
    const bool replaced = std::any_of(given.begin(), given.end(), [&](const std::string& other) {
      return option_name(other) == option_name(option);
    });
    if (!replaced) all.emplace_back(option);
  };
  for (const std::string& option : default_nvrtc_options()) add_default(option);
  if (quick)
    for (const quick_option& option : quick_options)
      if (api.major * 1000 + api.minor * 10 >= option.since && (minimal || option.text != minimal_option))
        add_default(option.text);
  if (architecture.code == cuda_code::lto_ir) all.emplace_back("--dlink-time-opt");
  all.insert(all.end(), given.begin(), given.end());
  return all;
}

// Owns a program and destroys it.
class program {
 public:
  explicit program(const nvrtc_api& api) : api_(api) {}
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  ~program() {
    if (handle != nullptr) api_.nvrtcDestroyProgram(&handle);
  }
  nvrtcProgram handle = nullptr;

 private:
  const nvrtc_api& api_;
};

// NVRTC returns each text in two calls: its size, then its bytes. Text ends in a zero; code does not.
std::string take(nvrtcProgram from, nvrtcResult (*size_of)(nvrtcProgram, std::size_t*),
                 nvrtcResult (*bytes_of)(nvrtcProgram, char*), bool is_text) {
  std::size_t size = 0;
  std::string bytes;
  if (size_of(from, &size) != nvrtcResult::success || size == 0) return bytes;
  bytes.resize(size);
  if (bytes_of(from, bytes.data()) != nvrtcResult::success) return {};
  if (is_text && bytes.back() == 0) bytes.pop_back();
  return bytes;
}

std::string take_code(const nvrtc_api& api, nvrtcProgram from, cuda_code kind) {
  switch (kind) {
    case cuda_code::cubin:
      return take(from, api.nvrtcGetCUBINSize, api.nvrtcGetCUBIN, false);
    case cuda_code::ptx:
      return take(from, api.nvrtcGetPTXSize, api.nvrtcGetPTX, true);
    case cuda_code::lto_ir:
      return take(from, api.nvrtcGetLTOIRSize, api.nvrtcGetLTOIR, false);
  }
  return {};
}

// The first line with an error; the exception has the whole log.
std::string_view first_error(std::string_view log) {
  for (std::string_view rest = log; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    if (line.find("error") != line.npos) return line;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return log.substr(0, log.find('\n'));
}

struct attempt {
  nvrtcResult answer = nvrtcResult::internal_error;
  std::string code;
  std::string log;
};

attempt compile_once(const nvrtc_api& api, const std::string& text, const cuda_source& source,
                     const std::vector<std::string>& options, cuda_code kind) {
  attempt result;
  std::vector<const char*> headers, header_names;
  for (const nvrtc_header& each : source.headers) {
    headers.push_back(each.text);
    header_names.push_back(each.name);
  }
  run_with_stack(compiler_stack, [&] {
    program made(api);
    result.answer =
        api.nvrtcCreateProgram(&made.handle, text.c_str(), source.name, static_cast<int>(headers.size()),
                               headers.data(), header_names.data());
    if (result.answer != nvrtcResult::success) return;
    std::vector<const char*> texts;
    texts.reserve(options.size());
    for (const std::string& option : options) texts.push_back(option.c_str());
    result.answer = api.nvrtcCompileProgram(made.handle, static_cast<int>(texts.size()), texts.data());
    result.log = take(made.handle, api.nvrtcGetProgramLogSize, api.nvrtcGetProgramLog, true);
    if (result.answer == nvrtcResult::success) result.code = take_code(api, made.handle, kind);
  });
  return result;
}

std::string failure_message(const nvrtc_api& api, const char* name, const attempt& failed,
                            const std::vector<std::string>& options) {
  const std::string with = fmt::format("NVRTC {}.{} for {}", api.major, api.minor, options.front());
  if (failed.answer == nvrtcResult::invalid_option)
    return fmt::format("compiling {} with {} failed: {}; options: {}", name, with, first_error(failed.log),
                       fmt::join(options, " "));
  if (failed.answer != nvrtcResult::compilation)
    return fmt::format("compiling {} with {} failed: {} {}; options: {}", name, with,
                       api.nvrtcGetErrorString(failed.answer), first_error(failed.log),
                       fmt::join(options, " "));
  return fmt::format("compiling {} with {} failed: {}; source() and log() have the rest", name, with,
                     first_error(failed.log));
}

void require_supported(const nvrtc_api& api, int number) {
  int count = 0;
  api.nvrtcGetNumSupportedArchs(&count);
  std::vector<int> known(static_cast<std::size_t>(count));
  api.nvrtcGetSupportedArchs(known.data());
  if (std::find(known.begin(), known.end(), number) != known.end()) return;
  throw no_compiler(
      fmt::format("NVRTC {}.{} cannot compile for compute capability {}.{}: it knows {}; install an NVRTC "
                  "that does, or ask for "
                  "PTX of an older one",
                  api.major, api.minor, number / 10, number % 10, fmt::join(known, ", ")));
}

}  // namespace

std::vector<std::string> nvrtc_candidates() {
  if (std::string chosen = environment_value("SINTER_NVRTC"); !chosen.empty()) return {std::move(chosen)};
  std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  for (std::size_t i = 0; i < 3; ++i) names.push_back("/usr/local/cuda/lib64/" + names[i]);
  return names;
}

bool load_nvrtc(std::span<const std::string> candidates, nvrtc_api& table, std::string& why) {
  std::string answers;
  std::optional<dynamic_library> library = dynamic_library::open(candidates, answers);
  if (!library) {
    why = fmt::format("NVRTC, which compiles kernels for NVIDIA GPUs, was not found ({}); {}", answers,
                      how_to_install);
    return false;
  }
  library->keep_open();
  table = {};
  const char* missing = fill_function_table(*library, &table, rows);
  if (table.nvrtcVersion != nullptr) table.nvrtcVersion(&table.major, &table.minor);
  if (missing == nullptr && table.major >= min_nvrtc_major) return true;
  why = missing != nullptr
            ? fmt::format("{} is no usable NVRTC: it lacks {}; {}", library->file(), missing, how_to_install)
            : fmt::format("{} is NVRTC {}.{}, too old; {}", library->file(), table.major, table.minor,
                          how_to_install);
  return false;
}

const nvrtc_api* nvrtc() noexcept {
  try {
    return state().loaded ? &state().table : nullptr;
  } catch (...) {
    return nullptr;  // out of host memory; the next call tries again
  }
}

std::string nvrtc_absence_reason() { return state().reason; }

const nvrtc_api& require_nvrtc() {
  if (is_ending.load(std::memory_order_relaxed))
    throw no_compiler(
        "the program is ending, and NVRTC with it: no kernel for an NVIDIA GPU can be compiled any more");
  if (const nvrtc_api* api = nvrtc()) return *api;
  throw no_compiler(nvrtc_absence_reason());
}

std::span<const std::string> default_nvrtc_options() {
  // The emitter decides about contraction, so that both targets agree to the last bit.
  static const auto& options =
      *new std::vector<std::string>{"--std=c++17", "--fmad=false", "--device-as-default-execution-space"};
  return options;
}

std::span<const std::string> quick_nvrtc_options() {
  // Introduced in 12.8. Measured on 13.0 over the golden texts (bench/compile_time/quick_compiles.py): saves
  // half of the time, for long texts a quarter; =max saves no more, and ptxas -O0 a seventh.
  constexpr int since = 12080;
  static const auto& options = *new std::vector<std::string>{"--Ofast-compile=mid"};
  return nvrtc_version() >= since ? std::span<const std::string>(options) : std::span<const std::string>();
}

nvrtc_result compile_cuda(std::string_view source, const char* name, std::string_view kernel,
                          cuda_architecture architecture, std::span<const std::string> options) {
  return compile_cuda(require_nvrtc(), source, name, kernel, architecture, options);
}

nvrtc_result compile_cuda(const nvrtc_api& api, std::string_view source, const char* name,
                          std::string_view kernel, cuda_architecture architecture,
                          std::span<const std::string> options) {
  return compile_cuda(api, cuda_source{source, name, kernel}, architecture, options);
}

nvrtc_result compile_cuda(const nvrtc_api& api, const cuda_source& source, cuda_architecture architecture,
                          std::span<const std::string> options) {
  require_supported(api, architecture.number);
  std::string text(source.text);
  const bool quick = !quick_options_refused.load(std::memory_order_relaxed);
  const bool minimal = source.headers.empty();
  std::vector<std::string> used = all_options(api, architecture, options, quick, minimal);
  attempt made = compile_once(api, text, source, used, architecture.code);
  if (made.answer == nvrtcResult::invalid_option && quick) {
    used = all_options(api, architecture, options, false, minimal);
    attempt plain = compile_once(api, text, source, used, architecture.code);
    if (plain.answer != nvrtcResult::invalid_option) {
      quick_options_refused.store(true, std::memory_order_relaxed);
      made = std::move(plain);
    }
  }
  if (made.answer != nvrtcResult::success || made.code.empty()) {
    const std::string message = failure_message(api, source.name, made, used);
    throw compile_error(message, std::move(text), std::move(made.log));
  }
  const kernel_resources resources = parse_ptxas_log(made.log, source.kernel);
  return {std::move(made.code), std::move(made.log), resources};
}

std::vector<int> supported_architectures() {
  const nvrtc_api& api = require_nvrtc();
  int count = 0;
  api.nvrtcGetNumSupportedArchs(&count);
  std::vector<int> architectures(static_cast<std::size_t>(count));
  api.nvrtcGetSupportedArchs(architectures.data());
  return architectures;
}

int nvrtc_version() {
  const nvrtc_api& api = require_nvrtc();
  return api.major * 1000 + api.minor * 10;
}

}  // namespace sinter::inline v0::runtime
