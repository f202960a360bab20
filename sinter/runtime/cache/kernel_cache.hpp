#pragma once
// The layers of the cache in order: how each is searched and filled.

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/cache/directory_store.hpp>
#include <sinter/runtime/cache/entry.hpp>
#include <sinter/runtime/posix/fork.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// A request for a kernel.
struct kernel_request {
  std::string content;   ///< key_content() of it
  std::string name;      ///< for messages
  int cuda_version = 0;  ///< the driver's CUDA version: 13000 is 13.0; 0 for the CPU
  /// Key contents of kernels that can replace this one, best first: a pack may have one of them. Called after
  /// every other lookup has failed.
  std::function<std::vector<std::string>()> stand_ins = nullptr;
};

/// One set of layers. Safe from any thread. Several may coexist, in one process or in many.
class kernel_cache {
 public:
  struct layers {
    std::vector<std::shared_ptr<entry_store>> packs;
    std::shared_ptr<directory_store> own;  ///< nullptr: nothing is stored on disk
    std::shared_ptr<entry_store> shared;   ///< nullptr: none
    /// Limits of waiting for another process that compiles the same kernel: time without a sign of progress,
    /// and total time. A compiling process signals four times per patience, and at least every second.
    std::chrono::milliseconds patience{10'000}, max_wait{300'000};
    std::chrono::milliseconds say_after{2'000};  ///< log a message after waiting this long
  };
  explicit kernel_cache(layers from) : layers_(std::move(from)) {}

  struct obtained {
    cache_entry entry;
    cache_layer found = cache_layer::compiled;
    std::string where;  ///< name of the layer, "" if it was compiled
  };
  /// Searches the layers; if none has the kernel, compiles and stores it. Only `compile` can throw; every
  /// other failure counts as a miss, with one warning.
  obtained find_or_compile(const kernel_request& wanted, const std::function<cache_entry()>& compile);
  /// Searches only. The event has the reason of a miss.
  std::optional<obtained> find(const kernel_request& wanted, cache_event& event);

  /// Never takes this kernel from a layer again, because its code could not be loaded. The next compile
  /// replaces it.
  void distrust(const std::string& content);

  const layers& current() const { return layers_; }

 private:
  struct miss {
    miss_reason reason = miss_reason::no_entry;
    std::string detail;
  };
  bool look_into(entry_store& layer, cache_layer which, const cache_key& key, const kernel_request& wanted,
                 std::optional<obtained>& found, miss& why);
  bool look_for_stand_in(const kernel_request& wanted, std::optional<obtained>& found);
  void explain_missing(const cache_key& key, const kernel_request& wanted, miss& why);
  void keep(entry_store& layer, const cache_key& key, const std::string& bytes);
  bool is_distrusted(const cache_key& key);
  void say_waiting(const std::string& kernel) const;

  layers layers_;
  fork_mutex guard_;
  std::set<cache_key> distrusted_;
};

/// The cache of the environment that this thread is in; else that of the process, made from its environment
/// variables or from set_cache().
std::shared_ptr<kernel_cache> current_cache();
/// That of the process, whatever environment this thread is in.
std::shared_ptr<kernel_cache> process_cache();
/// How often that was made of other settings or packs, which thread_notices tells of.
std::uint64_t process_cache_changes();
/// A cache of these settings. Throws device_error if a key of packs is malformed.
std::shared_ptr<kernel_cache> make_cache(const cache_settings& settings);

/// Counts an event, stores it among the recent ones, and reports it to the log hook.
void record(cache_event event);
/// Counts an attempt to store an entry.
void record_stored(bool stored);
void record_waited();
/// Warns once per process and `subject`, however often it fails.
void warn_once(const std::string& subject, const std::string& text);

}  // namespace sinter::inline v0::runtime
