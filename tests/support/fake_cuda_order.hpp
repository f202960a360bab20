#pragma once
// Stream order as a driver keeps it, and no more: what the fake driver's work is checked against.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// A point in the work of all streams: how much of each is done there.
using fake_time = std::map<int, std::uint64_t>;

/// Follows what is queued. Work on one stream is in order; streams are ordered by events and by the host's
/// waits alone. Nothing is ordered implicitly, also not by default streams that block others.
class fake_order {
 public:
  int add_stream() { return ++streams_; }

  /// Queues work. It is unordered if anything that was queued on the device before may still run beside it.
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
  /// Nothing is under way or faulty any more.
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
  std::map<int, fake_time> seen_, queued_;  // by stream, by device
  std::map<int, std::string> latest_;
  std::string latest_fault_;
};
