#pragma once
// Which work used an allocation last, and what later work on a stream has to wait for.

#include <sinter/runtime/order/stream_timeline.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace sinter::inline v0::runtime {

/// The last write, and the last read of each stream since. Safe from any thread, without a lock. Repeated
/// use on one stream only compares, until an event is recorded on that stream.
class use_record {
 public:
  use_record() = default;
  use_record(const use_record&) = delete;
  use_record& operator=(const use_record&) = delete;
  ~use_record();

  /// Whether work on the stream may be queued now: a read comes after the last write, a write after the reads
  /// too.
  bool allows(memory_access how, const stream_timeline& on) const {
    return on.follows(write()) && (how == memory_access::read || follows_reads(on));
  }
  /// Adds the points for which the stream has to wait first.
  void add_missing(memory_access how, const stream_timeline& on, std::vector<work_point>& missing) const;
  /// Adds every point whose end no wait on the host has seen.
  void add_pending(std::vector<work_point>& pending) const;

  /// Whether the use is noted already: what waits for a write at the same point waits for this use too.
  bool has_noted(memory_access how, work_point used) const {
    return write() == used ||
           (how == memory_access::read && reads_.points[0].load(std::memory_order_acquire) == used.word());
  }
  /// Notes work whose launch has returned, on the stream of the point.
  void note(memory_access how, work_point used, const stream_timeline& on) {
    if (has_noted(how, used)) return;
    how == memory_access::read ? note_read(used) : note_write(used, on);
  }

 private:
  struct reads {
    std::array<std::atomic<std::uint64_t>, 3> points{};
    std::atomic<reads*> more{nullptr};
  };

  work_point write() const { return work_point(write_.load(std::memory_order_acquire)); }
  bool follows_reads(const stream_timeline& on) const {
    bool own = reads_.more.load(std::memory_order_acquire) == nullptr;
    for (const std::atomic<std::uint64_t>& each : reads_.points) {
      const work_point point(each.load(std::memory_order_acquire));
      own = own && (point.is_none() || point.timeline() == on.index());
    }
    return own || follows_others(on);
  }
  bool follows_others(const stream_timeline& on) const;
  void note_read(work_point used);
  void note_write(work_point used, const stream_timeline& on);
  void drop_reads(work_point written, const stream_timeline& on);
  template <class Each>
  void each_read(const Each& visit) const {
    for (const reads* some = &reads_; some != nullptr; some = some->more.load(std::memory_order_acquire))
      for (const std::atomic<std::uint64_t>& point : some->points)
        visit(work_point(point.load(std::memory_order_acquire)));
  }

  std::atomic<std::uint64_t> write_{0};
  reads reads_;
};

}  // namespace sinter::inline v0::runtime
