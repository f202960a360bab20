#include <sinter/runtime/tuned/tuned_calls.hpp>

#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/tuned/call_class.hpp>
#include <sinter/runtime/tuned/pack_tunings.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace sinter::inline v0::runtime {
namespace {

struct tuned_table {
  fork_mutex guard;
  std::map<tuned_key, std::shared_ptr<const tuned_call>> calls;
  std::atomic<bool> has_any{false};
};

// Never destroyed: calls may be lowered until the process ends.
tuned_table& table() {
  static auto& all = *new tuned_table;
  return all;
}

}  // namespace

std::shared_ptr<const tuned_call> find_tuned(const graph_hash& graph, device where,
                                             std::span<const array_layout> inputs,
                                             std::span<const array_layout> outputs) {
  tuned_table& all = table();
  const bool has_own = all.has_any.load(std::memory_order_acquire);
  const std::vector<std::shared_ptr<const pack_tunings>> packs = tunings_of_packs();
  if (!has_own && packs.empty()) return nullptr;
  const tuned_key key{name_of(graph), model_of(where), class_of_call(inputs, outputs)};
  if (has_own) {
    const std::lock_guard lock(all.guard);
    if (const auto found = all.calls.find(key); found != all.calls.end()) return found->second;
  }
  for (const std::shared_ptr<const pack_tunings>& each : packs)
    if (const auto found = each->find(key); found != each->end()) return found->second;
  return nullptr;
}

void set_tuned(std::span<const tuned_entry> entries) {
  tuned_table& all = table();
  const std::lock_guard lock(all.guard);
  for (const tuned_entry& each : entries) {
    if (each.tuned != nullptr)
      all.calls.insert_or_assign(each.key, each.tuned);
    else
      all.calls.erase(each.key);
  }
  all.has_any.store(!all.calls.empty(), std::memory_order_release);
}

void clear_tuned() {
  tuned_table& all = table();
  const std::lock_guard lock(all.guard);
  all.calls.clear();
  all.has_any.store(false, std::memory_order_release);
}

}  // namespace sinter::inline v0::runtime
