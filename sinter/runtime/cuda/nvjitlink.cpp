#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <utility>

#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/cuda/nvjitlink.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/dynamic_library.hpp>
#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/stack_thread.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr const char* how_to_install =
    "install the CUDA toolkit's nvJitLink 12.0 or newer (package libnvjitlink-13-0, or the Python wheel "
    "nvidia-nvjitlink with its folder on LD_LIBRARY_PATH), or set SINTER_NVJITLINK to the library's path";

// The interface versions that Sinter knows; a library has its own and all earlier ones.
constexpr const char* interface_versions[] = {"_13_0", "_12_0"};

// The first function that the library lacks in this version, or nullptr.
const char* fill_versioned(const dynamic_library& library, const std::string& version, nvjitlink_api& table) {
#define SINTER_ROW(name, parameters)                                                         \
  table.nvJitLink##name =                                                                    \
      library.function<nvJitLinkResult parameters>(("__nvJitLink" #name + version).c_str()); \
  if (table.nvJitLink##name == nullptr) return "__nvJitLink" #name;
  SINTER_NVJITLINK_FUNCTIONS(SINTER_ROW)
#undef SINTER_ROW
  return nullptr;
}

// Whether the exit handlers of nvJitLink may have run, after which it cannot be called.
std::atomic<bool> is_ending{false};

struct nvjitlink_state {
  nvjitlink_api table;
  std::string reason;
  bool loaded = false;
  nvjitlink_state() {
    loaded = load_nvjitlink(nvjitlink_candidates(), table, reason);
    if (!loaded) return;
    finish_compiles_at_exit();  // a background thread may be linking
    std::atexit([] { is_ending.store(true); });
  }
};

const nvjitlink_state& state() {
  static const nvjitlink_state* const only = new nvjitlink_state;  // never destroyed, like the driver
  return *only;
}

constexpr std::size_t linker_stack = std::size_t{64} << 20;

std::vector<std::string> all_options(const nvjitlink_api& api, std::span<const cuda_link_input> inputs,
                                     cuda_architecture architecture, std::span<const std::string> given) {
  std::vector<std::string> all{fmt::format("-arch=sm_{}", architecture.number), "-verbose", "-Xptxas=-v"};
  const auto is_lto = [](const cuda_link_input& input) { return input.type == nvJitLinkInputType::lto_ir; };
  if (std::any_of(inputs.begin(), inputs.end(), is_lto)) {
    all.emplace_back("-lto");
    // Only link-time optimisation has a contraction option, and it contracts by default.
    for (const std::string& option : default_nvjitlink_options()) all.push_back(option);
  }
  if (architecture.code == cuda_code::ptx) all.emplace_back("-ptx");
  // Sinter has its own cache; nvJitLink's is in the user's home.
  if (api.major >= 13) all.emplace_back("-no-cache");
  all.insert(all.end(), given.begin(), given.end());
  return all;
}

// Owns a link and destroys it.
class link_in_progress {
 public:
  explicit link_in_progress(const nvjitlink_api& api) : api_(api) {}
  link_in_progress(const link_in_progress&) = delete;
  link_in_progress& operator=(const link_in_progress&) = delete;
  ~link_in_progress() {
    if (handle != nullptr) api_.nvJitLinkDestroy(&handle);
  }

  template <class Byte>
  std::string take(nvJitLinkResult (*size_of)(nvJitLinkHandle, std::size_t*),
                   nvJitLinkResult (*bytes_of)(nvJitLinkHandle, Byte*), bool is_text) const {
    std::size_t size = 0;
    std::string bytes;
    if (handle == nullptr || size_of(handle, &size) != nvJitLinkResult::success || size == 0) return bytes;
    bytes.resize(size);
    if (bytes_of(handle, bytes.data()) != nvJitLinkResult::success) return {};
    if (is_text) bytes.resize(std::min(bytes.find('\0'), bytes.size()));
    return bytes;
  }

  nvJitLinkHandle handle = nullptr;

 private:
  const nvjitlink_api& api_;
};

struct attempt {
  nvJitLinkResult answer = nvJitLinkResult::internal;
  const cuda_link_input* refused = nullptr;
  std::string code, errors, log;
};

attempt link_once(const nvjitlink_api& api, std::span<const cuda_link_input> inputs,
                  const std::vector<std::string>& options, cuda_code made) {
  attempt result;
  run_with_stack(linker_stack, [&] {
    link_in_progress link(api);
    std::vector<const char*> texts;
    texts.reserve(options.size());
    for (const std::string& option : options) texts.push_back(option.c_str());
    result.answer = api.nvJitLinkCreate(&link.handle, static_cast<std::uint32_t>(texts.size()), texts.data());
    for (const cuda_link_input& input : inputs) {
      if (result.answer != nvJitLinkResult::success) break;
      const std::size_t zero = input.type == nvJitLinkInputType::ptx ? 1 : 0;
      result.answer = api.nvJitLinkAddData(link.handle, input.type, input.bytes.data(),
                                           input.bytes.size() + zero, input.name.c_str());
      // Without this check the link would complete without this input.
      if (result.answer != nvJitLinkResult::success) result.refused = &input;
    }
    if (result.answer == nvJitLinkResult::success) result.answer = api.nvJitLinkComplete(link.handle);
    result.errors = link.take(api.nvJitLinkGetErrorLogSize, api.nvJitLinkGetErrorLog, true);
    result.log = link.take(api.nvJitLinkGetInfoLogSize, api.nvJitLinkGetInfoLog, true);
    if (result.answer != nvJitLinkResult::success) return;
    result.code = made == cuda_code::ptx
                      ? link.take(api.nvJitLinkGetLinkedPtxSize, api.nvJitLinkGetLinkedPtx, true)
                      : link.take(api.nvJitLinkGetLinkedCubinSize, api.nvJitLinkGetLinkedCubin, false);
  });
  return result;
}

// The symbol of "Undefined reference to 'f' in ..." and "Unresolved extern function 'f'"; "" in other
// messages.
std::string_view missing_symbol(std::string_view log) {
  for (const std::string_view before : {"Undefined reference to '", "Unresolved extern function '",
                                        "Unresolved extern variable '", "Undefined symbol '"})
    if (const std::size_t at = log.find(before); at != log.npos) {
      const std::string_view rest = log.substr(at + before.size());
      return rest.substr(0, rest.find('\''));
    }
  return {};
}

// The symbol of "Linking globals named 'f': symbol multiply defined!"; "" in other messages.
std::string_view doubled_symbol(std::string_view log) {
  constexpr std::string_view before = "Linking globals named '", after = "': symbol multiply defined";
  const std::size_t at = log.find(before), end = log.find(after);
  if (at == log.npos || end == log.npos || end < at + before.size()) return {};
  return log.substr(at + before.size(), end - at - before.size());
}

std::string names_of(std::span<const cuda_link_input> inputs) {
  std::string names;
  for (const cuda_link_input& input : inputs) names += (names.empty() ? "" : ", ") + input.name;
  return names;
}

std::string failure_message(const nvjitlink_api& api, std::span<const cuda_link_input> inputs,
                            int architecture, const attempt& failed,
                            const std::vector<std::string>& options) {
  const std::string with = fmt::format("with nvJitLink {}.{} for sm_{}", api.major, api.minor, architecture);
  const std::string_view first = std::string_view(failed.errors).substr(0, failed.errors.find('\n'));
  if (failed.refused != nullptr)
    return fmt::format("linking {} {} failed: it refused {}: {}", names_of(inputs), with,
                       failed.refused->name, first);
  if (const std::string_view symbol = missing_symbol(failed.errors); !symbol.empty())
    return fmt::format(
        "linking {} {} failed: none of them defines '{}'; add the object code that does, with the "
        "function declared extern \"C\"",
        names_of(inputs), with, symbol);
  if (const std::string_view symbol = doubled_symbol(failed.errors); !symbol.empty())
    return fmt::format(
        "linking {} {} failed: '{}' is defined by more than one of them; leave one out, or give the "
        "functions "
        "names of their own",
        names_of(inputs), with, symbol);
  if (failed.answer == nvJitLinkResult::unrecognized_arch ||
      failed.answer == nvJitLinkResult::unsupported_arch)
    return fmt::format(
        "linking {} {} failed: this nvJitLink does not know that architecture; install a newer one",
        names_of(inputs), with);
  return fmt::format("linking {} {} failed (answer {}): {}; options: {}; log() has the rest",
                     names_of(inputs), with, static_cast<int>(failed.answer), first, fmt::join(options, " "));
}

}  // namespace

std::vector<std::string> nvjitlink_candidates() {
  if (std::string chosen = environment_value("SINTER_NVJITLINK"); !chosen.empty()) return {std::move(chosen)};
  std::vector<std::string> names{"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"};
  for (std::size_t i = 0; i < 3; ++i) names.push_back("/usr/local/cuda/lib64/" + names[i]);
  return names;
}

bool load_nvjitlink(std::span<const std::string> candidates, nvjitlink_api& table, std::string& why) {
  std::string answers;
  std::optional<dynamic_library> library = dynamic_library::open(candidates, answers);
  if (!library) {
    why = fmt::format("nvJitLink, which links code for NVIDIA GPUs, was not found ({}); {}", answers,
                      how_to_install);
    return false;
  }
  library->keep_open();
  const char* missing = nullptr;
  for (const char* version : interface_versions) {
    table = {};
    missing = fill_versioned(*library, version, table);
    if (missing != nullptr) continue;
    unsigned major = 12, minor = 0;
    if (auto* const tell = library->function<nvJitLinkResult(unsigned*, unsigned*)>("nvJitLinkVersion"))
      tell(&major, &minor);
    table.major = static_cast<int>(major);
    table.minor = static_cast<int>(minor);
    return true;
  }
  why = fmt::format("{} is no usable nvJitLink: it lacks {}{}; {}", library->file(), missing,
                    interface_versions[std::size(interface_versions) - 1], how_to_install);
  return false;
}

const nvjitlink_api* nvjitlink() noexcept {
  try {
    return state().loaded ? &state().table : nullptr;
  } catch (...) {
    return nullptr;  // out of host memory; the next call tries again
  }
}

std::string nvjitlink_absence_reason() { return state().reason; }

const nvjitlink_api& require_nvjitlink() {
  if (is_ending.load(std::memory_order_relaxed))
    throw device_error(
        "the program is ending, and nvJitLink with it: no code for an NVIDIA GPU can be linked any more");
  if (const nvjitlink_api* api = nvjitlink()) return *api;
  throw device_error(nvjitlink_absence_reason());
}

std::span<const std::string> default_nvjitlink_options() {
  static const auto& options = *new std::vector<std::string>{"-fma=0"};
  return options;
}

cuda_link_result link_cuda(std::span<const cuda_link_input> inputs, cuda_architecture architecture,
                           std::string_view kernel, std::span<const std::string> options) {
  const nvjitlink_api& api = require_nvjitlink();
  const std::vector<std::string> used = all_options(api, inputs, architecture, options);
  attempt made = link_once(api, inputs, used, architecture.code);
  if (made.answer != nvJitLinkResult::success || made.code.empty()) {
    const std::string message = failure_message(api, inputs, architecture.number, made, used);
    throw compile_error(message, {}, made.errors + made.log);
  }
  const kernel_resources resources = parse_ptxas_log(made.log, kernel);
  return {std::move(made.code), std::move(made.log), resources};
}

}  // namespace sinter::inline v0::runtime
