#pragma once
// The memory of an array. If it is released while a function is being recorded, it lives until that
// function's launch.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/buffer.hpp>

#include <utility>

namespace sinter::inline v0::detail {

/// Frees the memory now, or after the launch of the function that this thread is recording.
SINTER_API void retire(buffer& storage) noexcept;

class storage {
 public:
  storage() = default;
  explicit storage(buffer memory) : memory_(std::move(memory)) {}
  storage(device where, std::size_t bytes) : memory_(where, bytes, stream::default_of(where)) {}
  storage(device where, std::size_t bytes, const memory_resource& from)
      : memory_(where, bytes, stream::default_of(where), from) {}
  storage(storage&& other) noexcept = default;
  storage& operator=(storage&& other) noexcept {
    if (this != &other) {
      retire(memory_);
      memory_ = std::move(other.memory_);
    }
    return *this;
  }
  ~storage() {
    if (memory_.data() != nullptr) retire(memory_);
  }

  void* data() const { return memory_.data(); }
  device where() const { return memory_.where(); }
  runtime::allocation_record* record() const { return memory_.record(); }
  buffer release() { return std::move(memory_); }

 private:
  buffer memory_;
};

}  // namespace sinter::inline v0::detail
