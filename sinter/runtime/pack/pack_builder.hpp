#pragma once
// Builds packs from recordings, on any machine: it needs the compiler for GPUs, not a GPU.
//
// Threads: any thread may call these; `progress` is called by one thread at a time, and throws nothing.
// Throws: build_pack() error for an unknown level, type_error for damaged tunings, device_error where the
// compiler for GPUs is missing;
// functions_of_program() device_error. A kernel that cannot be made is one of `faults`, not an exception.
// After a failure: no pack has been made.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/pack/recording.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::runtime {

struct pack_progress {
  std::size_t done = 0, all = 0;  ///< kernels; `all` may grow if a kernel spills registers
  std::string_view kernel;        ///< the kernel compiled last
};

struct pack_options {
  /// CUDA architectures, 90 for compute capability 9.0. For the newest one the pack has PTX beside the
  /// machine code, for newer devices.
  std::vector<int> architectures;
  bool cpu = true;  ///< kernels for this machine's processor
  /// Also for all processors of these levels, such as "x86-64-v3" (sinter/codegen/target/cpu_levels.hpp).
  std::vector<std::string> cpu_levels{};
  /// Text of tunings (`tuning_report::save`, the union of several files' lines), which the pack carries:
  /// calls of a program that opens it have the measured schedules, whose kernels are packed too.
  std::string tunings{};
  unsigned threads = 0;  ///< number of compiling threads; 0: the processors that this process may use
  /// Called after each kernel, by one thread at a time.
  std::function<void(const pack_progress&)> progress{};
};

struct built_pack {
  std::string bytes;
  std::size_t kernels = 0;
  std::vector<std::string> faults;  ///< what is missing, and why
};

/// Compiles what the recorded functions and calls need on all known models of the architectures and on the
/// processors. A function without a call gets kernels for usual shapes. The faults list what cannot be
/// lowered or compiled; the pack has the rest. Equal requests, options and compilers give equal bytes.
SINTER_API built_pack build_pack(std::span<const recorded_request> requests, const pack_options& options);

/// The functions of a program or a shared library. Runs it with SINTER_LIST_FUNCTIONS, which ends it before
/// its main(). Throws device_error if it cannot run or does not contain Sinter.
SINTER_API recording_content functions_of_program(const std::string& path);

}  // namespace sinter::inline v0::runtime
