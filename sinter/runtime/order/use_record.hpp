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
    if (how == memory_access::read)
      return unordered_.load(std::memory_order_acquire) == nullptr ? on.follows(write()) : follows_writes(on);
    // A write that comes between the two looks takes reads away: then both are taken again.
    for (;;) {
      const work_point last = write();
      if (!on.follows(last) || !follows_reads(on) ||
          (unordered_.load(std::memory_order_acquire) != nullptr && !follows_writes(on)))
        return false;
      if (write() == last) return true;
    }
  }
  /// Adds the points for which the stream has to wait first.
  void add_missing(memory_access how, const stream_timeline& on, std::vector<work_point>& missing) const;
  /// Adds every point whose end no wait on the host has seen.
  void add_pending(std::vector<work_point>& pending) const;

  /// Whether the use is noted already: what waits for a write at the same point waits for this use too.
  bool has_noted(memory_access how, work_point used) const {
    return write() == used ||
           (how == memory_access::read && reads_.places[0].load(std::memory_order_acquire) == used.word());
  }
  /// Allocates what noting such work may need, unless another thread takes that room meanwhile.
  void make_room(memory_access how, const stream_timeline& on);
  /// Notes work whose launch has returned, on the stream of the point.
  void note(memory_access how, work_point used, const stream_timeline& on);

 private:
  struct points {
    std::array<std::atomic<std::uint64_t>, 3> places{};
    std::atomic<points*> more{nullptr};
    points() = default;
    points(const points&) = delete;
    points& operator=(const points&) = delete;
    ~points() { delete more.load(std::memory_order_acquire); }
  };

  work_point write() const { return work_point(write_.load(std::memory_order_acquire)); }
  bool follows_reads(const stream_timeline& on) const {
    bool own = reads_.more.load(std::memory_order_acquire) == nullptr;
    for (const std::atomic<std::uint64_t>& each : reads_.places) {
      const work_point point(each.load(std::memory_order_acquire));
      own = own && (point.is_none() || point.timeline() == on.index());
    }
    return own || follows_others(on);
  }
  bool follows_others(const stream_timeline& on) const;
  bool follows_writes(const stream_timeline& on) const;
  static void note_in(points& list, work_point used);
  static void make_room_in(points& list, std::uint32_t timeline);
  static void drop_from(points& list, work_point written, const stream_timeline& on);
  static points& made_in(std::atomic<points*>& where);
  template <class Each>
  static void each_in(const points* list, const Each& visit) {
    for (; list != nullptr; list = list->more.load(std::memory_order_acquire))
      for (const std::atomic<std::uint64_t>& place : list->places)
        visit(work_point(place.load(std::memory_order_acquire)));
  }

  std::atomic<std::uint64_t> write_{0};
  points reads_;
  /// Earlier writes that the last one may not come after: of other parts of the memory, or by streams that
  /// have forgotten that they waited. Reads wait for them too.
  std::atomic<points*> unordered_{nullptr};
};

}  // namespace sinter::inline v0::runtime
