#pragma once
// Streams and events: the order of work on a device.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/device.hpp>

#include <cstdint>

namespace sinter::inline v0 {

class buffer;

namespace runtime {
class stream_order;
struct owned_stream;
}  // namespace runtime

/// A queue of work on one device. A CPU stream is always idle: its calls return when they are done.
///
/// Calls on one device run in the order they are made, whichever streams they use: a call on another stream
/// than the previous call's waits, on the device, for the work queued there. Memory of arrays is freed after
/// all of it. Calls on one stream cost only one additional comparison.
///
/// Move-only. A stream from create() lives until this object, the memory allocated on it and the work that
/// others wait for no longer need it. A borrowed stream must outlive the objects that refer to it.
class SINTER_API stream {
 public:
  /// The device's default stream (CUDA's legacy default stream, with which other libraries synchronize).
  static stream default_of(device where) { return stream(where, nullptr, hold::none); }
  /// A new stream, owned.
  static stream create(device where);
  /// A foreign CUstream or cudaStream_t, borrowed. The numbers 1 and 2 (CUDA's special handles) are accepted.
  /// The destructor records an event after the calls made on the stream, so that the stream may be destroyed
  /// afterwards: keep this object as long as the stream, and do not make one for each call. For number 2, a
  /// thread's own default stream, each call records an event.
  static stream from_native(device where, void* handle) {
    const bool may_go = where.is_cuda() && reinterpret_cast<std::uintptr_t>(handle) > 2;
    return stream(where, handle, may_go ? hold::borrowed : hold::none);
  }

  stream() = default;
  stream(stream&& other) noexcept;
  stream& operator=(stream&& other) noexcept;
  ~stream() {
    if (hold_ != hold::none) let_go();
  }

  void* native() const { return handle_; }
  device where() const { return device_; }
  /// Waits for all work queued so far; throws the errors of that work.
  void synchronize() const;
  /// True if all work queued so far is done.
  bool idle() const;

 private:
  friend class buffer;
  friend class runtime::stream_order;
  enum class hold : std::uint8_t { none, borrowed, owned };
  stream(device where, void* handle, hold held) : handle_(handle), device_(where), hold_(held) {}
  /// A second handle to the same stream: shares ownership of an owned stream, borrows a borrowed one.
  stream another() const;
  bool is_owned() const { return hold_ == hold::owned; }
  /// Whether the handle is one of CUDA's default streams, which always exist.
  bool is_default() const { return reinterpret_cast<std::uintptr_t>(handle_) <= 2; }
  void let_go() noexcept;

  void* handle_ = nullptr;
  runtime::owned_stream* owned_ = nullptr;  ///< intrusive count: <memory> is expensive to include
  device device_{};
  hold hold_ = hold::none;
};

/// A point in a stream that other work can wait for.
class SINTER_API event {
 public:
  event() = default;
  explicit event(const stream& recorded_on);
  event(event&& other) noexcept;
  event& operator=(event&& other) noexcept;
  ~event();
  void synchronize() const;
  bool done() const;
  /// Makes later work on `waiting` wait for this event.
  void wait_on(const stream& waiting) const;

 private:
  void* handle_ = nullptr;
  device device_{};
};

/// Waits for all work on the device.
SINTER_API void synchronize(device where);
/// Waits for all work on the default device.
SINTER_API void synchronize();

}  // namespace sinter::inline v0
