#include <sinter/runtime/tuned/pack_tunings.hpp>

#include <sinter/codegen/base/error.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/tuned/tuning_file.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

namespace sinter::inline v0::runtime {
namespace {

/// What was read of a pack, as long as the pack is open.
struct read_pack {
  std::weak_ptr<entry_store> from;
  std::shared_ptr<const pack_tunings> tunings;
};

struct read_packs {
  fork_mutex guard;
  std::vector<read_pack> all;
};

// Never destroyed: calls may be lowered until the process ends.
read_packs& known_packs() {
  static auto& all = *new read_packs;
  return all;
}

std::shared_ptr<const pack_tunings> read(entry_store& from) {
  auto made = std::make_shared<pack_tunings>();
  const store_answer answer = from.tunings();
  std::string fault = answer.fault;
  try {
    if (answer.found)
      for (const auto& [key, report] : best_records(read_tunings(answer.bytes, from.name())))
        made->emplace(key, entry_of(report, from.name()).tuned);
  } catch (const type_error& damaged) {
    fault = damaged.what();
  }
  if (!fault.empty())
    warn_once("tunings of " + from.name(), "what was tuned is not used: " + from.name() + ": " + fault);
  return made;
}

std::shared_ptr<const pack_tunings> tunings_of(const std::shared_ptr<entry_store>& from) {
  read_packs& known = known_packs();
  {
    const std::lock_guard lock(known.guard);
    std::erase_if(known.all, [](const read_pack& each) { return each.from.expired(); });
    const auto found =
        std::ranges::find_if(known.all, [&](const read_pack& each) { return each.from.lock() == from; });
    if (found != known.all.end()) return found->tunings;
  }
  std::shared_ptr<const pack_tunings> made = read(*from);
  const std::lock_guard lock(known.guard);
  known.all.push_back({from, made});
  return made;
}

}  // namespace

std::vector<std::shared_ptr<const pack_tunings>> tunings_of_packs() {
  std::vector<std::shared_ptr<const pack_tunings>> all;
  const std::shared_ptr<kernel_cache> cache = process_cache();  // another thread may set another one
  for (const std::shared_ptr<entry_store>& each : cache->current().packs)
    if (std::shared_ptr<const pack_tunings> tunings = tunings_of(each); !tunings->empty())
      all.push_back(std::move(tunings));
  return all;
}

}  // namespace sinter::inline v0::runtime
