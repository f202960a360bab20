#pragma once
// Times of single runs that begin with cold caches.

#include <sinter/runtime/cpu/flush_caches.hpp>
#include <sinter/runtime/stream.hpp>

#include <functional>
#include <memory>
#include <span>

namespace sinter::inline v0::runtime {

class trial_clock {
 public:
  virtual ~trial_clock() = default;
  /// Seconds that a run takes on the device, by CUDA events, or on the CPU, by its clock. What it touches is
  /// in no cache when it begins; on return the work is done.
  virtual double seconds_of(std::span<const cached_range> touched, const std::function<void()>& run) = 0;
};

/// For runs on a stream, which outlives it.
std::unique_ptr<trial_clock> clock_for(const stream& on);

/// Bytes per second, read and written, that a copy of large arrays moves on a device: the roofline of work
/// that memory bounds. Measured at the first call for a device.
double copy_bytes_per_second(const stream& on);

}  // namespace sinter::inline v0::runtime
