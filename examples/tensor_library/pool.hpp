// The library's allocator: it retains what is freed, for the stream that it was freed on, and counts.
#pragma once

#include <sinter/runtime/memory_resource.hpp>
#include <sinter/runtime/stream.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace tensors {

struct pool_usage {
  std::size_t live_blocks = 0, live_bytes = 0;  ///< handed out
  std::size_t retained_bytes = 0;               ///< freed, and ready for the next allocation
};

/// An allocator of one device, on top of Sinter's own memory of it. Safe from any thread.
class pool {
 public:
  explicit pool(sinter::device where) : device_(where) {}
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;
  ~pool();

  void* allocate(std::size_t bytes, const sinter::stream& on);
  void deallocate(void* data, std::size_t bytes, const sinter::stream& on) noexcept;

  /// Gives back what is retained for a stream. Must be called before the stream is destroyed.
  void trim(const sinter::stream& on) noexcept;
  pool_usage usage() const;

 private:
  /// Blocks of one size, which work of one stream used last.
  using shelf = std::pair<void*, std::size_t>;

  void* take_retained(std::size_t size, const sinter::stream& on);

  sinter::device device_;
  sinter::memory_resource upstream_;  // empty: Sinter's own
  mutable std::mutex guard_;
  std::map<shelf, std::vector<void*>> retained_;
  pool_usage usage_;
};

}  // namespace tensors
