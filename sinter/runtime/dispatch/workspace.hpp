#pragma once
// The device memory that a call needs beside its results.

#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/dispatch/plan.hpp>

#include <cstddef>
#include <span>

namespace sinter::inline v0::runtime {

/// Workspace for the launches of one scope: the caller's if it is large enough, else allocated and freed in
/// stream order. While the stream is being captured, its graph keeps what is allocated.
class workspace_memory {
 public:
  workspace_memory(const call_request& request, const stream& on, std::size_t bytes,
                   std::span<std::byte> given) {
    if (bytes != 0) [[unlikely]]
      take(request, on, bytes, given);
  }

  /// Aligned to 256 bytes; nullptr if none is needed.
  std::byte* data() const { return data_; }

 private:
  void take(const call_request& request, const stream& on, std::size_t bytes, std::span<std::byte> given);

  std::byte* data_ = nullptr;
  buffer allocated_;
};

}  // namespace sinter::inline v0::runtime
