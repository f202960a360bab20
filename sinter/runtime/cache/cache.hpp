#pragma once
// Where compiled kernels are kept beyond this process, and what became of them: for programs.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinter {

namespace runtime {
class entry_store;
}

/// Where a kernel was found, in the order of looking.
enum class cache_layer : std::uint8_t { memory, pack, directory, shared, compiled };
inline constexpr std::size_t cache_layers = 5;

/// Why a layer did not serve.
enum class miss_reason : std::uint8_t {
  none,               ///< it did
  no_entry,           ///< nothing like it was ever kept there, or it was forgotten
  other_emitter,      ///< kept by another version of Sinter, whose text differs
  other_options,      ///< compiled with other options
  other_linked,       ///< linked with other content
  damaged,            ///< there, but not whole: it is compiled again and replaced
  unreadable,         ///< the layer itself failed
  newer_compiler,     ///< compiled by a CUDA toolkit that is newer than the driver
  refused_by_driver,  ///< the driver would not load it
};
inline constexpr std::size_t miss_reasons = 9;
/// "emitter version differs" and the like.
const char* to_string(miss_reason reason);
const char* to_string(cache_layer layer);

/// One kernel that was asked for and not in this process' memory.
struct cache_event {
  std::string kernel;
  std::string key;
  cache_layer found = cache_layer::compiled;
  std::string where;  ///< the name of the layer that had it, "" if it was compiled
  /// Why the nearest layer that could have had it did not.
  miss_reason reason = miss_reason::none;
  std::string detail;       ///< of the reason, for people
  double milliseconds = 0;  ///< until it was there
};

/// Counters since the process began.
struct cache_statistics {
  std::array<std::uint64_t, cache_layers> found{};   ///< by cache_layer
  std::array<std::uint64_t, miss_reasons> missed{};  ///< by miss_reason: of kernels that had to be compiled
  std::uint64_t stored = 0, not_stored = 0;          ///< entries that were written, or could not be
  std::uint64_t waited = 0;  ///< times that another process was compiling the very kernel
};
cache_statistics cache_statistics_now();
/// The latest events, oldest first; some hundreds are kept. Each also goes to the log hook as information.
std::vector<cache_event> recent_cache_events();

/// Where to keep kernels. What is not set here comes from the environment, which is read when the first
/// kernel is needed:
/// SINTER_CACHE=off keeps nothing on disk; SINTER_CACHE_DIR says where, else $XDG_CACHE_HOME/sinter, else
/// $HOME/.cache/sinter; SINTER_CACHE_BYTES bounds it; SINTER_SHARED_CACHE is what
/// machines share, a directory or redis://[[user]:password@]host[:port][/database]; SINTER_PACKS names packs
/// and SINTER_PACK_KEY the public keys whose packs are used, each a list with colons between. A program that
/// is set-user-id or has rights of another otherwise reads nothing from its environment, and so keeps nothing
/// on disk unless set_cache() says where.
struct cache_settings {
  bool on_disk = true;
  std::string directory;                         ///< "": there is no place for one
  std::uint64_t bytes = std::uint64_t{1} << 30;  ///< bound of the directory
  std::string shared;                            ///< "": none
  /// With another process that compiles the same kernel: for as long as it shows no sign that it goes on, and
  /// in all. After that this process compiles it, too.
  std::chrono::milliseconds patience{10'000}, longest_wait{300'000};
  /// Files with kernels that were compiled before, looked at first. Packs that came with the program need not
  /// be named.
  std::vector<std::string> packs;
  /// Public keys, 64 hexadecimal digits each: where there are any, only packs signed by one of them are used.
  /// Where one is malformed, set_cache() throws device_error, and with one of the environment every call that
  /// needs a kernel does.
  std::vector<std::string> pack_keys;
};
cache_settings cache_settings_from_environment();

/// Uses these settings from now on; kernels that were loaded stay. May be called at any time. Throws
/// device_error, and changes nothing, for a key that is malformed.
void set_cache(const cache_settings& settings);
/// Adds a layer of your own between the directory and compiling, in the place of the one that the settings
/// name; nullptr takes it away.
void set_shared_store(std::shared_ptr<runtime::entry_store> shared);

/// Looks into this pack, too, from now on, after those that the settings name. Throws device_error if it
/// cannot be used: it is damaged, or not signed by a key that the settings trust.
void add_pack(const std::string& path);
/// Likewise a pack in memory, which stays there; `name` is for messages.
void add_pack(std::span<const std::byte> bytes, const std::string& name);

}  // namespace sinter
