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

bool stream_timeline::is_named_here() const { return !is_of_thread() || thread() == detail::this_thread(); }

unsigned long long stream_timeline::capture() const {
  const CUstream stream = native();
  if (stream == nullptr) return 0;
  CUstreamCaptureStatus status = CUstreamCaptureStatus::none;
  if (stream == legacy_default_stream()) {
    const context_guard current(context());
    return api_.cuStreamIsCapturing(stream, &status) == CUresult::stream_capture_implicit ? unknown_capture
                                                                                          : 0;
  }
  if (capture_status(stream, device_) == CUstreamCaptureStatus::none) return 0;
  unsigned long long number = 0;
  if (api_.cuStreamGetCaptureInfo_v3 == nullptr ||
      api_.cuStreamGetCaptureInfo_v3(stream, &status, &number, nullptr, nullptr, nullptr, nullptr) !=
          CUresult::success ||
      number == 0)
    return unknown_capture;
  if (captured_as_.exchange(number, std::memory_order_acq_rel) != number)
    before_capture_.store(number_.fetch_add(1, std::memory_order_seq_cst), std::memory_order_release);
  return number;
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

// Where no event can be recorded any more, the host waits: the stream has ended without one, or only another
// thread can name it.
stream_timeline::covered_work stream_timeline::cover(std::uint64_t number) {
  const std::lock_guard lock(guard_);
  if (covered_ >= number) return {this, covered_};
  if (has_ended() || !is_named_here()) {
    if (is_done({index_, number})) return {this, 0};
    const std::uint64_t begun = begin_wait();  // what the stream is given meanwhile has a higher number
    const context_guard current(context());
    check(api_.cuCtxSynchronize(), "waiting for a stream that no event can be recorded on");
    end_wait(begun);
    return {this, 0};
  }
  if (capture() != 0)
    throw capture_conflict(
        "work on another stream cannot wait for one that is being captured into a CUDA graph: end the "
        "capture before other streams use the same arrays, or call synchronize(device) before it begins");
  return {this, record_event()};
}

void stream_timeline::cover_latest() { cover(number_.load(std::memory_order_seq_cst)); }

bool stream_timeline::has_waited_for(work_point point) {
  const std::lock_guard lock(guard_);
  for (const work_point each : waited_for_)
    if (each.timeline() == point.timeline()) return each.number() >= point.number();
  return false;
}

// The event may be recorded again between the two calls: then it covers more.
void stream_timeline::wait_for(covered_work other) {
  if (other.number == 0) return;
  {
    const context_guard current(context());
    check(api_.cuStreamWaitEvent(native(), other.of->event_, 0),
          "making a stream wait for another that uses the same memory");
  }
  const work_point now(other.of->index_, other.number);
  const std::lock_guard lock(guard_);
  const auto known = std::find_if(waited_for_.begin(), waited_for_.end(),
                                  [&](work_point each) { return each.timeline() == now.timeline(); });
  if (known == waited_for_.end())
    waited_for_.push_back(now);
  else if (known->number() < now.number())
    *known = now;
  seen_[other.of->index_ % remembered].store(now.word(), std::memory_order_release);
}

// Within one capture streams wait for each other by events of the graph, which serve nothing outside of it.
void stream_timeline::follow_in_capture(std::span<const work_point> points, unsigned long long capture) {
  std::vector<stream_timeline*> others;
  for (const work_point point : points) {
    if (follows(point) || has_waited_for(point)) continue;
    stream_timeline& other = timeline_at(point.timeline());
    if (capture == unknown_capture || other.has_ended() || other.capture() != capture ||
        point.number() <= other.before_capture_.load(std::memory_order_acquire))
      throw capture_conflict(
          "a stream that is being captured into a CUDA graph cannot wait for work that was queued on another "
          "stream before: call prepare() on the stream with the same arrays, or synchronize(device), before "
          "the capture begins, and use the arrays on no stream outside of the capture until it ends");
    if (std::find(others.begin(), others.end(), &other) == others.end()) others.push_back(&other);
  }
  for (stream_timeline* const other : others) {
    const context_guard current(other->context());
    CUevent branch = nullptr;
    check(api_.cuEventCreate(&branch, event_flag_disable_timing), "creating an event that joins a capture");
    CUresult answer = api_.cuEventRecord(branch, other->native());
    if (answer == CUresult::success) answer = api_.cuStreamWaitEvent(native(), branch, 0);
    api_.cuEventDestroy_v2(branch);
    check(answer, "joining two streams of a capture");
  }
}

void stream_timeline::follow(std::span<const work_point> points) {
  if (const unsigned long long captured = capture(); captured != 0 && native() != legacy_default_stream())
    return follow_in_capture(points, captured);
  std::vector<covered_work> others;
  for (const work_point point : points)
    if (!follows(point) && !has_waited_for(point))
      others.push_back(timeline_at(point.timeline()).cover(point.number()));
  for (const covered_work& other : others) wait_for(other);
}

void stream_timeline::end_wait(std::uint64_t begun) { raise(done_, begun); }

// Without an event, whoever asks for the work later waits on the host: see cover().
void stream_timeline::end() noexcept {
  if (driver() == nullptr) return;  // in the child of a fork, where another thread may have held the guard
  const deferred_reports until_unlocked;
  const std::lock_guard lock(guard_);
  if (has_ended()) return;
  try {
    if (done_.load(std::memory_order_acquire) < number_.load(std::memory_order_seq_cst) && is_named_here() &&
        capture() == 0)
      record_event();
  } catch (const std::exception& failure) {
    report(log_level::warning, failure.what());
  }
  handle_.store(nullptr, std::memory_order_release);
}

void stream_timeline::begin(const stream_key& key, CUcontext context) noexcept {
  since_.store(number_.load(std::memory_order_seq_cst), std::memory_order_release);
  waited_for_.clear();
  for (std::atomic<std::uint64_t>& each : seen_) each.store(0, std::memory_order_relaxed);
  captured_as_.store(0, std::memory_order_relaxed);
  before_capture_.store(0, std::memory_order_relaxed);
  context_.store(context, std::memory_order_release);
  context_key_.store(key.context, std::memory_order_relaxed);
  thread_.store(key.thread, std::memory_order_relaxed);
  handle_.store(key.handle, std::memory_order_release);
}

bool stream_timeline::begin_again(const stream_key& key, CUcontext context) noexcept {
  const std::lock_guard lock(guard_);
  if (!has_ended()) return false;
  const relaxed_capture while_others_capture;
  const std::uint64_t last = number_.load(std::memory_order_seq_cst) - 1;
  if (std::max(covered_, done_.load(std::memory_order_acquire)) < last) return false;
  // An event belongs to a context.
  if (event_ != nullptr && (this->context() != context || api_.cuEventQuery(event_) != CUresult::success))
    return false;
  raise(done_, number_.fetch_add(1, std::memory_order_seq_cst));
  begin(key, context);
  return true;
}

}  // namespace sinter::inline v0::runtime
