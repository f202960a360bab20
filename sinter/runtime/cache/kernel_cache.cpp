#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include <sinter/runtime/background/compile_watch.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/log.hpp>

namespace sinter::inline v0::runtime {

using namespace std::chrono_literals;

namespace {

/// 90 for a kernel of compute capability 9.0; 0 for the CPU.
int architecture_of(const std::string& content) {
  const std::optional<key_parts> parts = parts_of(content);
  constexpr std::string_view cuda = "cuda ";
  if (!parts || !parts->target.starts_with(cuda)) return 0;
  int number = 0;
  for (const char digit : parts->target.substr(cuda.size())) number = number * 10 + (digit - '0');
  return number;
}

/// Whether an image that was compiled for one architecture runs on another.
bool runs_on(const code_image& image, int architecture) {
  if (architecture == 0 || image.format == code_format::fatbin) return true;
  if (image.architecture > architecture) return false;
  return image.format == code_format::ptx ||
         (image.format == code_format::cubin && image.architecture / 10 == architecture / 10);
}

}  // namespace

bool kernel_cache::is_distrusted(const cache_key& key) {
  const std::lock_guard lock(guard_);
  return distrusted_.contains(key);
}

void kernel_cache::distrust(const std::string& content) {
  const std::lock_guard lock(guard_);
  distrusted_.insert(key_of(content));
}

bool kernel_cache::look_into(entry_store& layer, cache_layer which, const cache_key& key,
                             const kernel_request& wanted, std::optional<obtained>& found, miss& why) {
  store_answer answer = layer.get(key);
  if (!answer.fault.empty()) {
    why = {miss_reason::unreadable, answer.fault};
    warn_once(layer.name(),
              fmt::format("{} cannot be read, kernels are compiled instead: {}", layer.name(), answer.fault));
  }
  if (!answer.found) return false;
  obtained made;
  if (const entry_fault fault = decode(answer.bytes, wanted.content, made.entry);
      fault != entry_fault::none) {
    why = {miss_reason::damaged,
           fmt::format("{} of {} in {}: {}", to_string(key), wanted.name, layer.name(), describe(fault))};
    warn_once(layer.name() + " damaged",
              fmt::format("an entry of a cache cannot be used, its kernel is compiled "
                          "again: {}",
                          why.detail));
    return false;
  }
  if (made.entry.cuda_version / 1000 > wanted.cuda_version / 1000) {
    why = {miss_reason::newer_compiler,
           fmt::format("compiled by {}, which driver {}.{} does not read", made.entry.compiler,
                       wanted.cuda_version / 1000, wanted.cuda_version % 1000 / 10)};
    return false;
  }
  made.found = which;
  made.where = layer.name();
  found = std::move(made);
  return true;
}

bool kernel_cache::look_for_stand_in(const kernel_request& wanted, std::optional<obtained>& found) {
  if (layers_.packs.empty() || wanted.stand_ins == nullptr) return false;
  const int architecture = architecture_of(wanted.content);
  miss ignored;
  for (std::string& content : wanted.stand_ins()) {
    const kernel_request other{std::move(content), wanted.name, wanted.cuda_version};
    const cache_key key = key_of(other.content);
    for (const std::shared_ptr<entry_store>& pack : layers_.packs) {
      if (!look_into(*pack, cache_layer::pack, key, other, found, ignored)) continue;
      const std::vector<code_image>& images = found->entry.images;
      if (std::any_of(images.begin(), images.end(),
                      [&](const code_image& image) { return runs_on(image, architecture); }))
        return true;
      found.reset();
    }
  }
  return false;
}

// Looking for entries near the missing one is worth its time only here, before a compile.
void kernel_cache::explain_missing(const cache_key& key, const kernel_request& wanted, miss& why) {
  if (why.reason != miss_reason::no_entry || layers_.own == nullptr) return;
  const std::optional<key_parts> own = parts_of(wanted.content);
  for (const cache_key& relative : layers_.own->relatives(key)) {
    cache_entry other;
    const store_answer answer = layers_.own->get(relative);
    if (!own || !answer.found || decode(answer.bytes, "", other) != entry_fault::none) continue;
    const std::optional<key_parts> theirs = parts_of(other.key_content);
    if (!theirs) continue;
    if (emitter_of(*theirs) != emitter_of(*own))
      why = {miss_reason::other_emitter, fmt::format("emitter version differs: {}, this one is {}",
                                                     emitter_of(*theirs), emitter_of(*own))};
    else if (theirs->options != own->options)
      why = {miss_reason::other_options,
             fmt::format("options differ: {}, these are {}", theirs->options, own->options)};
    else if (theirs->linked != own->linked)
      why = {miss_reason::other_linked, "it was linked with other content"};
  }
}

std::optional<kernel_cache::obtained> kernel_cache::find(const kernel_request& wanted, cache_event& event) {
  const cache_key key = key_of(wanted.content);
  event.kernel = wanted.name;
  event.key = to_string(key);
  std::optional<obtained> found;
  miss why;
  const auto look = [&](entry_store* layer, cache_layer which) {
    return layer != nullptr && look_into(*layer, which, key, wanted, found, why);
  };
  if (is_distrusted(key)) {
    why = {miss_reason::refused_by_driver, "what was kept could not be loaded"};
  } else {
    for (const std::shared_ptr<entry_store>& pack : layers_.packs)
      if (look(pack.get(), cache_layer::pack)) break;
    if (!found && !look(layers_.own.get(), cache_layer::directory) &&
        look(layers_.shared.get(), cache_layer::shared) && layers_.own != nullptr)
      keep(*layers_.own, key, encode(found->entry));
    if (!found && !look_for_stand_in(wanted, found)) explain_missing(key, wanted, why);
  }
  event.found = found ? found->found : cache_layer::compiled;
  event.where = found ? found->where : "";
  event.reason = found ? miss_reason::none : why.reason;
  event.detail = why.detail;
  return found;
}

void kernel_cache::say_waiting(const std::string& kernel) const {
  const auto seconds = [](std::chrono::milliseconds time) {
    return std::chrono::duration<double>(time).count();
  };
  report(log_level::information,
         fmt::format(
             "kernel '{}' is being compiled by another process, for which this one has waited {:.1f} s so "
             "far; it compiles the kernel itself once that shows no sign of going on for {:.1f} s, and "
             "after {:.1f} s in all",
             kernel, seconds(layers_.say_after), seconds(layers_.patience), seconds(layers_.max_wait)));
}

void kernel_cache::keep(entry_store& layer, const cache_key& key, const std::string& bytes) {
  const store_answer answer = layer.put(key, bytes);
  record_stored(answer.stored);
  if (!answer.stored)
    warn_once(layer.name() + " put",
              fmt::format("{} does not take entries, kernels are compiled again by the next process: {}",
                          layer.name(), answer.fault));
}

namespace {

/// Signals to waiting processes that a compile makes progress, as long as this process uses its processors: a
/// compile that hangs, in an otherwise idle process, sends no signal.
std::function<void()> sign_of_life(std::shared_ptr<const byte_lock> held) {
  constexpr std::clock_t least = CLOCKS_PER_SEC / 1000;
  return [held = std::move(held), used = std::clock()]() mutable {
    const std::clock_t now = std::clock();
    if (now - used < least) return;
    used = now;
    held->show_life();
  };
}

}  // namespace

kernel_cache::obtained kernel_cache::find_or_compile(const kernel_request& wanted,
                                                     const std::function<cache_entry()>& compile) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  cache_event event;
  const auto done = [&](obtained made) {
    event.milliseconds = std::chrono::duration<double, std::milli>(clock::now() - begin).count();
    record(event);
    return made;
  };
  if (std::optional<obtained> found = find(wanted, event)) return done(std::move(*found));

