#pragma once
// What tests need and a machine may lack. A test that cannot run says so here and nowhere else: the run's
// report names it, its ctest line is skipped instead of passed, and where SINTER_EXPECT names the need, it
// fails.

#include <doctest/doctest.h>

#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/nvjitlink.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::test {

enum class need : std::uint8_t {
  nvrtc,
  nvjitlink,
  cuda_device,   ///< a GPU, and its driver
  cuda_headers,  ///< the toolkit's
  cccl,          ///< the headers of CCCL 3.2 or later
  nvcc,
  cpu_compiler,  ///< Sinter's own
  gcc,           ///< for what is compiled with each compiler
  clang,
  fuzzer,      ///< Clang with libFuzzer
  other_llvm,  ///< shared, of another version
  redis,
  hiredis,   ///< in this build
  sodium,    ///< likewise
  terminal,  ///< a pseudo-terminal
  groff,
  bash,
  zsh,
  fish,
  objdump,
  nvdisasm,     ///< or cuobjdump
  mounts,       ///< the right to mount a file system
  set_user_id,  ///< the right to make a set-user-id program, where those are heeded
  processor,    ///< one that has several levels of x86-64
  memory,       ///< tens of GiB
  python,
  eigen,       ///< its headers
  torch,       ///< PyTorch, in the Python that runs tests
  make,        ///< for programs that are not built with CMake
  meson,       ///< likewise
  pkg_config,  ///< likewise
  dpkg,        ///< and the right to make a root file system to install packages in
};
/// As SINTER_EXPECT and the reports have them.
inline constexpr std::string_view need_names[] = {
    "nvrtc",  "nvjitlink", "cuda_device", "cuda_headers", "cccl",     "nvcc",   "cpu_compiler", "gcc",
    "clang",  "fuzzer",    "other_llvm",  "redis",        "hiredis",  "sodium", "terminal",     "groff",
    "bash",   "zsh",       "fish",        "objdump",      "nvdisasm", "mounts", "set_user_id",  "processor",
    "memory", "python",    "eigen",       "torch",        "make",     "meson",  "pkg_config",   "dpkg"};
static_assert(std::size(need_names) == static_cast<std::size_t>(need::dpkg) + 1);
inline std::string_view name_of(need what) { return need_names[static_cast<std::size_t>(what)]; }

/// What $SINTER_EXPECT names, with commas between: what this machine is known to have.
inline std::vector<std::string> expected_needs() {
  const char* const set = std::getenv("SINTER_EXPECT");
  std::vector<std::string> names;
  std::string_view rest = set != nullptr ? set : "";
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

/// A test case that lacked something.
struct skipped_case {
  std::string file, name;
  need of;
  std::string why;
  bool in_part = false;  ///< it checked what it could
};
inline std::vector<skipped_case>& skipped_cases() {
  static std::vector<skipped_case> all;
  return all;
}

/// Whether the machine lacks what the running test needs: that is so where there is a reason `why`. The test
/// then returns, or goes on with what it can check without. Several threads of a test may ask at once.
inline bool lacks(need what, const std::string& why) {
  if (why.empty()) return false;
  static std::mutex guard;
  const std::lock_guard lock(guard);
  const auto& test = *doctest::getContextOptions()->currentTest;
  std::vector<skipped_case>& all = skipped_cases();
  const std::string file = test.m_file.c_str(), name = test.m_name;
  const bool told = std::any_of(all.begin(), all.end(), [&](const skipped_case& each) {
    return each.of == what && each.file == file && each.name == name;
  });
  if (told) return true;
  all.push_back({file, name, what, why});
  const std::vector<std::string> expected = expected_needs();
  if (std::find(expected.begin(), expected.end(), name_of(what)) != expected.end())
    FAIL_CHECK("SINTER_EXPECT says that there is '", std::string(name_of(what)),
               "', and there is none: ", why);
  return true;
}

/// Likewise of what Sinter itself looks for.
inline bool lacks_nvrtc() {
  return lacks(need::nvrtc, runtime::nvrtc() != nullptr ? "" : runtime::nvrtc_absence_reason());
}
inline bool lacks_nvjitlink() {
  return lacks(need::nvjitlink, runtime::nvjitlink() != nullptr ? "" : runtime::nvjitlink_absence_reason());
}
inline bool lacks_cuda_device() {
  if (runtime::driver() == nullptr) return lacks(need::cuda_device, runtime::driver_absence_reason());
  return lacks(need::cuda_device, runtime::cuda_device_count() > 0 ? "" : "the driver has no device");
}

}  // namespace sinter::test
