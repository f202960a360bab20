#include "count_allocations.hpp"
#include "refuse_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
thread_local bool counting = false;
thread_local std::size_t counted = 0;

thread_local constinit std::size_t until_refused = 0;  // calls, 0: nothing is refused
thread_local constinit refusal refused_how = refusal::once;
thread_local constinit bool has_refused = false;
thread_local constinit int unrefused = 0;

constinit std::atomic<std::int64_t> live{0};

bool is_refused() {
  if (until_refused == 0 || unrefused > 0) return false;
  if (until_refused > 1) {
    --until_refused;
    return false;
  }
  has_refused = true;
  if (refused_how == refusal::once) until_refused = 0;
  return true;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (counting) ++counted;
  if (is_refused()) throw std::bad_alloc();
  bytes = bytes == 0 ? 1 : bytes;
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(bytes)
                     : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  live.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr) live.fetch_sub(1, std::memory_order_relaxed);
  std::free(memory);
}
}  // namespace

allocation_counter::allocation_counter() {
  counted = 0;
  counting = true;
}
allocation_counter::~allocation_counter() { counting = false; }
std::size_t allocation_counter::count() const { return counted; }

refused_allocations::refused_allocations(std::size_t nth, refusal how) {
  has_refused = false;
  refused_how = how;
  until_refused = nth;
}
refused_allocations::~refused_allocations() { until_refused = 0; }
bool refused_allocations::happened() const { return has_refused; }

void begin_unrefused() { ++unrefused; }
void end_unrefused() { --unrefused; }

std::int64_t live_allocations() { return live.load(std::memory_order_relaxed); }

// Replaced for the whole program, so that what libraries allocate is seen too.
void* operator new(std::size_t bytes) { return allocate(bytes, 0); }
void* operator new[](std::size_t bytes) { return allocate(bytes, 0); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
