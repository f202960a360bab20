#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/cuda/stream_order.hpp>
#include <sinter/runtime/log.hpp>

namespace sinter::inline v0::runtime {
namespace {

CUstream native_of(const stream& on) { return static_cast<CUstream>(on.native()); }

// Called for default streams only: a comparison suffices for others.
CUcontext default_context_of(const stream& on) {
  if (reinterpret_cast<std::uintptr_t>(on.native()) > 2) return nullptr;
  return context_of(native_of(on), on.where().index());
}

}  // namespace

// A stream's own context; for a default stream the caller's.
CUcontext stream_order::context_of_stream(const stream& on, CUcontext context) const {
  if (on.is_owned()) return primary_;
  return on.is_default() ? context : context_of(native_of(on), device_);
}

bool stream_order::is_captured(const stream& on) const {
  const CUstream native = native_of(on);
  if (native == nullptr || native == legacy_default_stream()) return false;
  return capture_status(native, on.where().index()) != CUstreamCaptureStatus::none;
}

bool stream_order::is_tail(const stream& on, CUcontext context) const {
  const std::uintptr_t key = key_of(on, context);
  return tail_ && key != no_key && key == key_of(tail_->on, tail_->context);
}

stream_order::mark stream_order::take_mark(CUcontext context) {
  const auto fitting =
      std::find_if(spare_.begin(), spare_.end(), [&](const mark& each) { return each.context == context; });
  if (fitting != spare_.end()) {
    const mark found = *fitting;
    spare_.erase(fitting);
    return found;
  }
  mark made{nullptr, context};
  check(require_driver().cuEventCreate(&made.event, event_flag_disable_timing),
        "creating an event that orders streams");
  return made;
}

// The event completes when all work queued on the stream so far is done.
void stream_order::mark_end_of(const stream& on, CUcontext context) {
  marks_.reserve(marks_.size() + 1);
  spare_.reserve(spare_.size() + marks_.size() + 1);  // reserved, so that marks can be dropped without
                                                      // allocating
  const context_guard current(context);
  const mark taken = take_mark(context);
  if (const CUresult answer = require_driver().cuEventRecord(taken.event, native_of(on));
      answer != CUresult::success) {
    spare_.push_back(taken);
    throw_driver_error(answer, "recording an event that orders streams");
  }
  marks_.push_back(taken);
  let_go_ = nullptr;
}

// No thread takes the fast path while the tail changes: a thread that queued work on it meanwhile detects
// that in leave(). The stream itself is released after the lock.
void stream_order::mark_tail(std::optional<tail>& gone) {
  last_.store(nobody, std::memory_order_seq_cst);
  mark_end_of(tail_->on, tail_->context);
  gone = std::move(tail_);
  tail_.reset();
}

void stream_order::wait_for_marks(const stream& on, CUcontext context) {
  if (marks_.empty()) return;
  const context_guard current(context);
  for (const mark& each : marks_)
    check(require_driver().cuStreamWaitEvent(native_of(on), each.event, 0),
          "making a stream wait for the one that was used before");
}

void stream_order::forget_marks() {
  spare_.insert(spare_.end(), marks_.begin(), marks_.end());
  marks_.clear();
  let_go_ = nullptr;
}

// Captured work runs when its graph is launched. It cannot wait for work outside of the graph, and need not
// if nothing was queued elsewhere.
void stream_order::check_that_capture_goes_on(const stream& on, CUcontext context) {
  if (marks_.empty() && (!tail_ || is_tail(on, context))) return;
  if (!tail_ && let_go_ != nullptr && let_go_ == on.native()) return;
  throw capture_conflict(
      "a stream that is being captured into a CUDA graph cannot wait for the work that was queued on another "
      "stream before: call prepare() on the stream, or synchronize(device), before the capture begins, and "
      "nothing on other streams of the device until it ends");
}

std::uint64_t stream_order::enter_another(const stream& on, CUcontext context) {
  const bool captured = is_captured(on);
  if (!captured) give_back_parked();
  std::optional<tail> gone;
  const std::lock_guard lock(guard_);
  if (captured) {
    check_that_capture_goes_on(on, context);
    return 0;
  }
  const CUcontext own = context_of_stream(on, context);
  if (tail_ && !is_tail(on, context)) {
    if (is_captured(tail_->on))
      throw capture_conflict(
          "work on another stream cannot wait for one that is being captured into a CUDA graph: end the "
          "capture "
          "before other streams of the device are used, or call synchronize(device) before it begins");
    mark_tail(gone);
  }
  // A handle that appears again is the same stream, or a new one created after the old one's work was done:
  // CUDA keeps a destroyed stream until then.
  const bool again = !tail_ && let_go_ != nullptr && let_go_ == on.native();
  if (!again) wait_for_marks(on, own);
  const std::uintptr_t key = key_of(on, context);
  if (key == no_key) return ++entries_;  // other streams wait for the marks too, until leave() marks this one
  if (!tail_) tail_.emplace(tail{on.another(), own});
  forget_marks();
  if (!any_parked_.load(std::memory_order_relaxed)) last_.store(key, std::memory_order_release);
  return ++entries_;
}

void stream_order::leave_another(const stream& on, CUcontext context, std::uint64_t entered) noexcept {
  CUresult failure = CUresult::success;
  try {
    const bool captured = is_captured(on);
    const std::lock_guard lock(guard_);
    if (captured) return;
    if (is_tail(on, context)) {
      ++entries_;  // for host waits: this work was not queued when the wait began
      return;
    }
    const bool alone = !tail_ && entered != 0 && entered == entries_;
    last_.store(nobody, std::memory_order_seq_cst);
    if (alone) forget_marks();  // this stream already waits for them
    mark_end_of(on, context_of_stream(on, context));
    ++entries_;
  } catch (const std::exception&) {
    failure = CUresult::invalid_context;
  }
  report_failure(failure, "ordering a stream among others");
}

void stream_order::lead(const stream& other, CUcontext context) {
  std::optional<tail> gone;
  const std::lock_guard lock(guard_);
  if (is_captured(other) || (tail_ && is_captured(tail_->on)))
    throw capture_conflict(
        "a copy between devices cannot be captured into a CUDA graph: end the capture first");
  if (tail_) mark_tail(gone);
  wait_for_marks(other, context);
  ++entries_;
}

void stream_order::follow(const stream& other, CUcontext context) {
  const std::lock_guard lock(guard_);
  last_.store(nobody, std::memory_order_seq_cst);
  mark_end_of(other, context);
  ++entries_;
}

void stream_order::let_go(const void* handle) noexcept {
  std::optional<tail> gone;
  CUresult failure = CUresult::success;
  try {
    const std::lock_guard lock(guard_);
    if (!tail_ || tail_->on.native() != handle || is_captured(tail_->on)) return;
    const bool only = marks_.empty();
    mark_tail(gone);
    if (only) let_go_ = handle;
    ++entries_;
  } catch (const std::exception&) {
    failure = CUresult::invalid_handle;
  }
  report_failure(failure, "marking the end of a stream's work");
}

std::uint64_t stream_order::begin_wait(const stream* on) {
  const std::lock_guard lock(guard_);
  if (on != nullptr && (!tail_ || tail_->on.native() != on->native())) return 0;
  last_.store(nobody, std::memory_order_seq_cst);
  return ++entries_;
}

void stream_order::end_wait(std::uint64_t begun, const stream* on) {
  std::optional<tail> gone;
  const std::lock_guard lock(guard_);
  if (begun == 0 || begun != entries_) return;
  if (tail_ && tail_->context == primary_) {
    gone = std::move(tail_);
    tail_.reset();
  }
  // The work of one stream comes after the marks only if the stream has waited for them.
  const auto elsewhere = [&](const mark& each) { return each.context != primary_; };
  if (on == nullptr && std::none_of(marks_.begin(), marks_.end(), elsewhere)) forget_marks();
}

// Other libraries synchronize with the stream that memory was allocated on, so that stream is the best
// choice. A borrowed stream may have been destroyed.
stream stream_order::stream_for_giving_back(const stream& made_on) {
  if (made_on.is_default() || made_on.is_owned()) return made_on.another();
  const std::lock_guard lock(guard_);
  if (own_.native() == nullptr) own_ = stream::create(device::cuda(device_));
  return own_.another();
}

// Frees memory of a borrowed stream on the tail while the tail is held: the lock stops a thread that would
// destroy it. Not with a program's own resource, which may call anything.
bool stream_order::give_back_on_tail(const freed_memory& memory) {
  if (memory.made_on.is_default() || memory.made_on.is_owned() || !memory.calls_driver_alone) return false;
  const deferred_reports until_unlocked;  // of a failed free
  const std::lock_guard lock(guard_);
  if (!tail_ || is_captured(tail_->on)) return false;
  wait_for_marks(tail_->on, tail_->context);
  forget_marks();
  memory.resource->deallocate(memory.data, memory.bytes, tail_->on);
  ++entries_;
  return true;
}

void stream_order::park(freed_memory&& memory) {
  const std::lock_guard lock(guard_);
  parked_.push_back(std::move(memory));
  any_parked_.store(true, std::memory_order_relaxed);
  last_.store(nobody, std::memory_order_seq_cst);
}

void stream_order::give_back(freed_memory memory) noexcept {
  try {
    if (give_back_on_tail(memory)) return;
    const stream on = stream_for_giving_back(memory.made_on);
    if (is_captured(on)) return park(std::move(memory));
    try {
      const ordered_work work(on);
      memory.resource->deallocate(memory.data, memory.bytes, on);
    } catch (const capture_conflict&) {
      park(std::move(memory));
    }
  } catch (...) {
    // The driver is unloaded, or its context lost: all that remains is to report it, as the resource does.
    memory.resource->deallocate(memory.data, memory.bytes, memory.made_on);
  }
}

void stream_order::give_back_parked() noexcept {
  if (!any_parked_.load(std::memory_order_relaxed)) return;
  std::vector<freed_memory> all;
  {
    const std::lock_guard lock(guard_);
    all.swap(parked_);
    any_parked_.store(false, std::memory_order_relaxed);
  }
  for (freed_memory& each : all) give_back(std::move(each));
}

ordered_work::ordered_work(const stream& on)
    : ordered_work(stream_order_of(on.where().index()), on, default_context_of(on)) {}

}  // namespace sinter::inline v0::runtime
