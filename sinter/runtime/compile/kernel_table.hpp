#pragma once
// Every kernel of the process, found by content: one compile per kernel however many threads ask, and a bound
// on how many stay.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/object/object_code.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sinter::runtime {

/// Code, and how it was come by.
struct made_kernel {
  object_code code;
  cache_layer found = cache_layer::compiled;
  std::string key_content;  ///< under which it is kept there
  bool quick = false;       ///< compiled to be there soon, not to be fast
};

/// A compiled kernel. Shared: plans of calls hold what they launch, so that nothing in use is unloaded.
struct kernel {
  std::string key;  ///< all that its text depends on
  object_code code;
  cache_layer found = cache_layer::compiled;
  std::string key_content;  ///< see made_kernel
  bool quick = false;       ///< see made_kernel
  /// Which attempt of the lowering pass serves best: unknown until the first compile was looked at.
  mutable std::atomic<std::int8_t> best_attempt{-1};
};
using kernel_handle = std::shared_ptr<const kernel>;

/// The kernel of this key, or nullptr. Takes a lock.
kernel_handle find_kernel(std::string_view key);

/// The kernel of this key; `make` finds or compiles it where there is none. Threads that ask for the same key
/// meanwhile wait, and get what it throws; the next to ask tries again.
kernel_handle find_or_make_kernel(std::string_view key, const std::function<made_kernel()>& make);

/// Forgets a kernel: the next to ask makes it anew. For code that could not be loaded.
void drop_kernel(const kernel_handle& known);

/// Counters since the process began.
struct kernel_statistics {
  std::size_t compiled = 0;  ///< kernels that were compiled, not found in another layer of the cache
  std::size_t quick = 0;     ///< kernels that were compiled quickly, to be replaced
  std::size_t hits = 0;      ///< kernels that a thread asked for and that were here
  std::size_t dropped = 0;   ///< kernels that made room for others
  std::size_t kept = 0;      ///< kernels in the table now
};
kernel_statistics kernel_table_statistics();

/// How many kernels the table keeps (4,096 unless set): the ones asked for least recently go first. Asking
/// counts when a thread does not know the kernel already.
void set_kernel_capacity(std::size_t kernels);

}  // namespace sinter::runtime
