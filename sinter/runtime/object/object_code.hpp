#pragma once
// Compiled code as a value: images, the names of its entries, what the compiler said of it, and where it came
// from.

#include <sinter/codegen/target/cpu_entry.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/object/code_image.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// CUDA's own names for its handles.
struct CUctx_st;
struct CUkern_st;

namespace sinter {

/// What is known of compiled code without loading it; -1 where the compiler did not tell.
struct object_facts {
  int registers = -1;
  int spill_bytes = -1;   ///< per thread, stores and loads
  int shared_bytes = -1;  ///< static
  double compile_milliseconds = 0;
  std::string compiler;  ///< "nvrtc 13.0", "clang 19.1.7"
  std::string log;
};

/// What a driver says of a loaded kernel on a device.
struct kernel_attributes {
  int registers = 0;
  int static_shared_bytes = 0;
  int local_bytes = 0;  ///< per thread; spills are part of it
  int constant_bytes = 0;
  int max_threads_per_block = 0;
  int architecture = 0;  ///< what the code in use was compiled for: 90 for compute capability 9.0
};

/// Compiled code: one image, or several of the same code (a cubin and PTX beside it). Making, copying and
/// dropping one that was never used calls no driver and no loader: it is loaded on first use, once per
/// device, and copies share that. An image that a driver or loader refuses is told by the use that needed it
/// (device_error); other devices are not concerned, and the next use tries again. Safe from any thread.
///
/// A device runs the cubin of its own architecture; else that of the nearest lower one with the same major
/// number; else a fatbin, out of which the driver chooses; else the PTX nearest below it, which the driver
/// translates.
class object_code {
 public:
  object_code() = default;
  /// Without entries those that the images tell are taken (entries_of).
  explicit object_code(std::vector<code_image> images, std::vector<std::string> entries = {},
                       object_facts facts = {}, std::string origin = "memory");
  object_code(std::vector<code_image> images, std::string entry, object_facts facts = {},
              std::string origin = "memory");

  /// Of a cubin, PTX, LTO-IR, fatbin or ELF shared object. Throws device_error if the bytes are none of
  /// these.
  static object_code from_bytes(std::string bytes, std::string origin = "memory");
  /// Likewise of a file's content, which is read now.
  static object_code from_file(const std::string& path);

  explicit operator bool() const { return state_ != nullptr; }
  const std::vector<code_image>& images() const;
  /// The first of the entries; "" where none is known.
  const std::string& entry() const;
  const std::vector<std::string>& entries() const;
  const object_facts& facts() const;
  /// Where it came from: "compiled", "file axpy.cubin", "memory".
  const std::string& origin() const;
  bool loaded() const;

  /// The image that a device runs. Throws device_error that lists what there is, if none of it fits.
  const code_image& image_for(device where) const;
  /// What the driver says of an entry on a CUDA device; loads it there.
  kernel_attributes attributes(device where, std::string_view entry = {}) const;

  // How the runtime launches it. An empty name is the first entry.

  /// An entry of ELF code; lives as long as a copy of this.
  host_kernel host_entry(std::string_view entry = {}) const;
  /// An entry for a CUDA context, ready there: no later launch loads anything. Likewise.
  CUkern_st* cuda_entry(CUctx_st* context, std::string_view entry = {}) const;
  /// Lets the first entry be launched with this much dynamic shared memory.
  void allow_shared_memory(std::size_t bytes, int device) const;
  /// Lets the first entry be launched in clusters of more than eight blocks.
  void allow_large_clusters(int device) const;
  /// The code stays loaded until the process ends: it was captured into a CUDA graph.
  void keep_loaded() const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace sinter
