#include <algorithm>
#include <vector>

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/order/stream_timeline.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr unsigned long long unknown_capture = ~0ull;

void raise(std::atomic<std::uint64_t>& number, std::uint64_t to) {
  std::uint64_t now = number.load(std::memory_order_relaxed);
  while (now < to && !number.compare_exchange_weak(now, to, std::memory_order_acq_rel)) {
  }
}

}  // namespace

bool stream_timeline::is_done(work_point point) {
  return point.is_none() ||
         timeline_at(point.timeline()).done_.load(std::memory_order_acquire) >= point.number();
}

unsigned long long stream_timeline::capture() const {
  const CUstream stream = native();
  if (stream == nullptr || stream == legacy_default_stream()) return 0;
  if (capture_status(stream, device_) == CUstreamCaptureStatus::none) return 0;
  CUstreamCaptureStatus status = CUstreamCaptureStatus::none;
  unsigned long long number = 0;
  if (api_.cuStreamGetCaptureInfo_v3 == nullptr ||
      api_.cuStreamGetCaptureInfo_v3(stream, &status, &number, nullptr, nullptr, nullptr, nullptr) !=
          CUresult::success)
    return unknown_capture;
  return number == 0 ? unknown_capture : number;
}

// With the guard held. Work that reads the number from here on is not covered by the event.
std::uint64_t stream_timeline::record_event() {
  const context_guard current(context());
  if (event_ == nullptr)
    check(api_.cuEventCreate(&event_, event_flag_disable_timing), "creating an event that orders streams");
  const std::uint64_t number = number_.fetch_add(1, std::memory_order_seq_cst);
  check(api_.cuEventRecord(event_, native()), "recording an event that orders streams");
  return covered_ = number;
}

std::uint64_t stream_timeline::cover(std::uint64_t number) {
  const std::lock_guard lock(guard_);
  if (covered_ >= number || has_ended()) return covered_;
  if (capture() != 0)
    throw capture_conflict(
        "work on another stream cannot wait for one that is being captured into a CUDA graph: end the "
        "capture before other streams use the same arrays, or call synchronize(device) before it begins");
  return record_event();
}

void stream_timeline::cover_latest() { cover(number_.load(std::memory_order_seq_cst)); }

// The event may be recorded again between the two calls: then it covers more.
void stream_timeline::wait_for(stream_timeline& other, std::uint64_t number) {
  const std::uint64_t covered = other.cover(number);
  if (other.event_ == nullptr) return;  // it ended in a capture: nothing was queued
  const context_guard current(context());
  check(api_.cuStreamWaitEvent(native(), other.event_, 0),
        "making a stream wait for another that uses the same memory");
  std::atomic<std::uint64_t>& seen = seen_[other.index_ % remembered];
  work_point known(seen.load(std::memory_order_relaxed));
  const work_point now(other.index_, covered);
  while (known.timeline() != now.timeline() || known.number() < now.number()) {
    std::uint64_t word = known.word();
    if (seen.compare_exchange_weak(word, now.word(), std::memory_order_acq_rel)) return;
    known = work_point(word);
  }
}

// Within one capture streams wait for each other by events of the graph, which serve nothing outside of it.
void stream_timeline::follow_in_capture(std::span<const work_point> points, unsigned long long capture) {
  std::vector<stream_timeline*> others;
  for (const work_point point : points) {
    if (follows(point)) continue;
    stream_timeline& other = timeline_at(point.timeline());
    if (capture == unknown_capture || other.has_ended() || other.capture() != capture)
      throw capture_conflict(
          "a stream that is being captured into a CUDA graph cannot wait for work that was queued on another "
          "stream before: call prepare() on the stream with the same arrays, or synchronize(device), before "
          "the capture begins, and use the arrays on no stream outside of the capture until it ends");
    if (std::find(others.begin(), others.end(), &other) == others.end()) others.push_back(&other);
  }
  for (stream_timeline* const other : others) {
    const context_guard current(other->context());
    cuda_event branch(device_);
    branch.record(other->native());
    check(api_.cuStreamWaitEvent(native(), branch.handle(), 0), "joining two streams of a capture");
  }
}

void stream_timeline::follow(std::span<const work_point> points) {
  if (const unsigned long long captured = capture(); captured != 0)
    return follow_in_capture(points, captured);
  for (const work_point point : points)
    if (!follows(point)) wait_for(timeline_at(point.timeline()), point.number());
}

void stream_timeline::end_wait(std::uint64_t begun) { raise(done_, begun); }

void stream_timeline::end() noexcept {
  const deferred_reports until_unlocked;
  const std::lock_guard lock(guard_);
  if (has_ended()) return;
  try {
    // A capture ends with its stream, and its work was never queued.
    if (done_.load(std::memory_order_acquire) < number_.load(std::memory_order_seq_cst) && capture() == 0)
      record_event();
  } catch (const std::exception& failure) {
    report(log_level::warning, failure.what());
  }
  handle_.store(nullptr, std::memory_order_release);
}

void stream_timeline::begin(const stream_key& key, CUcontext context) noexcept {
  since_.store(number_.load(std::memory_order_seq_cst), std::memory_order_release);
  for (std::atomic<std::uint64_t>& each : seen_) each.store(0, std::memory_order_relaxed);
  context_.store(context, std::memory_order_release);
  context_key_.store(key.context, std::memory_order_relaxed);
  thread_.store(key.thread, std::memory_order_relaxed);
  handle_.store(key.handle, std::memory_order_release);
}

bool stream_timeline::begin_again(const stream_key& key, CUcontext context) noexcept {
  const std::lock_guard lock(guard_);
  if (!has_ended()) return false;
  const relaxed_capture while_others_capture;
  // An event belongs to a context.
  if (event_ != nullptr && (this->context() != context || api_.cuEventQuery(event_) != CUresult::success))
    return false;
  raise(done_, number_.fetch_add(1, std::memory_order_seq_cst));
  begin(key, context);
  return true;
}

}  // namespace sinter::inline v0::runtime
