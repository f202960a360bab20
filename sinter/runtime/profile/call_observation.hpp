#pragma once
// One call that is observed, around its launches.

#include <sinter/runtime/device.hpp>
#include <sinter/runtime/profile/call_log.hpp>
#include <sinter/runtime/profile/observers.hpp>

#include <cstdint>

namespace sinter::inline v0::runtime {

/// Begins with the call's launches and counts them in finish(), which a call that throws does not reach.
class call_observation {
 public:
  /// `on`: the stream of a GPU; nullptr: the CPU, or a GPU where the call is captured, which is not counted.
  call_observation(std::uint8_t observers, const observed_function& called, const stream_timeline* on);
  call_observation(const call_observation&) = delete;
  call_observation& operator=(const call_observation&) = delete;
  ~call_observation();

  /// The launches were queued; on the CPU they have run.
  void finish(const launched_work& work) noexcept;

 private:
  call_log& log_;
  const std::uint8_t observers_;
  const stream_timeline* const on_;
  const device where_;
  std::uint32_t row_ = 0;
  bool counts_ = false;
  bool measures_ = false;  ///< what costs_of() tells of
  double start_ = 0;
  gpu_span span_;
};

}  // namespace sinter::inline v0::runtime
