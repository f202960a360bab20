#include <utility>

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/stream.hpp>

namespace sinter::inline v0::runtime {
namespace {

bool ready(CUresult answer, const char* operation) {
  if (answer == CUresult::not_ready) return false;
  check(answer, operation);
  return true;
}

}  // namespace

void synchronize(CUstream stream, int device, const char* kernel) {
  const driver_api& api = require_driver();
  const context_guard current(stream, device);
  check(api.cuStreamSynchronize(stream), "waiting for a stream", kernel);
}

void synchronize_device(int device) {
  const driver_api& api = require_driver();
  const context_guard current(primary_context(device));
  check(api.cuCtxSynchronize(), "waiting for a device");
}

bool finished(CUstream stream, int device) {
  const driver_api& api = require_driver();
  const context_guard current(stream, device);
  return ready(api.cuStreamQuery(stream), "asking whether a stream is done");
}

CUstreamCaptureStatus capture_status(CUstream stream, int device) {
  const driver_api& api = require_driver();
  // Not through context_of(), which would fail for the default stream while another stream captures.
  CUstreamCaptureStatus status = CUstreamCaptureStatus::none;
  CUresult answer = api.cuStreamIsCapturing(stream, &status);
  if (answer == CUresult::invalid_context) {
    const context_guard current(stream, device);
    answer = api.cuStreamIsCapturing(stream, &status);
  }
  // The legacy default stream never captures; CUDA returns this while another stream does.
  if (answer == CUresult::stream_capture_implicit) return CUstreamCaptureStatus::none;
  check(answer, "asking whether a stream is captured");
  return status;
}

relaxed_capture::relaxed_capture() noexcept {
  if (const driver_api* api = driver()) api->cuThreadExchangeStreamCaptureMode(&previous_);
}

relaxed_capture::~relaxed_capture() {
  if (const driver_api* api = driver()) api->cuThreadExchangeStreamCaptureMode(&previous_);
}

cuda_stream::cuda_stream(int device) : device_(device) {
  const driver_api& api = require_driver();
  const context_guard current(primary_context(device));
  check(api.cuStreamCreate(&handle_, stream_flag_non_blocking), "creating a stream");
}

cuda_stream::cuda_stream(cuda_stream&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), device_(other.device_) {}

cuda_stream& cuda_stream::operator=(cuda_stream&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(device_, other.device_);
  return *this;
}

cuda_stream::~cuda_stream() {
  if (handle_ == nullptr) return;  // first of all, because calling driver() would initialise it
  if (const driver_api* api = driver())
    report_failure(api->cuStreamDestroy_v2(handle_), "destroying a stream");
}

cuda_event::cuda_event(int device, timing clock) : device_(device) {
  const driver_api& api = require_driver();
  const context_guard current(primary_context(device));
  check(api.cuEventCreate(&handle_, clock == timing::on ? 0 : event_flag_disable_timing),
        "creating an event");
}

cuda_event::cuda_event(cuda_event&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), device_(other.device_) {}

cuda_event& cuda_event::operator=(cuda_event&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(device_, other.device_);
  return *this;
}

cuda_event::~cuda_event() {
  if (handle_ == nullptr) return;
  if (const driver_api* api = driver())
    report_failure(api->cuEventDestroy_v2(handle_), "destroying an event");
}

void cuda_event::record(CUstream stream) {
  const context_guard current(stream, device_);
  check(require_driver().cuEventRecord(handle_, stream), "recording an event on a stream");
}

void cuda_event::wait_on(CUstream stream) const {
  const context_guard current(stream, device_);
  check(require_driver().cuStreamWaitEvent(stream, handle_, 0), "making a stream wait for an event");
}

void cuda_event::synchronize() const {
  check(require_driver().cuEventSynchronize(handle_), "waiting for an event");
}

bool cuda_event::finished() const {
  return ready(require_driver().cuEventQuery(handle_), "asking whether an event is reached");
}

float cuda_event::milliseconds_since(const cuda_event& start) const {
  const driver_api& api = require_driver();
  const auto elapsed =
      api.cuEventElapsedTime_v2 != nullptr ? api.cuEventElapsedTime_v2 : api.cuEventElapsedTime;
  float milliseconds = 0;
  check(elapsed(&milliseconds, start.handle_, handle_), "reading the time between two events");
  return milliseconds;
}

}  // namespace sinter::inline v0::runtime
