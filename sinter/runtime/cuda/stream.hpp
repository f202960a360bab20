#pragma once

#include <sinter/runtime/cuda/driver_types.hpp>

namespace sinter::inline v0::runtime {

/// Waits for everything queued on a stream. If that work fails, the error names `kernel`, if given.
void synchronize(CUstream stream, int device, const char* kernel = "");

/// Waits for everything queued on a device's primary context.
void synchronize_device(int device);

/// Whether everything queued on a stream is done; does not wait.
bool finished(CUstream stream, int device);

/// Whether work on a stream is being captured into a CUDA graph instead of run.
CUstreamCaptureStatus capture_status(CUstream stream, int device);

/// Allows this thread, for a scope, the calls that CUDA forbids while any stream captures in global mode.
/// They are safe if the call touches no capturing stream, as in loading code.
class relaxed_capture {
 public:
  relaxed_capture() noexcept;
  relaxed_capture(const relaxed_capture&) = delete;
  relaxed_capture& operator=(const relaxed_capture&) = delete;
  ~relaxed_capture();

 private:
  CUstreamCaptureMode previous_ = CUstreamCaptureMode::relaxed;
};

/// A new stream on a device's primary context. It does not synchronize with the default stream.
class cuda_stream {
 public:
  explicit cuda_stream(int device);
  cuda_stream(cuda_stream&& other) noexcept;
  cuda_stream& operator=(cuda_stream&& other) noexcept;
  /// Queued work still completes; the driver frees the stream after it.
  ~cuda_stream();

  CUstream handle() const noexcept { return handle_; }
  int device() const noexcept { return device_; }

 private:
  CUstream handle_ = nullptr;
  int device_ = 0;
};

/// A point in a stream's work that others can wait for; with timing enabled it also measures time.
class cuda_event {
 public:
  enum class timing { off, on };

  explicit cuda_event(int device, timing clock = timing::off);
  cuda_event(cuda_event&& other) noexcept;
  cuda_event& operator=(cuda_event&& other) noexcept;
  ~cuda_event();

  CUevent handle() const noexcept { return handle_; }
  int device() const noexcept { return device_; }

  /// Marks the point that the stream's queued work has reached.
  void record(CUstream stream);
  /// Makes a stream's further work wait for this point; the host does not wait.
  void wait_on(CUstream stream) const;
  /// Waits on the host.
  void synchronize() const;
  bool finished() const;
  /// The time on the device since another event, both made with timing and reached.
  float milliseconds_since(const cuda_event& start) const;

 private:
  CUevent handle_ = nullptr;
  int device_ = 0;
};

}  // namespace sinter::inline v0::runtime
