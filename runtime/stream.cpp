#include <fmt/format.h>

#include <utility>

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/stream.hpp>

namespace sinter {

using namespace runtime;

stream stream::create(device where) {
  if (where.is_cpu()) return stream(where, nullptr, false);
  const driver_api& api = require_driver();
  const context_guard current(primary_context(where.index()));
  CUstream handle = nullptr;
  check(api.cuStreamCreate(&handle, stream_flag_non_blocking), "creating a stream");
  return stream(where, handle, true);
}

stream::stream(stream&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      device_(other.device_),
      owned_(std::exchange(other.owned_, false)) {}

stream& stream::operator=(stream&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(device_, other.device_);
  std::swap(owned_, other.owned_);
  return *this;
}

stream::~stream() {
  if (!owned_) return;
  // Queued work still runs to its end; the driver frees the stream after it.
  if (const driver_api* api = driver())
    report_failure(api->cuStreamDestroy_v2(static_cast<CUstream>(handle_)), "destroying a stream");
}

void stream::synchronize() const {
  if (device_.is_cuda()) runtime::synchronize(static_cast<CUstream>(handle_), device_.index());
}

bool stream::idle() const {
  return device_.is_cpu() || finished(static_cast<CUstream>(handle_), device_.index());
}

event::event(const stream& recorded_on) : device_(recorded_on.where()) {
  if (device_.is_cpu()) return;
  const driver_api& api = require_driver();
  const CUstream on = static_cast<CUstream>(recorded_on.native());
  // An event belongs to a context, and only streams of the same one can be marked with it.
  const context_guard current(on, device_.index());
  CUevent created = nullptr;
  check(api.cuEventCreate(&created, event_flag_disable_timing), "creating an event");
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
    check(require_driver().cuEventSynchronize(static_cast<CUevent>(handle_)), "waiting for an event");
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
  check(require_driver().cuStreamWaitEvent(on, static_cast<CUevent>(handle_), 0),
        "making a stream wait for an event");
}

void synchronize(device where) {
  if (where.is_cuda()) synchronize_device(where.index());
}

void synchronize() { synchronize(device::current_default()); }

}  // namespace sinter
