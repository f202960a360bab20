#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/order/returned_memory.hpp>
#include <sinter/runtime/order/timeline_table.hpp>
#include <sinter/runtime/stream.hpp>

namespace sinter::inline v0 {

using namespace runtime;

namespace runtime {

/// The state that the handles of one owned stream share.
struct owned_stream {
  std::atomic<int> users{1};
};

}  // namespace runtime

stream stream::create(device where) {
  if (where.is_cpu()) return stream(where, nullptr, hold::none);
  const driver_api& api = require_driver();
  auto owned = std::make_unique<owned_stream>();
  const context_guard current(primary_context(where.index()));
  CUstream handle = nullptr;
  runtime::check(api.cuStreamCreate(&handle, stream_flag_non_blocking), "creating a stream");
  stream made(where, handle, hold::owned);
  made.owned_ = owned.release();
  return made;
}

stream::stream(stream&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      owned_(std::exchange(other.owned_, nullptr)),
      device_(other.device_),
      hold_(std::exchange(other.hold_, hold::none)) {}

stream& stream::operator=(stream&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(owned_, other.owned_);
  std::swap(device_, other.device_);
  std::swap(hold_, other.hold_);
  return *this;
}

stream stream::another() const {
  stream same(device_, handle_, is_owned() ? hold::owned : hold::none);
  same.owned_ = owned_;
  if (owned_ != nullptr) owned_->users.fetch_add(1, std::memory_order_relaxed);
  return same;
}

void stream::let_go() noexcept {
  if (owned_->users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  delete owned_;
  const driver_api* const api = driver();
  if (api == nullptr) return;
  forget(*this);
  // Queued work still completes; the driver frees the stream after it.
  report_failure(api->cuStreamDestroy_v2(static_cast<CUstream>(handle_)), "destroying a stream");
}

void forget(const stream& foreign) noexcept {
  if (foreign.where().is_cpu()) return;
  if (stream_timeline* const known = known_timeline_of(foreign)) known->end();
}

void stream::synchronize() const {
  if (device_.is_cpu()) return;
  stream_timeline* const known = known_timeline_of(*this);
  const std::uint64_t begun = known != nullptr ? known->begin_wait() : 0;
  runtime::synchronize(static_cast<CUstream>(handle_), device_.index());
  if (known != nullptr) known->end_wait(begun);
  give_back_waiting();
  if (known != nullptr) known->faults().check();
}

void stream::check() const {
  if (device_.is_cpu()) return;
  if (stream_timeline* const known = known_timeline_of(*this)) known->faults().check();
}

bool stream::idle() const {
  return device_.is_cpu() || finished(static_cast<CUstream>(handle_), device_.index());
}

event::event(const stream& recorded_on) : device_(recorded_on.where()) {
  if (device_.is_cpu()) return;
  const driver_api& api = require_driver();
  const CUstream on = static_cast<CUstream>(recorded_on.native());
  // An event belongs to a context, and only streams of that context can record it.
  const context_guard current(on, device_.index());
  CUevent created = nullptr;
  runtime::check(api.cuEventCreate(&created, event_flag_disable_timing), "creating an event");
  if (const CUresult answer = api.cuEventRecord(created, on); answer != CUresult::success) {
    api.cuEventDestroy_v2(created);
    throw_driver_error(answer, "recording an event");
  }
  handle_ = created;
}

event::event(event&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), device_(other.device_) {}

event& event::operator=(event&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(device_, other.device_);
  return *this;
}

event::~event() {
  if (handle_ == nullptr) return;
  if (const driver_api* api = driver())
    report_failure(api->cuEventDestroy_v2(static_cast<CUevent>(handle_)), "destroying an event");
}

void event::synchronize() const {
  if (handle_ != nullptr)
    runtime::check(require_driver().cuEventSynchronize(static_cast<CUevent>(handle_)),
                   "waiting for an event");
}

bool event::done() const {
  if (handle_ == nullptr) return true;
  const CUresult answer = require_driver().cuEventQuery(static_cast<CUevent>(handle_));
  if (answer == CUresult::not_ready) return false;
  check(answer, "asking whether an event is reached");
  return true;
}

void event::wait_on(const stream& waiting) const {
  if (handle_ == nullptr) return;
  if (waiting.where().is_cpu()) return synchronize();
  const CUstream on = static_cast<CUstream>(waiting.native());
  const context_guard current(on, waiting.where().index());
  runtime::check(require_driver().cuStreamWaitEvent(on, static_cast<CUevent>(handle_), 0),
                 "making a stream wait for an event");
}

void synchronize(device where) {
  if (where.is_cpu()) return;
  struct begun_wait {
    stream_timeline* on;
    std::uint64_t number;
  };
  std::vector<begun_wait> begun;
  try {
    for (stream_timeline* const each : timelines_in(where.index(), primary_context(where.index())))
      begun.push_back({each, each->begin_wait()});
  } catch (const std::bad_alloc&) {
    // What has no memory to go on with waits here: it waits all the same, and streams whose end is not noted
    // are waited for again by an event.
  }
  synchronize_device(where.index());
  for (const begun_wait& each : begun) each.on->end_wait(each.number);
  give_back_waiting();
  for (const begun_wait& each : begun) each.on->faults().check();
}

void synchronize() { synchronize(device::current_default()); }

}  // namespace sinter::inline v0
