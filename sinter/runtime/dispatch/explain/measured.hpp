#pragma once
// What explain() says of a call that was measured: its rates beside the device's.

#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/target/target.hpp>
#include <sinter/runtime/tuned/stage_schedules.hpp>

#include <cstdint>
#include <string>

namespace sinter::inline v0::runtime {

/// Which roof of the device a call is near: the one of which it has the larger share, if that is a half at
/// least.
enum class roof : std::uint8_t { memory, arithmetic, neither };

struct measured_rates {
  double bytes_per_second = 0, copy_bytes_per_second = 0;
  /// Operations as computed_operations() counts them, and one for each element that a reduction combines.
  double operations_per_second = 0;
  /// Instructions for these, as many as an operation's weight, and those that the device can issue; 0: not
  /// known. That is so of the CPU, where vectors decide, and of GPUs whose clock rate was not measured.
  double instructions_per_second = 0, issued_per_second = 0;
  roof near = roof::neither;

  double share_of_copy() const {
    return copy_bytes_per_second > 0 ? bytes_per_second / copy_bytes_per_second : 0;
  }
  double share_of_issue() const {
    return issued_per_second > 0 ? instructions_per_second / issued_per_second : 0;
  }
};

/// The rates of a call. Another call of its class may have been measured, of other sizes: the operations for
/// each byte are those of this call, the bytes per second of that one.
measured_rates rates_of(const lowered_call& lowered, const target_facts& target, const tuned_call& tuned);

/// Two lines: where the schedules are from, and, if it is known, what was measured.
std::string describe_measured(const lowered_call& lowered, const target_facts& target,
                              const tuned_call& tuned);

}  // namespace sinter::inline v0::runtime
