#pragma once
// Streams and events: the order in which a device works.

#include <sinter/runtime/device.hpp>

#include <cstdint>

namespace sinter {

class buffer;

namespace runtime {
class stream_order;
struct owned_stream;
}  // namespace runtime

/// An order of work on one device. A stream of the CPU is always idle: its calls return when done.
///
/// Calls keep one order on a device whichever streams they are given: a call on another stream than the
/// latest one's waits there, on the device, for what that one has queued. Memory of arrays is given back
/// after all of it. Calls on one stream cost one comparison more.
///
/// Move-only. A stream that create() made lives until this object, the memory that was allocated on it and
/// the work that others wait for need it no more. A borrowed one has to live as long as the objects that name
/// it.
class stream {
 public:
  /// The device's default stream (CUDA's legacy default stream, on which other libraries order themselves).
  static stream default_of(device where) { return stream(where, nullptr, hold::none); }
  /// A new stream, owned.
  static stream create(device where);
  /// A foreign CUstream or cudaStream_t, borrowed. The numbers 1 and 2 (CUDA's special handles) are accepted.
  /// When the object goes, what was called on it is marked, so that the stream may be destroyed: keep the
  /// object beside the stream rather than making one for each call. Calls on number 2, a thread's own default
  /// stream, are marked one by one.
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
  /// Waits for all work queued so far; errors of that work appear here.
  void synchronize() const;
  /// True if all work queued so far is done.
  bool idle() const;

 private:
  friend class buffer;
  friend class runtime::stream_order;
  enum class hold : std::uint8_t { none, borrowed, owned };
  stream(device where, void* handle, hold held) : handle_(handle), device_(where), hold_(held) {}
  /// The same stream once more: keeps an owned one alive, promises nothing of a borrowed one.
  stream another() const;
  bool is_owned() const { return hold_ == hold::owned; }
  /// Whether the handle is one of CUDA's default streams, which are always there.
  bool is_default() const { return reinterpret_cast<std::uintptr_t>(handle_) <= 2; }
  void let_go() noexcept;

  void* handle_ = nullptr;
  runtime::owned_stream* owned_ = nullptr;  ///< counted by itself: <memory> is dear to include
  device device_{};
  hold hold_ = hold::none;
};

/// A mark in a stream.
class event {
 public:
  event() = default;
  explicit event(const stream& recorded_on);
  event(event&& other) noexcept;
  event& operator=(event&& other) noexcept;
  ~event();
  void synchronize() const;
  bool done() const;
  /// Makes later work on `waiting` wait for this mark.
  void wait_on(const stream& waiting) const;

 private:
  void* handle_ = nullptr;
  device device_{};
};

/// Waits for all work on the device.
void synchronize(device where);
/// Waits for all work on the default device.
void synchronize();

}  // namespace sinter
