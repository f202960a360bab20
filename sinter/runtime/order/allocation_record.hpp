#pragma once
// The record of one allocation on a GPU.

#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/order/use_record.hpp>
#include <sinter/runtime/record_handle.hpp>

#include <atomic>
#include <cstddef>

namespace sinter::inline v0::runtime {

/// What the last step of memory waits for.
enum class wait_reason : std::uint8_t {
  capture,      ///< a stream that uses it is being captured
  host_memory,  ///< there was none for the step
  graph,        ///< an owner is to be dropped that is gone; the object is on the heap
  work,         ///< another library's memory waits for an event
};

/// Memory in the list of what later calls give back (returned_memory.hpp).
struct waiting_owner {
  allocation_record* record = nullptr;
  waiting_owner* next = nullptr;
  wait_reason reason = wait_reason::capture;
  CUevent after = nullptr;  ///< of another library's memory
};

/// Memory from a resource, and where it was allocated.
struct allocated_memory {
  memory_resource resource;  ///< a built-in one may be called with a lock held: it calls the driver alone
  void* data = nullptr;
  std::size_t bytes = 0;
  stream made_on;
  foreign_memory taken{};  ///< in place of a resource: another library's memory
};

/// Memory with its uses. Two counts: the memory goes back when its last owner is gone (an array, or a CUDA
/// graph that was captured with it), the record when no view refers to it either.
class allocation_record {
 public:
  explicit allocation_record(allocated_memory owned);
  explicit allocation_record(const foreign_memory& taken);
  allocation_record(const allocation_record&) = delete;
  allocation_record& operator=(const allocation_record&) = delete;

  const allocated_memory& memory() const { return memory_; }
  /// The memory has gone back: views that still refer to the record do not keep the resource.
  void forget_resource() noexcept { memory_.resource = {}; }
  /// The point of `made_on` at which the memory was allocated.
  work_point made_at() const { return made_at_; }

  void add_owner() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  /// Gives the memory back with the last owner.
  void drop_owner() noexcept;
  void add_reference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop_reference() noexcept;
  /// For the last owner, if the memory cannot go back yet.
  waiting_owner& waiting() { return waiting_; }

  use_record uses;

 private:
  ~allocation_record() = default;

  allocated_memory memory_;
  work_point made_at_;
  std::atomic<int> owners_{1}, references_{1};  ///< all owners together hold one reference
  waiting_owner waiting_{this};
};

}  // namespace sinter::inline v0::runtime
