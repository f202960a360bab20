#pragma once
// Joining object code that was never loaded into a kernel for one architecture.

#include <sinter/runtime/object/object_code.hpp>

#include <span>
#include <string>
#include <vector>

namespace sinter {

/// What a link makes, and what it is given beside object code.
struct link_options {
  /// Compute capability to link for: 90 for 9.0. 0 takes that of the first input that has one.
  int architecture = 0;
  /// The kernels that are asked for: the entries of what is made, and an error where one is missing. Empty:
  /// all.
  std::vector<std::string> entries;
  /// Object files (.o) and libraries (.a) of a host compiler that hold device code, by path; read now.
  std::vector<std::string> libraries;
  /// PTX instead of a cubin, for later architectures too. Takes inputs of LTO-IR alone.
  bool ptx = false;
  /// Further options of nvJitLink's own.
  std::vector<std::string> options;
};

/// Links for NVIDIA GPUs: LTO-IR, PTX, cubins, fatbins, and host objects that hold device code. Of an input
/// with several images LTO-IR is taken before a cubin that runs there, that before a fatbin, and PTX last.
/// Needs no GPU, calls no driver and loads nothing. Throws compile_error that names the input, and the symbol
/// where one is not defined; device_error where nvJitLink is not installed.
object_code link(std::span<const object_code> inputs, const link_options& options = {});

}  // namespace sinter
