#include "pool.hpp"

#include <sinter/runtime/error.hpp>

#include <new>
#include <utility>

namespace tensors {
namespace {
/// Sizes are rounded up, so that blocks serve again for tensors of about the same size.
std::size_t rounded(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }
}  // namespace

// Work on the stream that freed a block may still use it. The stream's next work comes after that, so a block
// is handed out at once on the same stream, and on no other. No lock is held while Sinter is called: it may
// give memory back to this pool meanwhile.
void* pool::allocate(std::size_t bytes, const sinter::stream& on) {
  const std::size_t size = rounded(bytes);
  void* data = take_retained(size, on);
  if (data == nullptr) data = upstream_.allocate(size, on);
  const std::lock_guard lock(guard_);
  ++usage_.live_blocks;
  usage_.live_bytes += size;
  return data;
}

void pool::deallocate(void* data, std::size_t bytes, const sinter::stream& on) noexcept {
  const std::size_t size = rounded(bytes);
  {
    const std::lock_guard lock(guard_);
    --usage_.live_blocks;
    usage_.live_bytes -= size;
    try {
      retained_[{on.native(), size}].push_back(data);
      usage_.retained_bytes += size;
      return;
    } catch (const std::bad_alloc&) {  // there is no memory to remember the block
    }
  }
  upstream_.deallocate(data, size, on);
}

void* pool::take_retained(std::size_t size, const sinter::stream& on) {
  const std::lock_guard lock(guard_);
  const auto found = retained_.find({on.native(), size});
  if (found == retained_.end() || found->second.empty()) return nullptr;
  void* const data = found->second.back();
  found->second.pop_back();
  usage_.retained_bytes -= size;
  return data;
}

void pool::trim(const sinter::stream& on) noexcept {
  for (;;) {
    std::vector<void*> blocks;
    std::size_t size = 0;
    {
      const std::lock_guard lock(guard_);
      const auto found = retained_.lower_bound({on.native(), 0});
      if (found == retained_.end() || found->first.first != on.native()) return;
      size = found->first.second;
      blocks = std::move(found->second);
      usage_.retained_bytes -= size * blocks.size();
      retained_.erase(found);
    }
    for (void* data : blocks) upstream_.deallocate(data, size, on);
  }
}

pool_usage pool::usage() const {
  const std::lock_guard lock(guard_);
  return usage_;
}

pool::~pool() {
  // All streams but the default one were trimmed before they went, or nobody knows any more what their work
  // does.
  try {
    sinter::synchronize(device_);
  } catch (const sinter::error&) {  // of work that failed, which uses nothing any more
  }
  const sinter::stream last = sinter::stream::default_of(device_);
  for (const auto& [key, blocks] : retained_)
    for (void* data : blocks) upstream_.deallocate(data, key.second, last);
}

}  // namespace tensors
