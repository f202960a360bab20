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

/// Tracks queued work. Work on one stream is in order; only events and waits on the host order different
/// streams. Nothing is ordered implicitly, not even by blocking default streams.
class fake_order {
 public:
  int add_stream() { return ++streams_; }

  /// Queues work. It is a fault if anything queued on the device before may still run concurrently.
  void queue(int stream, int device, const char* what) {
    fake_time& seen = seen_[stream];
    join(seen, host_);
    for (const auto& [other, count] : queued_[device])
      if (other != stream && seen[other] < count)
        fault(std::string(what) + " on stream " + std::to_string(stream) + " does not wait for " +
              latest_[other] + " on stream " + std::to_string(other));
    seen[stream] = ++counts_[stream];
    queued_[device][stream] = counts_[stream];
    latest_[stream] = what;
  }
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

  int faults() const { return faults_; }
  const std::string& latest_fault() const { return latest_fault_; }
  /// Completes all work and clears the faults.
  void settle() {
    host_waits_for_all();
    faults_ = 0;
    latest_fault_.clear();
  }

 private:
  static void join(fake_time& to, const fake_time& other) {
    for (const auto& [stream, count] : other) to[stream] = std::max(to[stream], count);
  }

  int streams_ = 0, faults_ = 0;
  fake_time counts_, host_;
  std::map<int, fake_time> seen_, queued_;  // by stream and device
  std::map<int, std::string> latest_;
  std::string latest_fault_;
};
