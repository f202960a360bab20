#pragma once
// The times of calls on GPUs: pairs of events around their kernels, from pools.

#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/order/stream_timeline.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace sinter::inline v0::runtime {

/// What the kernels of a call are.
struct launched_work {
  std::uint64_t kernels = 0;
  std::uint64_t bytes = 0;  ///< least memory traffic
};

/// An event of which the host's time is known: it is recorded on an idle stream.
class gpu_moment;

/// Two events on a stream, around the kernels of a call.
struct gpu_span {
  const driver_api* api = nullptr;  ///< nullptr: there is none
  CUcontext context = nullptr;
  CUevent begin = nullptr, end = nullptr;
  std::shared_ptr<const gpu_moment> since;  ///< before it
  std::uint32_t timeline = 0;
  int device = 0;
  bool is_drawn = false;  ///< it stands for calls that are not timed, too
};

/// Records the end of a span on its stream. Gives false if the driver refuses.
bool end_span(const gpu_span& span, const stream_timeline& on);

struct span_time {
  double start = 0;    ///< seconds of the host's steady clock
  double seconds = 0;  ///< 0 if the driver does not tell
};
/// Whether a span's end is reached, or will never be told.
bool is_over(const gpu_span& span);
/// The times of a span; waits for its end.
span_time read_span(const gpu_span& span);

/// Makes spans of one thread's calls. Not safe from several threads.
class gpu_span_maker {
 public:
  /// Records the begin of a span. Its `api` is nullptr if the driver refuses.
  gpu_span begin(const stream_timeline& on);
  /// Takes events back, which may serve again.
  void take_back(gpu_span&& span);

 private:
  /// What belongs to a context of a driver; tests use several.
  struct pool {
    const driver_api* api = nullptr;
    CUcontext context = nullptr;
    CUstream idle = nullptr;  ///< for moments
    std::vector<CUevent> free;
    std::shared_ptr<const gpu_moment> latest;
  };
  pool& pool_of(const driver_api& api, CUcontext context);
  static CUevent take_event(pool& from);
  static void renew_moment(pool& of);

  std::vector<pool> pools_;
};

}  // namespace sinter::inline v0::runtime
