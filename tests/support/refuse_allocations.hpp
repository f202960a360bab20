#pragma once
// The tests' operator new refuses memory, and tells how much is in use. Its definition is in
// count_allocations.cpp.

#include <cstddef>
#include <cstdint>

/// Which calls of operator new throw std::bad_alloc: one, or that one and all after it.
enum class refusal : std::uint8_t { once, from_then_on };

/// Refuses memory to the constructing thread during its lifetime, from its `nth` call of operator new on,
/// which counts from 1.
class refused_allocations {
 public:
  refused_allocations(std::size_t nth, refusal how);
  refused_allocations(const refused_allocations&) = delete;
  refused_allocations& operator=(const refused_allocations&) = delete;
  ~refused_allocations();
  /// Whether a call was refused.
  bool happened() const;
};

/// Between the two nothing is refused to the thread, and what it allocates is not counted for the nth call:
/// around what stands for another library with memory of its own. They nest.
void begin_unrefused();
void end_unrefused();

/// Allocations of all threads that were not freed yet.
std::int64_t live_allocations();
