#pragma once
// Settings and statistics of the kernel cache beyond this process, for programs.
//
// Threads: any thread may call these at any time; a change is whole for others.
// Throws: device_error for a malformed key and a pack that cannot be used. What fails in a layer is no error:
// the log hook is told, and the kernel is compiled.
// After a failure: settings, packs and loaded kernels are as they were.

#include <sinter/codegen/base/export.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinter::inline v0 {

namespace runtime {
class entry_store;
}

/// The layer that had a kernel, in the order of lookup.
enum class cache_layer : std::uint8_t { memory, pack, directory, shared, compiled };
inline constexpr std::size_t cache_layers = 5;

/// Why a layer did not have a kernel.
enum class miss_reason : std::uint8_t {
  none,               ///< it had the kernel
  no_entry,           ///< it never had a similar kernel, or evicted it
  other_emitter,      ///< stored by another version of Sinter, whose text differs
  other_options,      ///< compiled with other options
  other_linked,       ///< linked with other content
  damaged,            ///< present but damaged: it is compiled again and replaced
  unreadable,         ///< the layer itself failed
  newer_compiler,     ///< compiled by a CUDA toolkit that is newer than the driver
  refused_by_driver,  ///< the driver rejected it
};
inline constexpr std::size_t miss_reasons = 9;
/// "emitter version differs" and the like.
SINTER_API const char* to_string(miss_reason reason);
SINTER_API const char* to_string(cache_layer layer);

/// One request for a kernel that was not in this process's memory.
struct cache_event {
  std::string kernel;
  std::string key;
  cache_layer found = cache_layer::compiled;
  std::string where;  ///< the layer that had it, "" if it was compiled
  /// Why the nearest layer that could have had it did not.
  miss_reason reason = miss_reason::none;
  std::string detail;       ///< of the reason, as readable text
  double milliseconds = 0;  ///< from the request until it was ready
};

/// Counters since the start of the process.
struct cache_statistics {
  std::array<std::uint64_t, cache_layers> found{};   ///< by cache_layer
  std::array<std::uint64_t, miss_reasons> missed{};  ///< by miss_reason: kernels that had to be compiled
  std::uint64_t stored = 0, not_stored = 0;          ///< entries written, and those that could not be
  std::uint64_t waited = 0;  ///< times that another process was compiling the same kernel
};
SINTER_API cache_statistics cache_statistics_now();
/// The latest events, oldest first; some hundreds are stored. Each also goes to the log hook as information.
SINTER_API std::vector<cache_event> recent_cache_events();

/// The layers of the cache. Values not set here come from the environment, which is read when the first
/// kernel is needed:
/// - SINTER_CACHE=off stores nothing on disk
/// - SINTER_CACHE_DIR is the directory, else $XDG_CACHE_HOME/sinter, else $HOME/.cache/sinter
/// - SINTER_CACHE_BYTES is its maximum size
/// - SINTER_SHARED_CACHE is shared by machines: a directory or
///   redis://[[user]:password@]host[:port][/database]
/// - SINTER_PACKS names packs, separated by colons
/// - SINTER_PACK_KEY has the public keys of trusted packs, separated by colons
///
/// A program that is set-user-id or has elevated privileges ignores its environment, and so stores nothing on
/// disk unless set_cache() names a directory.
struct cache_settings {
  bool on_disk = true;
  std::string directory;                         ///< "": no directory
  std::uint64_t bytes = std::uint64_t{1} << 30;  ///< maximum size of the directory
  std::string shared;                            ///< "": none
  /// Limits of waiting for another process that compiles the same kernel: time without a sign of progress,
  /// and total time. After that this process compiles it too.
  std::chrono::milliseconds patience{10'000}, max_wait{300'000};
  /// Files with precompiled kernels, searched first. Packs that ship with the program need not be named.
  std::vector<std::string> packs;
  /// Public keys, 64 hexadecimal digits each. If there are any, only packs signed by one of them are used.
  /// set_cache() throws device_error if one is malformed; if one from the environment is malformed, every
  /// call that needs a kernel throws it.
  std::vector<std::string> pack_keys;
};
SINTER_API cache_settings cache_settings_from_environment();

/// Uses these settings from now on; loaded kernels stay. May be called at any time. Throws device_error, and
/// changes nothing, if a key is malformed.
SINTER_API void set_cache(const cache_settings& settings);
/// Adds a custom layer between the directory and compiling, instead of the shared layer in the settings;
/// nullptr removes it.
SINTER_API void set_shared_store(std::shared_ptr<runtime::entry_store> shared);

/// Adds this pack after those in the settings. Tunings that it carries count for calls that have no plan yet.
/// Throws device_error if it cannot be used: it is damaged, or
/// not signed by a key that the settings trust.
SINTER_API void add_pack(const std::string& path);
/// Adds a pack in memory, which must stay valid; `name` is for messages.
SINTER_API void add_pack(std::span<const std::byte> bytes, const std::string& name);

}  // namespace sinter::inline v0
