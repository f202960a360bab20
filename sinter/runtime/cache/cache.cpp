#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <sinter/runtime/base/environment_state.hpp>
#include <sinter/runtime/base/thread_notices.hpp>
#include <sinter/runtime/cache/found_packs.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/cache/redis_store.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/fork.hpp>

namespace sinter::inline v0 {
namespace runtime {
namespace {

constexpr std::size_t max_recent_events = 256;
constexpr std::uint64_t bytes_of_shared_directory = std::uint64_t{16} << 30;

/// What stands between the colons of a variable; of one that is set and has nothing there, all of it.
std::vector<std::string> environment_list(const char* name) {
  std::vector<std::string> parts;
  const std::string all = environment_value(name);
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find(':', begin), all.size());
    if (end > begin) parts.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts.empty() && !all.empty()) parts.push_back(all);
  return parts;
}

std::string default_directory() {
  if (std::string chosen = environment_value("SINTER_CACHE_DIR"); !chosen.empty()) return chosen;
  // the specification of XDG_CACHE_HOME says that relative paths are not to be used
  if (const std::string base = environment_value("XDG_CACHE_HOME"); !base.empty() && base.front() == '/')
    return base + "/sinter";
  if (const std::string home = environment_value("HOME"); !home.empty()) return home + "/.cache/sinter";
  return {};
}

std::shared_ptr<entry_store> open_shared(const std::string& where) {
  if (where.empty()) return nullptr;
  if (const std::optional<redis_address> server = parse_redis_address(where))
    return std::make_shared<redis_store>(*server);
  if (where.find("://") != std::string::npos) {
    warn_once(where, fmt::format("'{}' is no shared cache: say a directory, or "
                                 "redis://[[user]:password@]host[:port][/database]",
                                 where));
    return nullptr;
  }
  return std::make_shared<directory_store>(where, folder_access::shared, bytes_of_shared_directory);
}

kernel_cache::layers layers_of(const cache_settings& settings) {
  kernel_cache::layers made;
  made.packs = open_packs(settings);
  if (settings.on_disk && !settings.directory.empty())
    made.own = std::make_shared<directory_store>(settings.directory, folder_access::own, settings.bytes);
  if (settings.on_disk) made.shared = open_shared(settings.shared);
  made.patience = settings.patience;
  made.max_wait = settings.max_wait;
  return made;
}

/// What the cache is made of.
struct configuration {
  cache_settings settings;
  std::vector<std::shared_ptr<pack>> added_packs;  ///< by the program, whether they are used or not
  kernel_cache::layers layers;
};

struct shared_state {
  fork_mutex guard;
  std::shared_ptr<kernel_cache> cache;
  configuration made_of;
  std::atomic<std::uint64_t> changes{0};  ///< of `made_of`; with the lock
  cache_statistics statistics;
  std::deque<cache_event> events;
  std::set<std::string> warned;
};

// Never destroyed: kernels are compiled until the very end of a process.
shared_state& state() {
  static auto& made = *new shared_state;
  return made;
}

/// Makes the cache anew of what `edit` leaves. Packs are read and warnings are given without the lock, so
/// that neither hits nor a log hook that calls Sinter wait: if somebody else changed something meanwhile,
/// `edit` gets that and begins again.
void change(const std::function<void(configuration&)>& edit) {
  shared_state& now = state();
  for (;;) {
    configuration next;
    std::uint64_t seen = 0;
    {
      const std::lock_guard lock(now.guard);
      next = now.made_of;
      seen = now.changes;
    }
    edit(next);
    auto made = std::make_shared<kernel_cache>(next.layers);  // what was there before goes after the lock
    const std::lock_guard lock(now.guard);
    if (now.changes != seen) continue;
    ++now.changes;
    std::swap(now.made_of, next);
    std::swap(now.cache, made);
    thread_notices.fetch_add(1, std::memory_order_release);
    return;
  }
}

}  // namespace

std::shared_ptr<kernel_cache> process_cache() {
  shared_state& now = state();
  {
    const std::lock_guard lock(now.guard);
    if (now.cache != nullptr) return now.cache;
  }
  // what is said of the settings takes the lock; of two threads that come here one's layers are used
  const cache_settings settings = cache_settings_from_environment();
  configuration first{settings, {}, layers_of(settings)};
  auto made = std::make_shared<kernel_cache>(first.layers);
  const std::lock_guard lock(now.guard);
  if (now.cache == nullptr) {
    ++now.changes;
    now.made_of = std::move(first);
    now.cache = std::move(made);
  }
  return now.cache;
}

namespace {

/// Those of the added packs that keys which have become the trusted ones allow.
void use_added_packs(configuration& of) {
  const std::vector<pack_public_key> trusted = trusted_keys(of.settings);
  for (const std::shared_ptr<pack>& each : of.added_packs) {
    if (const std::string fault = each->trust(trusted); fault.empty())
      of.layers.packs.push_back(each);
    else
      warn_once(each->name(),
                fmt::format("{}, which was added, is not used any more: {}", each->name(), fault));
  }
}

/// Adds a pack that `open` opens with the keys that are trusted.
template <class Open>
void add_opened(const Open& open, const std::string& name) {
  process_cache();  // decides on the settings
  change([&](configuration& to) {
    std::string fault;
    std::shared_ptr<pack> made = open(trusted_keys(to.settings), fault);
    if (made == nullptr) throw device_error(fmt::format("pack '{}' cannot be used: {}", name, fault));
    warn_of_other_emitter(*made);
    to.layers.packs.push_back(made);
    to.added_packs.push_back(std::move(made));
  });
}

}  // namespace

