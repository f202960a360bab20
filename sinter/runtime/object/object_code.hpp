#pragma once
// Compiled code as a value: images, the names of its entries, the compiler's report, and its origin.

#include <sinter/codegen/base/export.hpp>
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

namespace sinter::inline v0 {

/// What is known of compiled code without loading it; -1 if the compiler did not report it.
struct object_facts {
  int registers = -1;
  int spill_bytes = -1;   ///< per thread, stores and loads
  int shared_bytes = -1;  ///< static
  double compile_milliseconds = 0;
  std::string compiler;  ///< "nvrtc 13.0", "clang 19.1.7"
  std::string log;
};

/// The driver's report of a loaded kernel on a device.
struct kernel_attributes {
  int registers = 0;
  int static_shared_bytes = 0;
  int local_bytes = 0;  ///< per thread, including spills
  int constant_bytes = 0;
  int max_threads_per_block = 0;
  int architecture = 0;  ///< the architecture of the loaded code: 90 for compute capability 9.0
};

/// Compiled code: one image, or several of the same code (a cubin and PTX, for example). Constructing,
/// copying and destroying an unused object calls no driver and no loader: it is loaded on first use, once per
/// device, and copies share the load. If a driver or loader rejects an image, the use that needs it throws
/// device_error; other devices are not affected, and the next use tries again. Safe from any thread.
///
/// A device runs the cubin of its own architecture; else the cubin of the nearest lower one with the same
/// major number; else a fatbin, from which the driver chooses; else the nearest lower PTX, which the driver
/// translates.
class SINTER_API object_code {
 public:
  object_code() = default;
  /// Without entries, those found in the images are used (entries_of).
  explicit object_code(std::vector<code_image> images, std::vector<std::string> entries = {},
                       object_facts facts = {}, std::string origin = "memory");
  object_code(std::vector<code_image> images, std::string entry, object_facts facts = {},
              std::string origin = "memory");

  /// From a cubin, PTX, LTO-IR, fatbin or ELF shared object. Throws device_error for any other bytes.
  static object_code from_bytes(std::string bytes, std::string origin = "memory");
  /// From a file's content, which is read now.
  static object_code from_file(const std::string& path);

  explicit operator bool() const { return state_ != nullptr; }
  const std::vector<code_image>& images() const;
  /// The first entry; "" if none is known.
  const std::string& entry() const;
  const std::vector<std::string>& entries() const;
  const object_facts& facts() const;
  /// The origin: "compiled", "file axpy.cubin", "memory".
  const std::string& origin() const;
  bool loaded() const;

  /// The image that a device runs. Throws device_error that lists the images if none fits.
  const code_image& image_for(device where) const;
  /// The driver's report of an entry on a CUDA device; loads it there.
  kernel_attributes attributes(device where, std::string_view entry = {}) const;

  // For launches by the runtime. An empty name is the first entry.

  /// An entry of ELF code; valid as long as a copy of this object.
  cpu_kernel cpu_entry(std::string_view entry = {}) const;
  /// An entry that is loaded into a CUDA context, so that launches load nothing. Equally valid.
  CUkern_st* cuda_entry(CUctx_st* context, std::string_view entry = {}) const;
  /// Allows the first entry this much dynamic shared memory.
  void allow_shared_memory(std::size_t bytes, int device) const;
  /// Allows the first entry clusters of more than eight blocks.
  void allow_large_clusters(int device) const;
  /// Keeps the code loaded until the process ends, because it was captured into a CUDA graph.
  void keep_loaded() const;

 private:
  struct SINTER_INTERNAL state;
  std::shared_ptr<state> state_;
};

}  // namespace sinter::inline v0
