#pragma once
// The single order of Sinter's work on a device, across all streams.

#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/cuda/driver_types.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/stream.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::inline v0::runtime {

/// Work had to be ordered on a stream that is being captured into a CUDA graph, or after such a stream.
/// Nothing was queued.
class capture_conflict : public device_error {
 public:
  using device_error::device_error;
};

/// Memory that is to be freed, with the resource that it came from.
struct freed_memory {
  memory_resource* resource = nullptr;
  void* data = nullptr;
  std::size_t bytes = 0;
  stream made_on;
  bool calls_driver_alone = false;  ///< the resource is the built-in one
};

/// The order of one device. The work queued so far ends at the *tail*, the stream that was used last, and at
/// *marks*, events that were recorded where a stream can no longer serve as the tail. Work on the tail costs
/// only a comparison. Work on another stream makes that stream wait for the tail, through an event, and for
/// the marks; that stream becomes the tail. So all of Sinter's work on the device runs in one order, and the
/// work queued last runs after everything else.
///
/// Safe from any thread. If one thread queues work while another changes the tail, leave() of the former
/// detects it and marks its stream.
class stream_order {
 public:
  stream_order(int device, CUcontext primary) : device_(device), primary_(primary) {}

  /// Orders work queued on the stream from now on after all work queued on the device. `context` is the
  /// context of a default stream. Throws capture_conflict before it touches a stream. Each enter() needs a
  /// leave() after the work is queued: see ordered_work. leave() takes the returned value.
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

  /// Makes `other`, which may be a stream of another device, wait for the work queued here, and makes later
  /// work here wait for the work on `other`.
  void lead(const stream& other, CUcontext context);
  void follow(const stream& other, CUcontext context);

  /// Frees memory after all queued work. It is freed on the stream that it was allocated on, where other
  /// libraries may have used it, or on another stream if that one may be destroyed. During a capture the free
  /// is postponed.
  void give_back(freed_memory memory) noexcept;

  /// From now on the handle may be destroyed.
  void let_go(const void* handle) noexcept;

  /// Encloses a wait on the host for everything, or for one stream. Afterwards no work has to wait for what
  /// was queued before.
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
  // Values of last_ for which the comparison must fail. Handle 2 is a different stream in each thread, and a
  // default stream is a different one outside of the primary context: these have no key.
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
  std::atomic<std::uintptr_t> last_{nobody};  ///< key of the tail, if a comparison suffices
  fork_mutex guard_;                          ///< guards the members below
  std::optional<tail> tail_;
  std::vector<mark> marks_, spare_;
  const void* let_go_ = nullptr;  ///< the handle whose end is the only mark; never used again
  std::uint64_t entries_ = 1;     ///< incremented by every change
  std::vector<freed_memory> parked_;
  std::atomic<bool> any_parked_{false};
  stream own_;  ///< for freeing memory if no other stream can be used
};

/// The order of a device of the current driver. Never destroyed.
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

}  // namespace sinter::inline v0::runtime
