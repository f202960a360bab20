#pragma once
// The sequence numbers of one stream's work, and the events with which other streams wait for it.

#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/order/index_faults.hpp>
#include <sinter/runtime/order/work_point.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace sinter::inline v0::runtime {

/// Work had to wait for a stream that is being captured into a CUDA graph, or such a stream for work outside
/// of its graph. Nothing was queued.
class capture_conflict : public device_error {
 public:
  using device_error::device_error;
};

namespace detail {
/// What distinguishes this thread's default stream.
const void* this_thread();
}  // namespace detail

/// What distinguishes streams: handles alone do not for default streams.
struct stream_key {
  CUstream handle = nullptr;     ///< the legacy default stream is 1 here, never 0
  CUcontext context = nullptr;   ///< of a default stream
  const void* thread = nullptr;  ///< of a thread's own default stream
  bool operator==(const stream_key&) const = default;
};

/// A stream's work in the order it was queued. The number of work is read after its launch has returned, and
/// the number rises with every event that is recorded: so the first event after the number was read covers
/// the work, and a launch writes nothing that other threads read.
///
/// Timelines are never destroyed, so points may refer to them for ever. When a stream is gone, its timeline
/// serves a later stream, and its numbers go on. Safe from any thread.
class alignas(64) stream_timeline {
 public:
  stream_timeline(const driver_api& api, std::uint32_t index, int device)
      : api_(api), index_(index), device_(device) {}

  bool serves(const driver_api& api, const stream_key& key) const {
    return handle_.load(std::memory_order_acquire) == key.handle &&
           context_key_.load(std::memory_order_relaxed) == key.context &&
           thread_.load(std::memory_order_relaxed) == key.thread && &api_ == &api;
  }

  /// The point of work whose launch has returned.
  work_point latest() const { return {index_, number_.load(std::memory_order_seq_cst)}; }

  /// Whether work that is queued on this stream from now on certainly comes after the point.
  bool follows(work_point point) const {
    if (point.is_none() || point.timeline() == index_) return true;
    const work_point seen(seen_of(point).load(std::memory_order_acquire));
    if (seen.timeline() == point.timeline() && seen.number() >= point.number()) return true;
    return is_done(point);
  }
  /// Whether a wait on the host has seen the end of the point's work.
  static bool is_done(work_point point);

  /// Makes work that is queued on this stream from now on come after the points. An event serves all lower
  /// numbers, so the stream may wait for more work than the points name. Throws capture_conflict before this
  /// stream waits for anything.
  void follow(std::span<const work_point> points);

  /// Encloses a wait on the host for this stream, or for all of its context.
  std::uint64_t begin_wait() { return number_.fetch_add(1, std::memory_order_seq_cst); }
  void end_wait(std::uint64_t begun);

  /// Records an event after the work queued so far, unless one covers it. For streams that other threads
  /// cannot name.
  void cover_latest();

  /// The stream may be destroyed from now on. Others wait for an event after its work.
  void end() noexcept;
  bool has_ended() const { return handle_.load(std::memory_order_acquire) == nullptr; }
  /// Whether it is still the same stream as at `point`, a point of this timeline.
  bool is_still_at(work_point point) const {
    return !has_ended() && since_.load(std::memory_order_acquire) <= point.number();
  }
  /// Begins to serve another stream if the work of the previous one is done.
  bool begin_again(const stream_key& key, CUcontext context) noexcept;
  void begin(const stream_key& key, CUcontext context) noexcept;

  std::uint32_t index() const { return index_; }
  int device() const { return device_; }
  const driver_api& api() const { return api_; }
  CUstream native() const { return handle_.load(std::memory_order_acquire); }
  CUcontext context() const { return context_.load(std::memory_order_acquire); }
  bool is_of_thread() const { return thread_.load(std::memory_order_relaxed) != nullptr; }
  /// Of a thread's own default stream: what stands for the thread.
  const void* thread() const { return thread_.load(std::memory_order_relaxed); }
  /// Whether the calling thread can name the stream: a thread's own default stream is another in each.
  bool is_named_here() const;
  /// The capture that the stream takes part in, 0 for none. For the legacy default stream also a capture that
  /// nothing may be queued beside. What the stream was given before is told apart from here on.
  unsigned long long capture() const;
  /// Held while something is queued on a stream that another thread could end meanwhile.
  std::mutex& guard() { return guard_; }

  /// The indices that kernels on the stream found out of range.
  stream_faults& faults() { return faults_; }

  stream_timeline* next = nullptr;  ///< in the table

 private:
  static constexpr std::size_t remembered = 16;

  const std::atomic<std::uint64_t>& seen_of(work_point point) const {
    return seen_[point.timeline() % remembered];
  }
  struct covered_work {
    stream_timeline* of = nullptr;
    std::uint64_t number = 0;
  };
  bool has_waited_for(work_point point);
  covered_work cover(std::uint64_t number);
  std::uint64_t record_event();
  void wait_for(covered_work other);
  void follow_in_capture(std::span<const work_point> points, unsigned long long capture);

  const driver_api& api_;
  const std::uint32_t index_;
  const int device_;
  std::atomic<CUstream> handle_{nullptr};
  std::atomic<CUcontext> context_key_{nullptr}, context_{nullptr};
  std::atomic<const void*> thread_{nullptr};
  mutable std::atomic<std::uint64_t> number_{1};
  std::atomic<std::uint64_t> done_{0}, since_{1};
  std::mutex guard_;  ///< guards the members below, and the stream against its end
  CUevent event_ = nullptr;
  std::uint64_t covered_ = 0;           ///< the event comes after all work of this number
  std::vector<work_point> waited_for_;  ///< of each other stream the last point that this one waited for
  // The same for some streams, without a lock.
  std::array<std::atomic<std::uint64_t>, remembered> seen_{};
  // The capture that the stream was last seen in, and the last number before it was.
  mutable std::atomic<unsigned long long> captured_as_{0};
  mutable std::atomic<std::uint64_t> before_capture_{0};
  stream_faults faults_;
};

/// The timeline with this index.
stream_timeline& timeline_at(std::uint32_t index);

}  // namespace sinter::inline v0::runtime
