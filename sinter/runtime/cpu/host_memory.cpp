#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/runtime/base/memory_counters.hpp>
#include <sinter/runtime/cpu/host_memory.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/posix/host.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t large_bytes = huge_page_bytes;
#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps_blocks = false;  // lets the sanitizer detect every use after a free
#else
constexpr bool keeps_blocks = true;
#endif

// Size classes: four steps per doubling (256, 320, 384, 448, 512, 640 …). Rounding up costs addresses, and
// pages only where they are touched.
struct size_class {
  std::size_t index;
  std::size_t bytes;
};

size_class class_of(std::size_t bytes) {
  if (bytes <= alignment) return {0, alignment};
  const auto shift =
      static_cast<unsigned>(std::bit_width(bytes - 1)) - 3;  // bytes in (4, 8] steps of 2^shift
  const std::size_t steps = ((bytes - 1) >> shift) + 1;
  const std::size_t rounded = steps << shift;
  return {4 * (shift - 6) + steps - 4, rounded};
}

/// In the child of a fork, where no other thread runs: whether a thread of the parent held the lock.
bool is_abandoned(std::mutex& guard) {
  if (!guard.try_lock()) return true;
  guard.unlock();
  return false;
}

// Blocks below 2 MiB: a stack per size.
class small_blocks {
 public:
  void* take(std::size_t index, std::size_t requested) {
    stack& from = stacks_[index];
    const std::lock_guard lock(from.guard);
    from.counted.add(requested);
    return from.count > 0 ? from.blocks[--from.count] : nullptr;
  }
  bool keep(std::size_t index, void* data, std::size_t bytes, std::size_t requested) {
    stack& to = stacks_[index];
    const std::lock_guard lock(to.guard);
    to.counted.subtract(requested);
    if (!keeps_blocks ||
        to.count >= std::min(to.blocks.size(), std::max<std::size_t>(2, large_bytes / bytes)))
      return false;
    to.blocks[to.count++] = data;
    to.bytes = bytes;
    return true;
  }
  /// There was no memory for what take() did not have.
  void cancel(std::size_t index, std::size_t requested) {
    const std::lock_guard lock(stacks_[index].guard);
    stacks_[index].counted.cancel(requested);
  }
  host_count counted() {
    host_count sum;
    for (stack& each : stacks_) {
      const std::lock_guard lock(each.guard);
      sum.in_use += each.counted.in_use();
      sum.allocations += each.counted.allocations();
    }
    return sum;
  }
  std::size_t kept() {
    std::size_t sum = 0;
    for (stack& each : stacks_) {
      const std::lock_guard lock(each.guard);
      sum += each.count * each.bytes;
    }
    return sum;
  }
  std::size_t trim() {
    std::size_t freed = 0;
    for (stack& each : stacks_) {
      const std::lock_guard lock(each.guard);
      freed += each.count * each.bytes;
      while (each.count > 0) std::free(each.blocks[--each.count]);
    }
    return freed;
  }
  /// In the child of a fork. A stack that another thread was changing is abandoned with its few blocks:
  /// holding all locks at every fork would cost more.
  void after_fork() {
    for (stack& each : stacks_) {
      if (!is_abandoned(each.guard)) continue;
      new (&each.guard) std::mutex;
      each.count = 0;
    }
  }

 private:
  struct stack {
    std::mutex guard;
    std::size_t count = 0, bytes = 0;
    local_count counted;
    std::array<void*, 64> blocks;
  };
  std::array<stack, 64> stacks_;
};

