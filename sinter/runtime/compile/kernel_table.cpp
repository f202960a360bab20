#include <algorithm>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sinter/runtime/base/checksum.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/posix/fork.hpp>

namespace sinter::inline v0::runtime {
namespace {

struct table_entry;
using table_ages = std::list<std::shared_ptr<table_entry>>;

struct table_entry {
  kernel_handle ready;  // nullptr while a thread compiles it
  std::exception_ptr failure;
  bool done = false;
  std::string key;
  table_ages::iterator age;  // of ready entries: the position in the order of use
};

// Keys have some hundred bytes: the standard hash would take longer than the rest of a hit.
struct key_hash {
  std::size_t operator()(std::string_view key) const { return short_hash_of_content(key); }
};

class kernel_table {
 public:
  kernel_handle find(std::string_view key) {
    const std::lock_guard lock(guard_);
    const auto at = entries_.find(key);
    if (at == entries_.end() || !at->second->ready) return nullptr;
    ++counters_.hits;
    return touch(*at->second);
  }

  void drop(const kernel_handle& known) {
    const std::lock_guard lock(guard_);
    const auto at = entries_.find(known->key);
    if (at == entries_.end() || at->second->ready != known) return;
    const std::shared_ptr<table_entry> kept = at->second;  // the map's keys are the entries' own
    ages_.erase(kept->age);
    entries_.erase(at);
  }

  kernel_handle find_or_make(std::string_view key, const std::function<made_kernel()>& make) {
    // A log hook that needs this kernel, or a kernel of another thread whose hook needs this one, would
    // deadlock.
    const deferred_reports until_others_have_it;
    std::unique_lock lock(guard_);
    if (const auto at = entries_.find(key); at != entries_.end()) {
      const std::shared_ptr<table_entry> entry = at->second;
      changed_->wait(lock, [&] { return entry->done; });
      if (entry->failure) std::rethrow_exception(entry->failure);
      return entry->ready;
    }
    const auto entry = std::make_shared<table_entry>();
    entry->key = key;
    entries_.emplace(entry->key, entry);
    lock.unlock();
    std::shared_ptr<kernel> made;
    std::exception_ptr failure;
    table_ages newest;  // allocated here: what is done with the entry afterwards cannot fail
    try {
      newest.push_back(entry);
      made = std::make_shared<kernel>();
      made->key = key;
      made_kernel got = make();
      made->code = std::move(got.code);
      made->found = got.found;
      made->key_content = std::move(got.key_content);
      made->quick = got.quick;
    } catch (...) {
      failure = std::current_exception();
    }
    table_ages dropped;  // unloaded after the lock is released
    lock.lock();
    entry->done = true;
    entry->failure = failure;
    if (failure || made->found == cache_layer::compiled)
      ++(!failure && made->quick ? counters_.quick : counters_.compiled);
    if (failure) {
      // in the child of a fork during `make` the entry is gone
      if (const auto at = entries_.find(key); at != entries_.end() && at->second == entry) entries_.erase(at);
    } else if (const auto at = entries_.find(key); at != entries_.end() && at->second == entry) {
      entry->ready = made;
      entry->age = newest.begin();
      ages_.splice(ages_.end(), newest);
      make_room(dropped);
    }
    lock.unlock();
    changed_->notify_all();
    if (failure) std::rethrow_exception(failure);
    return made;
  }

  // Around fork(): in the child no thread remains to finish a compile or to wake up.
  void before_fork() { guard_.lock(); }
  void after_fork(bool in_child) {
    if (in_child) {
      std::erase_if(entries_, [](const auto& each) { return !each.second->done; });
      abandoned_.push_back(std::exchange(changed_, std::make_unique<std::condition_variable>()));
    }
    guard_.unlock();
  }

  kernel_statistics statistics() {
    const std::lock_guard lock(guard_);
    kernel_statistics now = counters_;
    now.kept = ages_.size();
    return now;
  }

  void set_capacity(std::size_t kernels) {
    table_ages dropped;
    const std::lock_guard lock(guard_);
    capacity_ = std::max<std::size_t>(1, kernels);
    make_room(dropped);
  }

 private:
  kernel_handle touch(table_entry& entry) {
    if (entry.ready) ages_.splice(ages_.end(), ages_, entry.age);
    return entry.ready;
  }

  // Allocates nothing: it cannot fail halfway.
  void make_room(table_ages& dropped) {
    while (ages_.size() > capacity_) {
      entries_.erase(entries_.find(ages_.front()->key));
      dropped.splice(dropped.end(), ages_, ages_.begin());
      ++counters_.dropped;
    }
  }

  std::mutex guard_;
  std::unique_ptr<std::condition_variable> changed_ = std::make_unique<std::condition_variable>();
  // Threads of the parent process may wait on these, so the child can neither use nor destroy them.
  std::vector<std::unique_ptr<std::condition_variable>> abandoned_;
  std::unordered_map<std::string_view, std::shared_ptr<table_entry>, key_hash>
      entries_;      // keyed by the entries' own strings
  table_ages ages_;  // least recently asked for first
  std::size_t capacity_ = 4096;
  kernel_statistics counters_;
};

// Never destroyed: at the end of a process the driver may be unloaded before this.
kernel_table& table() {
  static kernel_table& kernels = []() -> kernel_table& {
    auto* const made = new kernel_table;
    hold_at_fork({.before = [] { table().before_fork(); },
                  .after = [](bool in_child) { table().after_fork(in_child); }},
                 fork_order::kernel_table);
    return *made;
  }();
  return kernels;
}

}  // namespace

kernel_handle find_kernel(std::string_view key) { return table().find(key); }

kernel_handle find_or_make_kernel(std::string_view key, const std::function<made_kernel()>& make) {
  return table().find_or_make(key, make);
}

void drop_kernel(const kernel_handle& known) { table().drop(known); }

kernel_statistics kernel_table_statistics() { return table().statistics(); }

void set_kernel_capacity(std::size_t kernels) { table().set_capacity(kernels); }

}  // namespace sinter::inline v0::runtime
