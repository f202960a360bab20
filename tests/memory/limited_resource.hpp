#pragma once
// A program's allocator that counts, and runs out when a test wants it to.

#include <sinter/runtime/error.hpp>
#include <sinter/runtime/memory_resource.hpp>
#include <sinter/runtime/stream.hpp>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace sinter::test {

/// Memory of the host, which the fake driver takes for a GPU's as well.
struct limited_resource {
  std::atomic<int> given{0}, live{0};
  int allowed = -1;  ///< allocations until it is empty; negative: it never is
  std::atomic<void*> latest_stream{nullptr};

  void* allocate(std::size_t bytes, const stream& on) {
    if (allowed == 0) throw out_of_memory("the test's memory has run out", bytes, 0);
    if (allowed > 0) --allowed;
    ++given;
    ++live;
    latest_stream = on.native();
    return std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  }
  void deallocate(void* data, std::size_t, const stream&) noexcept {
    --live;
    std::free(data);
  }
};

/// Sets a resource for a scope.
class resource_scope {
 public:
  resource_scope(device where, memory_resource resource)
      : where_(where), before_(current_memory_resource(where)) {
    set_memory_resource(where, std::move(resource));
  }
  resource_scope(const resource_scope&) = delete;
  resource_scope& operator=(const resource_scope&) = delete;
  ~resource_scope() { set_memory_resource(where_, before_); }

 private:
  device where_;
  memory_resource before_;
};

}  // namespace sinter::test
