#pragma once
// The one order of what Sinter queues on a device, whichever streams it is queued on.

#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/cuda/driver_types.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/stream.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::runtime {

/// Work had to be ordered on a stream that is being captured into a CUDA graph, or after one. Nothing was
/// queued.
class capture_conflict : public device_error {
 public:
  using device_error::device_error;
};

/// Memory on its way back to where it came from.
struct freed_memory {
  memory_resource* resource = nullptr;
  void* data = nullptr;
  std::size_t bytes = 0;
  stream made_on;
  bool calls_driver_alone = false;  ///< the resource is the built-in one
};

/// The order of one device. What was queued so far ends at the *tail*, the stream that was used last, and at
/// *marks*, events that were recorded where a stream cannot serve as tail any more. Work on the tail needs no
/// more than a comparison. Work on any other stream makes that one wait for the tail, by an event, and for
/// the marks; it is the tail from then on. So all of Sinter's work on the device is done in one order, and
/// whatever is queued last comes after all of it.
///
/// Safe from any thread. Work that one thread queues while another one changes the tail is found when its
/// stream is left: it is marked then.
class stream_order {
 public:
  stream_order(int device, CUcontext primary) : device_(device), primary_(primary) {}

  /// Orders what is queued on the stream from now on after all that was queued on the device. `context` is
  /// that of a default stream. Throws capture_conflict before it touches a stream. Whoever enters leaves,
  /// once the work is queued: see ordered_work. The answer is for leave().
  std::uint64_t enter(const stream& on, CUcontext context) {
    if (last_.load(std::memory_order_acquire) == key_of(on, context)) [[likely]]
      return 0;
    return enter_another(on, context);
  }
  void leave(const stream& on, CUcontext context, std::uint64_t entered) noexcept {
    if (last_.load(std::memory_order_seq_cst) == key_of(on, context)) [[likely]]
      return;
    leave_another(on, context, entered);
  }

  /// Makes a stream, of another device perhaps, wait for what was queued here; and what is queued here later
  /// wait for what that stream has.
  void lead(const stream& other, CUcontext context);
  void follow(const stream& other, CUcontext context);

  /// Gives memory back after all that was queued: on the stream it was made on, where other libraries may
  /// have used it, or where that may be gone on another one. During a capture that is put off until later.
  void give_back(freed_memory memory) noexcept;

  /// The handle may be destroyed from now on.
  void let_go(const void* handle) noexcept;

  /// Around waiting on the host for everything, or for one stream: what was queued before is in nobody's way
  /// afterwards.
  std::uint64_t begin_wait(const stream* on);
  void end_wait(std::uint64_t begun, const stream* on);

 private:
  struct tail {
    stream on;
    CUcontext context;
  };
  struct mark {
    CUevent event;
    CUcontext context;
  };
  // What last_ holds where no stream can do with a comparison. Handle 2 is another stream in each thread, and
  // a default stream outside of the primary context another one than within: these have no key at all.
  static constexpr std::uintptr_t nobody = 2, no_key = 0;

  std::uintptr_t key_of(const stream& on, CUcontext context) const {
    const auto handle = reinterpret_cast<std::uintptr_t>(on.native());
    if (handle > 2) return handle;
    return handle < 2 && context == primary_ ? 1 : no_key;
  }
  std::uint64_t enter_another(const stream& on, CUcontext context);
  void leave_another(const stream& on, CUcontext context, std::uint64_t entered) noexcept;
  bool is_tail(const stream& on, CUcontext context) const;
  CUcontext context_of_stream(const stream& on, CUcontext context) const;
  bool is_captured(const stream& on) const;
  void check_that_capture_goes_on(const stream& on, CUcontext context);
  mark take_mark(CUcontext context);
  void mark_end_of(const stream& on, CUcontext context);
  void mark_tail(std::optional<tail>& gone);
  void wait_for_marks(const stream& on, CUcontext context);
  void forget_marks();
  stream stream_for_giving_back(const stream& made_on);
  bool give_back_on_tail(const freed_memory& memory);
  void give_back_parked() noexcept;
  void park(freed_memory&& memory);

  const int device_;
  const CUcontext primary_;
  std::atomic<std::uintptr_t> last_{nobody};  ///< key of the tail where a comparison will do
  fork_mutex guard_;                          ///< guards what follows
  std::optional<tail> tail_;
  std::vector<mark> marks_, spare_;
  const void* let_go_ = nullptr;  ///< the handle whose end is the only mark; never touched again
  std::uint64_t entries_ = 1;     ///< goes up with every change
  std::vector<freed_memory> parked_;
  std::atomic<bool> any_parked_{false};
  stream own_;  ///< for giving memory back where no other stream can be used
};

/// The order of a device of the driver in use. Never destroyed.
stream_order& stream_order_of(int device);

/// A scope in which work is queued on a CUDA stream.
class ordered_work {
 public:
  explicit ordered_work(const stream& on);
  ordered_work(stream_order& order, const stream& on, CUcontext context)
      : order_(order), on_(on), context_(context), entered_(order.enter(on, context)) {}
  ordered_work(const ordered_work&) = delete;
  ordered_work& operator=(const ordered_work&) = delete;
  ~ordered_work() { order_.leave(on_, context_, entered_); }

 private:
  stream_order& order_;
  const stream& on_;
  CUcontext context_;
  std::uint64_t entered_;
};

}  // namespace sinter::runtime
