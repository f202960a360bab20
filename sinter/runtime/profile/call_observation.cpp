#include <utility>

#include <sinter/runtime/profile/call_costs.hpp>
#include <sinter/runtime/profile/call_observation.hpp>
#include <sinter/runtime/profile/host_clock.hpp>
#include <sinter/runtime/profile/nvtx_ranges.hpp>
#include <sinter/runtime/profile/report_at_exit.hpp>

namespace sinter::inline v0::runtime {

call_observation::call_observation(std::uint8_t observers, const observed_function& called,
                                   const stream_timeline* on)
    : log_(call_log::of_thread()),
      observers_(observers),
      on_(on),
      where_(called.where),
      row_(log_.row_of(called)) {
  const bool is_captured = on == nullptr && !called.where.is_cpu();
  counts_ = (observers & counts_calls) != 0 && !is_captured;
  measures_ = (observers & measures_costs) != 0 && !is_captured;
  if (counts_ && on != nullptr) {
    report_before_driver_ends();
    const call_log::timing how =
        (observers & times_all) != 0 ? call_log::timing::always : log_.draw_timing(row_);
    if (how != call_log::timing::none) span_ = log_.begin_span(*on, how);
  }
  if ((observers & names_ranges) != 0) begin_nvtx_range(log_.name_of(row_).c_str());
  if (counts_ && on == nullptr) start_ = host_seconds();
}

// A call that ran does not fail for want of memory to count it.
void call_observation::finish(const launched_work& work) noexcept {
  if (measures_) add_costs(work, where_, on_);
  if (!counts_) return;
  try {
    if (on_ == nullptr)
      log_.add_call(row_, work, start_, host_seconds());
    else if (span_.api != nullptr && end_span(span_, *on_))
      log_.add_call(row_, work, std::exchange(span_, {}));
    else  // it is not to be timed, or the driver refuses events
      log_.add_call(row_, work);
  } catch (const std::bad_alloc&) {
  }
}

call_observation::~call_observation() {
  if ((observers_ & names_ranges) != 0) end_nvtx_range();
  if (span_.api == nullptr) return;
  try {
    log_.drop_span(std::move(span_));
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace sinter::inline v0::runtime
