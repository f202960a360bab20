#include <sinter/runtime/dispatch/stage_compiles.hpp>

#include <set>
#include <string_view>
#include <utility>

namespace sinter::inline v0::runtime {

stage_compiles::stage_compiles(std::span<const stage> stages, maker make, compile_pool& pool)
    : stages_(stages), make_(std::move(make)), pool_(pool) {}

stage_compiles::~stage_compiles() {
  for (const std::shared_ptr<task>& each : tasks_) {
    if (each == nullptr || each->job == nullptr) continue;
    if (each->claimed.exchange(true))
      pool_.wait(each->job);
    else
      pool_.cancel(each->job);
  }
}

void stage_compiles::share_from(std::size_t first) {
  if (!tasks_.empty()) return;
  tasks_.resize(stages_.size());
  std::set<std::string_view> known;
  if (first != 0) known.insert(stages_[first - 1].signature);  // the caller's own
  for (std::size_t i = first; i < stages_.size(); ++i) {
    const stage& lowered = stages_[i];
    if (!lowered.has_kernel() || !known.insert(lowered.signature).second) continue;
    const auto shared = std::make_shared<task>();
    tasks_[i] = shared;
    shared->job = pool_.submit([this, &lowered, mine = std::weak_ptr<task>(shared)] {
      // Whoever claims a stage first makes it. `this` exists as long as the claim is free or held here.
      const std::shared_ptr<task> held = mine.lock();
      if (held == nullptr || held->claimed.exchange(true)) return;
      try {
        held->made = make_(lowered);
      } catch (...) {
        held->failure = std::current_exception();
      }
    });
  }
}

kernel_handle stage_compiles::take(std::size_t stage) {
  if (stage >= tasks_.size() || tasks_[stage] == nullptr) return nullptr;
  const std::shared_ptr<task> asked = std::move(tasks_[stage]);
  if (!asked->claimed.exchange(true)) {
    pool_.cancel(asked->job);
    return nullptr;
  }
  pool_.wait(asked->job);
  if (asked->failure) std::rethrow_exception(asked->failure);
  return asked->made;
}

}  // namespace sinter::inline v0::runtime
