#pragma once
// A counted pointer to the record of an allocation, which views of owned memory carry.
//
// Threads: any thread may copy a handle; one object is changed by one thread at a time.
// Throws: nothing.

#include <sinter/codegen/base/export.hpp>

namespace sinter::inline v0::runtime {

/// What the library knows of one allocation on a GPU: the work of each stream that used it last. It outlives
/// the memory for as long as a view refers to it (sinter/runtime/order/allocation_record.hpp).
class allocation_record;

/// Keeps a record, not its memory. Null for memory of the CPU and for views made from raw pointers. Copies
/// are safe from any thread.
class SINTER_API record_handle {
 public:
  constexpr record_handle() = default;
  explicit record_handle(allocation_record* record) noexcept : record_(record) {
    if (record_ != nullptr) [[unlikely]]
      keep();
  }
  record_handle(const record_handle& other) noexcept : record_handle(other.record_) {}
  record_handle(record_handle&& other) noexcept : record_(other.record_) { other.record_ = nullptr; }
  record_handle& operator=(record_handle other) noexcept {
    allocation_record* const mine = record_;
    record_ = other.record_;
    other.record_ = mine;
    return *this;
  }
  ~record_handle() {
    if (record_ != nullptr) [[unlikely]]
      let_go();
  }

  allocation_record* get() const { return record_; }

 private:
  void keep() const noexcept;
  void let_go() noexcept;
  allocation_record* record_ = nullptr;
};

}  // namespace sinter::inline v0::runtime