  const cache_key key = key_of(wanted.content);
  const auto lock = std::make_shared<byte_lock>();
  if (layers_.own != nullptr && event.reason != miss_reason::refused_by_driver) {
    // One process compiles. If locks do not work, or another process takes too long, this one compiles too.
    const file_answer free = layers_.own->lock(key, {}, *lock);
    if (!free && free.error == EWOULDBLOCK) {
      record_waited();
      lock_wait wait{layers_.patience, layers_.max_wait, layers_.say_after};
      wait.say = [&] { say_waiting(wanted.name); };
      layers_.own->lock(key, wait, *lock);
    }
    miss why;
    std::optional<obtained> found;
    if (look_into(*layers_.own, cache_layer::directory, key, wanted, found, why)) {
      event.found = cache_layer::directory;
      event.where = found->where;
      event.reason = miss_reason::none;
      event.detail = "another process made it meanwhile";
      return done(std::move(*found));
    }
  }
  std::optional<compile_watcher::repeated> signs;
  if (*lock)
    signs.emplace(process_compile_watcher(), std::clamp(layers_.patience / 4, 1ms, 1'000ms),
                  sign_of_life(lock));
  obtained made{compile(), cache_layer::compiled, ""};
  signs.reset();
  made.entry.key_content = wanted.content;
  if (layers_.own != nullptr || layers_.shared != nullptr) {
    const std::string bytes = encode(made.entry);
    if (layers_.own != nullptr) keep(*layers_.own, key, bytes);
    if (layers_.shared != nullptr) keep(*layers_.shared, key, bytes);
  }
  return done(std::move(made));
}

}  // namespace sinter::inline v0::runtime
