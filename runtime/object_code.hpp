#pragma once
// Compiled code as a value: bytes, the name of the entry, and what the compiler said of it.

#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/cuda/driver_types.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace sinter::runtime {

/// What is known of compiled code without loading it; -1 where the compiler did not tell.
struct object_facts {
  int registers = -1;
  int spill_bytes = -1;   ///< per thread, stores and loads
  int shared_bytes = -1;  ///< static
  double compile_milliseconds = 0;
  std::string compiler;  ///< "nvrtc 13.0", "clang 19.1.7"
  std::string log;
};

/// A cubin, PTX or ELF object with one entry. Making, copying and dropping one that was never used calls no
/// driver and no loader: it is loaded on first use, once per process (a driver puts it on each device where
/// it is launched), and copies share that. Safe from any thread.
class object_code {
 public:
  enum class format : std::uint8_t { cubin, ptx, elf };

  object_code() = default;
  object_code(format kind, std::string bytes, std::string entry, object_facts facts);

  explicit operator bool() const { return image_ != nullptr; }
  format kind() const;
  const std::string& bytes() const;
  const std::string& entry() const;
  const object_facts& facts() const;
  bool loaded() const;

  /// The entry of ELF code; lives as long as a copy of this. Throws device_error if the loader refuses the
  /// code.
  host_kernel host_entry() const;
  /// The entry of a cubin or PTX, ready for a context: no later launch there loads anything. Likewise.
  CUkernel cuda_entry(CUcontext context) const;
  /// Lets the entry be launched with this much dynamic shared memory.
  void allow_shared_memory(std::size_t bytes, int device) const;
  /// Lets the entry be launched in clusters of more than eight blocks.
  void allow_large_clusters(int device) const;
  /// The code stays loaded until the process ends: it was captured into a CUDA graph.
  void keep_loaded() const;

 private:
  struct image;
  std::shared_ptr<image> image_;
};

/// "cubin", "PTX" or "ELF".
const char* to_string(object_code::format kind);

}  // namespace sinter::runtime
