#pragma once
// Streams and events: the order of work on a device.
//
// Threads: several threads may use a stream or an event at once; moving one is one thread's.
// Throws: device_error where the driver refuses; stream::synchronize(), check() and synchronize() also
// index_error, and what waits for or asks about earlier work its execution_error.
// After a failure: queued work goes on. An index_error is thrown once, and its stream serves on; after
// execution_error of a kernel the device's context is lost, and further calls on the device throw it again.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/device.hpp>

#include <cstdint>

namespace sinter::inline v0 {

class buffer;

namespace runtime {
struct owned_stream;
}  // namespace runtime

/// A queue of work on one device. A CPU stream is always idle: its calls return when they are done.
///
/// Calls on one stream run in the order they are made. Calls on two streams run side by side, unless they
/// share memory that the library has allocated: then the later one waits, on the device, for the earlier one.
/// The host waits for nothing.
///
/// Move-only. A stream from create() lives until this object, the memory allocated on it and the views of
/// that memory are gone. A borrowed stream must outlive its use: the calls on it, the memory that was
/// allocated on it, and the arrays that calls on it have used. Or forget() tells that it is about to go.
class SINTER_API stream {
 public:
  /// The device's default stream (CUDA's legacy default stream, with which other libraries synchronize).
  static stream default_of(device where) { return stream(where, nullptr, hold::none); }
  /// A new stream, owned.
  static stream create(device where);
  /// A foreign CUstream or cudaStream_t, borrowed. The numbers 1 and 2 (CUDA's special handles) are accepted.
  /// Makes no driver call. For number 2, a thread's own default stream, each call records an event.
  static stream from_native(device where, void* handle) { return stream(where, handle, hold::none); }

  stream() = default;
  stream(stream&& other) noexcept;
  stream& operator=(stream&& other) noexcept;
  ~stream() {
    if (hold_ != hold::none) let_go();
  }

  void* native() const { return handle_; }
  device where() const { return device_; }
  /// Waits for all work queued so far; throws the errors of that work, and index_error for an index that a
  /// call on this stream found out of range.
  void synchronize() const;
  /// Throws index_error for an index that finished calls on this stream found out of range, and begins anew.
  /// Waits for nothing.
  void check() const;
  /// True if all work queued so far is done.
  bool idle() const;

 private:
  friend class buffer;
  enum class hold : std::uint8_t { none, owned };
  stream(device where, void* handle, hold held) : handle_(handle), device_(where), hold_(held) {}
  /// A second handle to the same stream: shares ownership of an owned stream, borrows a borrowed one.
  stream another() const;
  bool is_owned() const { return hold_ == hold::owned; }
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

/// Tells that a foreign stream is about to be destroyed. Work that shares memory with its calls waits for an
/// event from now on, and memory that was allocated on it goes back on another stream. A stream that is made
/// later with the same handle is another one. Does nothing for a stream that no call has used.
SINTER_API void forget(const stream& foreign) noexcept;

/// Waits for all work on the device.
SINTER_API void synchronize(device where);
/// Waits for all work on the default device.
SINTER_API void synchronize();

}  // namespace sinter::inline v0
