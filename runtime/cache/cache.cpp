#include <fmt/format.h>

#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/cache/redis_store.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/log.hpp>

namespace sinter {
namespace runtime {
namespace {

constexpr std::size_t most_recent_events = 256;
constexpr std::uint64_t bytes_of_shared_directory = std::uint64_t{16} << 30;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string default_directory() {
  if (std::string chosen = environment("SINTER_CACHE_DIR"); !chosen.empty()) return chosen;
  // the specification of XDG_CACHE_HOME says that relative paths are not to be used
  if (const std::string base = environment("XDG_CACHE_HOME"); !base.empty() && base.front() == '/')
    return base + "/sinter";
  if (const std::string home = environment("HOME"); !home.empty()) return home + "/.cache/sinter";
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
  if (settings.on_disk && !settings.directory.empty())
    made.own = std::make_shared<directory_store>(settings.directory, folder_access::own, settings.bytes);
  if (settings.on_disk) made.shared = open_shared(settings.shared);
  made.patience = settings.patience;
  return made;
}

struct shared_state {
  std::mutex guard;
  std::shared_ptr<kernel_cache> cache;
  cache_statistics statistics;
  std::deque<cache_event> events;
  std::set<std::string> warned;
};

// Never destroyed: kernels are compiled until the very end of a process.
shared_state& state() {
  static auto& made = *new shared_state;
  return made;
}

}  // namespace

std::shared_ptr<kernel_cache> process_cache() {
  shared_state& now = state();
  const std::lock_guard lock(now.guard);
  if (now.cache == nullptr)
    now.cache = std::make_shared<kernel_cache>(layers_of(cache_settings_from_environment()));
  return now.cache;
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
  if (now.events.size() > most_recent_events) now.events.pop_front();
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
  made.on_disk = runtime::environment("SINTER_CACHE") != "off";
  made.directory = runtime::default_directory();
  made.shared = runtime::environment("SINTER_SHARED_CACHE");
  if (const std::string bytes = runtime::environment("SINTER_CACHE_BYTES"); !bytes.empty()) {
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
  auto made = std::make_shared<runtime::kernel_cache>(runtime::layers_of(settings));
  runtime::shared_state& now = runtime::state();
  const std::lock_guard lock(now.guard);
  now.cache = std::move(made);
}

void set_shared_store(std::shared_ptr<runtime::entry_store> shared) {
  runtime::kernel_cache::layers with = runtime::process_cache()->current();
  with.shared = std::move(shared);
  auto made = std::make_shared<runtime::kernel_cache>(std::move(with));
  runtime::shared_state& now = runtime::state();
  const std::lock_guard lock(now.guard);
  now.cache = std::move(made);
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

}  // namespace sinter
