#include "allocations.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local std::size_t count = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  ++count;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const made = alignment <= alignof(std::max_align_t) ? std::malloc(bytes != 0 ? bytes : 1)
                                                            : std::aligned_alloc(alignment, rounded);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
}  // namespace

// Replaced for the whole program; new[] and the nothrow forms come through these.
void* operator new(std::size_t bytes) { return counted(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace sinter_bench {
std::size_t allocation_count() { return count; }
}  // namespace sinter_bench
