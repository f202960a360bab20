#pragma once
// A model of stream order with no implicit ordering, which checks the fake driver's work.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// A point in the work of all streams: the amount of work of each that is done.
using fake_time = std::map<int, std::uint64_t>;

/// Memory that work uses, by the address where it begins.
struct fake_use {
  std::uintptr_t memory;
  bool writes;
};

/// Tracks queued work and the memory that it uses. Work on one stream is in order; only events and waits on
/// the host order different streams. Nothing is ordered implicitly, not even by blocking default streams.
class fake_order {
 public:
  int add_stream() { return ++streams_; }

  /// Queues work. It is a fault if what wrote its memory, or for a write what read it, may still run.
  void queue(int stream, const char* what, const std::vector<fake_use>& uses) {
    fake_time& seen = seen_[stream];
    join(seen, host_);
    const std::uint64_t now = ++counts_[stream];
    for (const fake_use& use : uses) {
      accesses& known = memory_[use.memory];
      check(stream, seen, what, known.writes);
      if (use.writes) check(stream, seen, what, known.reads);
      (use.writes ? known.writes : known.reads)[stream] = {now, what};
    }
    seen[stream] = now;
  }
  /// The memory is new: nothing uses it.
  void forget(std::uintptr_t memory) { memory_.erase(memory); }

  fake_time end_of(int stream) {
    join(seen_[stream], host_);
    return seen_[stream];
  }
  void wait(int stream, const fake_time& until) { join(seen_[stream], until); }
  void host_waits(const fake_time& until) { join(host_, until); }
  void host_waits_for_all() { host_waits(counts_); }
  void fault(std::string what) {
    ++faults_;
    latest_fault_ = std::move(what);
  }
  /// Whether work on the second stream that is queued now comes after all of the first stream's.
  bool follows(int stream, int other) {
    join(seen_[stream], host_);
    return seen_[stream][other] >= counts_[other];
  }

  int faults() const { return faults_; }
  const std::string& latest_fault() const { return latest_fault_; }
  /// Completes all work and clears the faults.
  void settle() {
    host_waits_for_all();
    faults_ = 0;
    latest_fault_.clear();
  }

 private:
  struct latest {
    std::uint64_t count = 0;
    const char* what = "";
  };
  struct accesses {
    std::map<int, latest> writes, reads;
  };

  void check(int stream, fake_time& seen, const char* what, const std::map<int, latest>& others) {
    for (const auto& [other, last] : others)
      if (other != stream && seen[other] < last.count)
        fault(std::string(what) + " on stream " + std::to_string(stream) + " does not wait for " + last.what +
              " on stream " + std::to_string(other));
  }
  static void join(fake_time& to, const fake_time& other) {
    for (const auto& [stream, count] : other) to[stream] = std::max(to[stream], count);
  }

  int streams_ = 0, faults_ = 0;
  fake_time counts_, host_;
  std::map<int, fake_time> seen_;
  std::map<std::uintptr_t, accesses> memory_;
  std::string latest_fault_;
};
