#pragma once
// Builds packs from recordings, on any machine: a GPU is not needed, its compiler is.

#include <sinter/runtime/pack/recording.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::runtime {

struct pack_progress {
  std::size_t done = 0, all = 0;  ///< kernels; `all` may grow when one turns out to spill registers
  std::string_view kernel;        ///< that was compiled last
};

struct pack_options {
  /// CUDA architectures, 90 for compute capability 9.0. For the newest of them PTX lies beside the machine
  /// code, for devices that are newer still.
  std::vector<int> architectures;
  bool cpu = true;  ///< kernels for the processor of this machine
  /// And for all processors of these levels, as "x86-64-v3" (sinter/codegen/target/cpu_levels.hpp).
  std::vector<std::string> cpu_levels{};
  unsigned threads = 0;  ///< that compile; 0: as many as this process may use
  /// Called after each kernel, by one thread at a time.
  std::function<void(const pack_progress&)> progress;
};

struct built_pack {
  std::string bytes;
  std::size_t kernels = 0;
  std::vector<std::string> faults;  ///< what is lacking, and why
};

/// Compiles what the recorded functions and calls need on all known models of the architectures and on
/// the processors. A function
/// without a call gets kernels for usual shapes. What cannot be lowered or compiled is told in the faults;
/// the pack has the rest. The same bytes for the same requests, options and compilers.
built_pack build_pack(std::span<const recorded_request> requests, const pack_options& options);

/// The functions of a program or a shared library: runs it with SINTER_LIST_FUNCTIONS, which ends it before
/// its main(). Throws device_error where it cannot be run or has no Sinter in it.
recording_content functions_of_program(const std::string& path);

}  // namespace sinter::runtime
