// System calls of a process with everything cached: it starts no program, opens no compiler and makes no
// connection. The test traces the calls, so that libraries that were opened and closed again count.

#include <doctest/doctest.h>

#include "../support/beside.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/process/temporary_folder.hpp"
#include "../support/process/traced_program.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::test {
namespace {

/// A run of cached_program with a cache in this folder, without a leak checker, which does not work under
/// tracing.
traced_run run_traced_with(const std::string& cache, const std::vector<std::string>& arguments,
                           std::vector<std::string> variables = {}) {
  variables.insert(variables.end(),
                   {"SINTER_CACHE=", "SINTER_CACHE_DIR=" + cache, "ASAN_OPTIONS=detect_leaks=0"});
  return run_program_traced(path_beside("cached_program").string(), arguments, variables);
}

/// The opened files whose names, without folders, contain one of these parts.
std::vector<std::string> opened_with(const traced_run& run, const std::vector<std::string_view>& parts) {
  std::vector<std::string> found;
  for (const system_event& event : run.events) {
    const std::string name = event.path.substr(event.path.rfind('/') + 1);
    if (event.what == system_event::kind::open &&
        std::any_of(parts.begin(), parts.end(),
                    [&](std::string_view part) { return name.find(part) != name.npos; }))
      found.push_back(event.path);
  }
  return found;
}

const std::vector<std::string_view> compilers{
    "sinter_cpu_compiler", "nvrtc", "nvJitLink", "libclang", "libLLVM", "lld", "ptxas", "nvcc"};

void check_that_only_kernels_were_opened(const traced_run& run) {
  CHECK(run.exit_code == 0);
  CHECK(run.printed == "compiled 0 directory 2 shared 0 compiler 0\n");
  CHECK(opened_with(run, compilers).empty());
  CHECK(std::none_of(run.events.begin(), run.events.end(), [](const system_event& event) {
    return event.what == system_event::kind::execute || event.what == system_event::kind::socket;
  }));
}

}  // namespace

TEST_CASE(
    "a process with everything cached opens no compiler for the CPU, starts no program and talks to nobody") {
  const temporary_folder root;
  const traced_run cold = run_traced_with(root / "cache", {});
  CHECK(cold.exit_code == 0);
  CHECK_FALSE(opened_with(cold, {"sinter_cpu_compiler"}).empty());
  CHECK_FALSE(opened_with(cold, {"libsinter.so"}).empty());
  check_that_only_kernels_were_opened(run_traced_with(root / "cache", {}));
}

TEST_CASE(
    "a process with everything cached opens no compiler for GPUs, starts no program and talks to nobody") {
  if (nvrtc_is_missing()) return;
  const temporary_folder root;
  const std::vector<std::string> driver{"SINTER_CUDA_DRIVER=" + path_beside("libfake_cuda.so").string()};
  const traced_run cold = run_traced_with(root / "cache", {"cuda"}, driver);
  CHECK(cold.exit_code == 0);
  CHECK(cold.printed == "compiled 2 directory 0 shared 0 compiler 1\n");
  CHECK_FALSE(opened_with(cold, {"nvrtc"}).empty());
  const traced_run warm = run_traced_with(root / "cache", {"cuda"}, driver);
  check_that_only_kernels_were_opened(warm);
  CHECK_FALSE(opened_with(warm, {"libfake_cuda"}).empty());
}

TEST_CASE("a tracer sees the programs that are started, and what they and their threads open") {
  const temporary_folder root;
  write_file(root / "read", "its text\n");
  const traced_run run =
      run_program_traced("/bin/sh", {"-c", "/bin/cat '" + (root / "read") + "'; true"}, {});
  CHECK(run.exit_code == 0);
  CHECK(run.printed == "its text\n");
  CHECK(opened_with(run, {"read"}) == std::vector<std::string>{root / "read"});
  CHECK(std::any_of(run.events.begin(), run.events.end(), [](const system_event& event) {
    return event.what == system_event::kind::execute && event.path == "/bin/cat";
  }));
}

}  // namespace sinter::test
