#pragma once
// The layers of the cache in their order: what is asked of each, and what each is given.

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

namespace sinter::runtime {

/// A kernel that is wanted.
struct kernel_request {
  std::string content;   ///< key_content() of it
  std::string name;      ///< for messages
  int cuda_version = 0;  ///< what the driver runs: 13000 is 13.0; 0 for the CPU
  /// Contents of kernels that can stand in for this one, the best first: a pack may have one of them. Asked
  /// for when nothing else has been found.
  std::function<std::vector<std::string>()> stand_ins = nullptr;
};

/// One set of layers. Safe from any thread; any number may exist beside each other, in one process or in
/// many.
class kernel_cache {
 public:
  struct layers {
    std::vector<std::shared_ptr<entry_store>> packs;
    std::shared_ptr<directory_store> own;  ///< nullptr: nothing is kept on disk
    std::shared_ptr<entry_store> shared;   ///< nullptr: none
    /// With another process that compiles the same kernel: without a sign that it goes on, and in all. Signs
    /// are given four times as often as this patience lasts, and every second at least.
    std::chrono::milliseconds patience{10'000}, longest_wait{300'000};
    std::chrono::milliseconds say_after{2'000};  ///< that this process waits
  };
  explicit kernel_cache(layers from) : layers_(std::move(from)) {}

  struct obtained {
    cache_entry entry;
    cache_layer found = cache_layer::compiled;
    std::string where;  ///< name of the layer, "" if it was compiled
  };
  /// Looks through the layers; where none has it, compiles, and keeps what was made. What fails but for
  /// `compile` itself is a miss, and a warning once.
  obtained find_or_compile(const kernel_request& wanted, const std::function<cache_entry()>& compile);
  /// Looks only. The event says why there is nothing.
  std::optional<obtained> find(const kernel_request& wanted, cache_event& event);

  /// Never again takes this kernel from a layer: what it gave could not be loaded. The next compile replaces
  /// it.
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

/// The cache of this process, made from the environment or from what set_cache() said.
std::shared_ptr<kernel_cache> process_cache();

/// Counts an event, keeps it among the recent ones, and tells the log hook.
void record(cache_event event);
/// Counts a store that was tried.
void record_stored(bool stored);
void record_waited();
/// A warning that is given once in this process, however often its `subject` fails.
void warn_once(const std::string& subject, const std::string& text);

}  // namespace sinter::runtime
