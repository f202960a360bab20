#pragma once
// Linking object code that was never loaded into a kernel for one architecture.

#include <sinter/runtime/object/object_code.hpp>

#include <span>
#include <string>
#include <vector>

namespace sinter::inline v0 {

/// The options of a link.
struct link_options {
  /// Compute capability to link for: 90 for 9.0. 0 selects that of the first input that has one.
  int architecture = 0;
  /// The requested kernels, which become the entries of the result; a missing one is an error. Empty: all.
  std::vector<std::string> entries;
  /// Paths of object files (.o) and libraries (.a) of a host compiler that contain device code; read now.
  std::vector<std::string> libraries;
  /// Produces PTX instead of a cubin, which also serves later architectures. Inputs must be LTO-IR.
  bool ptx = false;
  /// Further nvJitLink options.
  std::vector<std::string> options;
};

/// Links for NVIDIA GPUs: LTO-IR, PTX, cubins, fatbins, and host objects with device code. Of an input with
/// several images, LTO-IR is preferred, then a cubin that runs on the architecture, then a fatbin, then PTX.
/// Needs no GPU, calls no driver and loads nothing. Throws compile_error that names the input and any
/// undefined symbol; device_error if nvJitLink is not installed.
object_code link(std::span<const object_code> inputs, const link_options& options = {});

}  // namespace sinter::inline v0