std::uint64_t process_cache_changes() { return state().changes.load(std::memory_order_acquire); }

std::shared_ptr<kernel_cache> make_cache(const cache_settings& settings) {
  return std::make_shared<kernel_cache>(layers_of(settings));
}

std::shared_ptr<kernel_cache> current_cache() {
  const environment_state* const inside = current_environment();
  return inside != nullptr && inside->cache != nullptr ? inside->cache : process_cache();
}

void record(cache_event event) {
  report(
      log_level::information,
      event.found != cache_layer::compiled
          ? fmt::format("kernel '{}': found in {} ({:.2f} ms)", event.kernel, event.where, event.milliseconds)
          : fmt::format("kernel '{}': compiled, {}{}{} ({:.2f} ms)", event.kernel, to_string(event.reason),
                        event.detail.empty() ? "" : ": ", event.detail, event.milliseconds));
  shared_state& now = state();
  const std::lock_guard lock(now.guard);
  ++now.statistics.found[static_cast<std::size_t>(event.found)];
  if (event.found == cache_layer::compiled) ++now.statistics.missed[static_cast<std::size_t>(event.reason)];
  now.events.push_back(std::move(event));
  if (now.events.size() > max_recent_events) now.events.pop_front();
}

void record_stored(bool stored) {
  shared_state& now = state();
  const std::lock_guard lock(now.guard);
  ++(stored ? now.statistics.stored : now.statistics.not_stored);
}

void record_waited() {
  shared_state& now = state();
  const std::lock_guard lock(now.guard);
  ++now.statistics.waited;
}

void warn_once(const std::string& subject, const std::string& text) {
  shared_state& now = state();
  {
    const std::lock_guard lock(now.guard);
    if (!now.warned.insert(subject).second) return;
  }
  report(log_level::warning, text);
}

}  // namespace runtime

const char* to_string(cache_layer layer) {
  constexpr const char* names[cache_layers] = {"memory", "pack", "directory", "shared", "compiled"};
  return names[static_cast<std::size_t>(layer)];
}

const char* to_string(miss_reason reason) {
  constexpr const char* names[miss_reasons] = {"served",
                                               "no entry",
                                               "emitter version differs",
                                               "compiler options differ",
                                               "linked content differs",
                                               "entry damaged",
                                               "layer cannot be read",
                                               "compiler newer than the driver",
                                               "refused by the driver"};
  return names[static_cast<std::size_t>(reason)];
}

cache_settings cache_settings_from_environment() {
  cache_settings made;
  made.on_disk = runtime::environment_value("SINTER_CACHE") != "off";
  made.directory = runtime::default_directory();
  made.shared = runtime::environment_value("SINTER_SHARED_CACHE");
  made.packs = runtime::environment_list("SINTER_PACKS");
  made.pack_keys = runtime::environment_list("SINTER_PACK_KEY");
  if (const std::string bytes = runtime::environment_value("SINTER_CACHE_BYTES"); !bytes.empty()) {
    char* end = nullptr;
    const unsigned long long value = std::strtoull(bytes.c_str(), &end, 10);
    if (*end == '\0' && value > 0)
      made.bytes = value;
    else
      runtime::warn_once("SINTER_CACHE_BYTES",
                         fmt::format("SINTER_CACHE_BYTES is '{}', which is no number of bytes: {} are used",
                                     bytes, made.bytes));
  }
  return made;
}

void set_cache(const cache_settings& settings) {
  const runtime::kernel_cache::layers layers = runtime::layers_of(settings);
  runtime::change([&](runtime::configuration& to) {
    to.settings = settings;
    to.layers = layers;
    runtime::use_added_packs(to);
  });
}

void add_pack(const std::string& path) {
  runtime::add_opened([&](const std::vector<pack_public_key>& trusted,
                          std::string& fault) { return runtime::pack::open(path, trusted, fault); },
                      path);
}

void add_pack(std::span<const std::byte> bytes, const std::string& name) {
  runtime::add_opened(
      [&](const std::vector<pack_public_key>& trusted, std::string& fault) {
        return runtime::pack::open_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                         "pack " + name, trusted, fault);
      },
      name);
}

void set_shared_store(std::shared_ptr<runtime::entry_store> shared) {
  runtime::process_cache();  // decides on the settings
  runtime::change([&](runtime::configuration& to) { to.layers.shared = shared; });
}

cache_statistics cache_statistics_now() {
  runtime::shared_state& now = runtime::state();
  const std::lock_guard lock(now.guard);
  return now.statistics;
}

std::vector<cache_event> recent_cache_events() {
  runtime::shared_state& now = runtime::state();
  const std::lock_guard lock(now.guard);
  return {now.events.begin(), now.events.end()};
}

}  // namespace sinter::inline v0
