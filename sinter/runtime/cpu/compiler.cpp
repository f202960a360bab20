#include "../clang/cpu_compiler.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <optional>
#include <vector>

#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/base/no_compiler.hpp>
#include <sinter/runtime/cpu/compiler.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/dynamic_library.hpp>
#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/posix/host.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr const char* library_name = "libsinter_cpu_compiler.so";

struct compiler_functions {
  decltype(&sinter_cpu_compiler_compile) compile = nullptr;
  decltype(&sinter_cpu_compiler_expand) expand = nullptr;
  decltype(&sinter_cpu_compiler_free) free = nullptr;
  decltype(&sinter_cpu_compiler_version) version = nullptr;
};

// $SINTER_CPU_COMPILER alone if it is set; else beside this library, then the system's search path.
std::vector<std::string> candidates() {
  if (std::string chosen = environment_value("SINTER_CPU_COMPILER"); !chosen.empty())
    return {std::move(chosen)};
  std::vector<std::string> names;
  if (const std::string folder = folder_of_this_library(); !folder.empty())
    names.push_back(folder + "/" + library_name);
  names.emplace_back(library_name);
  return names;
}

[[noreturn]] void throw_missing(const std::string& reason) {
  throw no_compiler(
      fmt::format("the CPU target's compiler could not be opened: {}. Install {} beside libsinter, or set "
                  "SINTER_CPU_COMPILER to its path; kernels that are cached need no compiler",
                  reason, library_name));
}

compiler_functions open_compiler() {
  std::string why;
  std::optional<dynamic_library> library =
      dynamic_library::open(candidates(), why, dynamic_library::binding::isolated);
  if (!library) throw_missing(why);
  compiler_functions functions;
  functions.compile = library->function<decltype(sinter_cpu_compiler_compile)>("sinter_cpu_compiler_compile");
  functions.expand = library->function<decltype(sinter_cpu_compiler_expand)>("sinter_cpu_compiler_expand");
  functions.free = library->function<decltype(sinter_cpu_compiler_free)>("sinter_cpu_compiler_free");
  functions.version = library->function<decltype(sinter_cpu_compiler_version)>("sinter_cpu_compiler_version");
  if (functions.compile == nullptr || functions.expand == nullptr || functions.free == nullptr ||
      functions.version == nullptr)
    throw_missing(library->file() + " is another library of that name");
  library->keep_open();
  finish_compiles_at_exit();
  return functions;
}

// A failure is not cached, so that installing the library repairs a running program.
const compiler_functions& compiler() {
  static std::atomic<const compiler_functions*> opened{nullptr};
  if (const compiler_functions* known = opened.load(std::memory_order_acquire)) return *known;
  static auto& guard = *new renewed_mutex;
  const std::lock_guard lock(guard.own());
  if (opened.load(std::memory_order_relaxed) == nullptr)
    opened.store(new compiler_functions(open_compiler()), std::memory_order_release);
  return *opened.load(std::memory_order_relaxed);
}

// A result that its library frees.
struct released_result : sinter_cpu_compile_result {
  explicit released_result(const compiler_functions& with) : sinter_cpu_compile_result{}, functions(with) {}
  released_result(const released_result&) = delete;
  released_result& operator=(const released_result&) = delete;
  ~released_result() { functions.free(this); }
  const compiler_functions& functions;
};

}  // namespace

namespace {

cpu_compile_result compile_as(bool assembly, std::string_view source, const char* name,
                              std::span<const cpu_linked_code> linked, cpu_effort effort,
                              std::string_view processor) {
  const compiler_functions& functions = compiler();
  sinter_cpu_compile_request request{};
  request.abi_version = SINTER_CPU_COMPILER_ABI;
  request.source = source.data();
  request.source_size = source.size();
  request.source_name = name;
  std::vector<sinter_cpu_linked_code> codes;
  for (const cpu_linked_code& code : linked)
    codes.push_back({code.bytes.data(), code.bytes.size(), code.name.c_str(), code.is_text ? 1 : 0});
  request.linked = codes.data();
  request.linked_count = codes.size();
  request.assembly = assembly ? 1 : 0;
  const std::string target_cpu(processor);
  if (!processor.empty()) request.target_cpu = target_cpu.c_str();
  static constexpr const char* quick_options[] = {"-O0"};
  if (effort == cpu_effort::quick) {
    request.options = quick_options;
    request.option_count = std::size(quick_options);
  }
  released_result result(functions);
  const int status = functions.compile(&request, &result);
  cpu_compile_result made;
  if (result.log != nullptr) made.log = result.log;
  if (status != SINTER_CPU_COMPILER_OK) {
    const char* what = status == SINTER_CPU_COMPILER_COMPILE_ERROR ? "was rejected by the compiler"
                       : status == SINTER_CPU_COMPILER_LINK_ERROR  ? "could not be linked"
                                                                   : "made the compiler give up";
    throw compile_error(
        fmt::format("kernel text '{}' {} ({}): {}", name, what, functions.version(), made.log),
        std::string(source), made.log);
  }
  made.object.assign(static_cast<const char*>(result.object), result.object_size);
  return made;
}

}  // namespace

cpu_compile_result compile_cpu(std::string_view source, const char* name,
                               std::span<const cpu_linked_code> linked, cpu_effort effort,
                               std::string_view processor) {
  return compile_as(false, source, name, linked, effort, processor);
}

std::string cpu_assembly(std::string_view source, const char* name, std::span<const cpu_linked_code> linked,
                         std::string_view processor) {
  return compile_as(true, source, name, linked, cpu_effort::optimised, processor).object;
}

// The options themselves are in the compiler library (clang/clang_frontend.cpp): raise this number with them.
std::string_view cpu_compile_options() { return "clang 2"; }

std::string expand_user_headers(const std::string& source, const std::string& name,
                                std::span<const std::string> folders, std::span<const char* const> macros) {
  const compiler_functions& functions = compiler();
  std::vector<const char*> paths;
  for (const std::string& folder : folders) paths.push_back(folder.c_str());
  sinter_cpu_expand_request request{};
  request.abi_version = SINTER_CPU_COMPILER_ABI;
  request.source = source.data();
  request.source_size = source.size();
  request.source_name = name.c_str();
  request.folders = paths.data();
  request.folder_count = paths.size();
  request.macros = macros.data();
  request.macro_count = macros.size();
  released_result result(functions);
  const int status = functions.expand(&request, &result);
  const std::string log = result.log != nullptr ? result.log : "";
  if (status != SINTER_CPU_COMPILER_OK)
    throw compile_error(fmt::format("the headers of '{}' could not be found: {}; folders: {}", name,
                                    log.substr(0, log.find('\n')),
                                    folders.empty() ? "none" : fmt::format("{}", fmt::join(folders, ", "))),
                        source, log);
  return std::string(static_cast<const char*>(result.object), result.object_size);
}

std::string cpu_compiler_version() { return compiler().version(); }

}  // namespace sinter::inline v0::runtime
