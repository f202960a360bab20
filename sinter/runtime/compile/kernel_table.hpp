#pragma once
// Every kernel of the process, found by content: each kernel is compiled once, however many threads request
// it, and the number of kernels is bounded.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/object/object_code.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sinter::inline v0::runtime {

/// Code and its origin.
struct made_kernel {
  object_code code;
  cache_layer found = cache_layer::compiled;
  std::string key_content;  ///< the key content under which the layer stores it
  bool quick = false;       ///< compiled quickly, not optimised
};

/// A compiled kernel. Shared: plans of calls hold the kernels they launch, so that no kernel in use is
/// unloaded.
struct kernel {
  std::string key;  ///< everything that its text depends on
  object_code code;
  cache_layer found = cache_layer::compiled;
  std::string key_content;  ///< see made_kernel
  bool quick = false;       ///< see made_kernel
  /// The better attempt of the lowering pass; unknown until the first compile was examined.
  mutable std::atomic<std::int8_t> best_attempt{-1};
};
using kernel_handle = std::shared_ptr<const kernel>;

/// The kernel of this key, or nullptr. Takes a lock.
kernel_handle find_kernel(std::string_view key);

/// The kernel of this key; `make` finds or compiles it if there is none. Threads that request the same key
/// meanwhile wait and receive the same exception if `make` throws; the next request tries again.
kernel_handle find_or_make_kernel(std::string_view key, const std::function<made_kernel()>& make);

/// Removes a kernel, so that the next request makes it again. For code that could not be loaded.
void drop_kernel(const kernel_handle& known);

/// Counters since the start of the process.
struct kernel_statistics {
  std::size_t compiled = 0;  ///< kernels compiled because no layer of the cache had them
  std::size_t quick = 0;     ///< kernels compiled quickly, to be replaced later
  std::size_t hits = 0;      ///< requests that found the kernel in the table
  std::size_t dropped = 0;   ///< kernels evicted
  std::size_t kept = 0;      ///< kernels in the table now
};
kernel_statistics kernel_table_statistics();

/// Sets how many kernels the table holds (4,096 by default); the least recently requested are evicted first.
/// A request counts only if the thread does not know the kernel already.
void set_kernel_capacity(std::size_t kernels);

}  // namespace sinter::inline v0::runtime