// Blocks from 2 MiB on: few, so they are in a list that is searched. If there are too many, the one unused
// for longest goes.
class large_blocks {
 public:
  void* take(std::size_t bytes) {
    const std::lock_guard lock(guard_);
    // The most recently freed block that fits: it is the likeliest to be in the processor's cache.
    for (std::size_t i = count_; i-- > 0;)
      if (blocks_[i].bytes == bytes) return remove(i);
    return nullptr;
  }
  void keep(void* data, std::size_t bytes) {
    std::unique_lock lock(guard_);
    if (bytes > limit_) {
      lock.unlock();
      unmap_pages(data, bytes);
      return;
    }
    while (count_ == blocks_.size() || kept_ + bytes > limit_) {
      const std::size_t oldest = blocks_[0].bytes;
      unmap_pages(remove(0), oldest);
    }
    blocks_[count_++] = {data, bytes};
    kept_ += bytes;
  }
  std::size_t kept() {
    const std::lock_guard lock(guard_);
    return kept_;
  }
  std::size_t trim() {
    const std::lock_guard lock(guard_);
    const std::size_t freed = kept_;
    while (count_ > 0) {
      const std::size_t bytes = blocks_[count_ - 1].bytes;
      unmap_pages(remove(count_ - 1), bytes);
    }
    return freed;
  }
  void after_fork() {
    if (!is_abandoned(guard_)) return;
    new (&guard_) std::mutex;
    count_ = kept_ = 0;
  }

 private:
  struct block {
    void* data;
    std::size_t bytes;
  };
  void* remove(std::size_t index) {
    const block removed = blocks_[index];
    std::copy(blocks_.begin() + static_cast<std::ptrdiff_t>(index) + 1,
              blocks_.begin() + static_cast<std::ptrdiff_t>(count_),
              blocks_.begin() + static_cast<std::ptrdiff_t>(index));
    --count_;
    kept_ -= removed.bytes;
    return removed.data;
  }

  std::mutex guard_;
  std::size_t count_ = 0, kept_ = 0;
  std::size_t limit_ = physical_memory_bytes() / 8;
  std::array<block, 64> blocks_;
};

struct kept_blocks {
  small_blocks small;
  large_blocks large;
};

// Never destroyed: buffers may be freed while the process ends.
kept_blocks& kept() {
  static kept_blocks& blocks = []() -> kept_blocks& {
    auto* const made = new kept_blocks;
    hold_at_fork({.before = nullptr,
                  .after =
                      [](bool in_child) {
                        if (!in_child) return;
                        kept().small.after_fork();
                        kept().large.after_fork();
                      }},
                 fork_order::host_memory);
    return *made;
  }();
  return blocks;
}
small_blocks& small() { return kept().small; }
large_blocks& large() { return kept().large; }

void* fresh(const size_class& wanted) {
  return wanted.bytes >= large_bytes ? map_pages(wanted.bytes)
                                     : std::aligned_alloc(alignment, round_up(wanted.bytes, alignment));
}

}  // namespace

void* host_allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const bool possible = bytes <= SIZE_MAX / 4;
  const size_class wanted = possible ? class_of(bytes) : size_class{};
  void* data = nullptr;
  if (possible) {
    data = wanted.bytes >= large_bytes ? large().take(wanted.bytes) : small().take(wanted.index, bytes);
    if (data == nullptr) data = fresh(wanted);
    if (data == nullptr) {
      host_trim();
      data = fresh(wanted);
    }
    if (wanted.bytes >= large_bytes) {
      if (data != nullptr) count_allocation(device::cpu(), bytes);
    } else if (data == nullptr) {
      small().cancel(wanted.index, bytes);
    }
  }
  if (data != nullptr) return data;
  const auto available = static_cast<std::size_t>(available_memory_bytes());
  throw out_of_memory(
      fmt::format("allocating {} bytes of host memory failed: {} bytes are available; free arrays, "
                  "write into arrays that exist with .into(), or split the work",
                  bytes, available),
      bytes, available);
}

void host_free(void* data, std::size_t bytes) noexcept {
  if (data == nullptr) return;
  const size_class given = class_of(bytes);
  if (given.bytes >= large_bytes) {
    count_return(device::cpu(), bytes);
    if (keeps_blocks)
      large().keep(data, given.bytes);
    else
      unmap_pages(data, given.bytes);
  } else if (!small().keep(given.index, data, given.bytes, bytes)) {
    std::free(data);
  }
}

host_count host_counted() noexcept { return small().counted(); }

std::size_t host_kept_bytes() noexcept { return small().kept() + large().kept(); }

std::size_t host_trim() noexcept { return small().trim() + large().trim(); }

}  // namespace sinter::inline v0::runtime
