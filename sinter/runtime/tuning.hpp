#pragma once
// Tuning: measures which schedule is the fastest for a function on one device, keeps it, and writes it down.
//
//     const auto report = softmax.tune(x);         // or tune(x, {.budget = 10s, .may_change_bits = true})
//     std::cout << report;                         // candidates, times, roofline, the winner
//     report.save("softmax.tuning");               // and in a later process:
//     sinter::load_tuning("softmax.tuning");
//
// Threads: any thread may call these at any time; trials of two threads disturb each other's times.
// Throws: type_error for a file that is damaged or of another version, device_error for one that cannot be
// read or written, and while trying what a call throws.
// After a failure: no schedule has changed, and no array.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/schedule/cut_choice.hpp>
#include <sinter/codegen/schedule/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace sinter::inline v0 {

/// A length of time: a number of seconds, or any std::chrono duration.
class time_span {
 public:
  constexpr time_span(double seconds) : seconds_(seconds) {}
  template <class Duration>
    requires requires(const Duration& given) { given.count() * Duration::period::num; }
  constexpr time_span(const Duration& given)
      : seconds_(static_cast<double>(given.count()) * static_cast<double>(Duration::period::num) /
                 static_cast<double>(Duration::period::den)) {}
  constexpr double seconds() const { return seconds_; }

 private:
  double seconds_;
};

struct tune_options {
  /// How long to compile and measure. What there was no time for, the report says. type_error unless it is
  /// positive.
  time_span budget = 5.0;
  /// The share of the time that a schedule must gain, beyond noise, to replace the default one; from 0 to 1.
  double least_gain = 0.02;
  /// Also tries schedules under which reductions combine their elements in another order, so that results
  /// may differ by rounding.
  bool may_change_bits = false;
};

/// What became of a schedule that was considered.
enum class trial_outcome : std::uint8_t {
  timed,         ///< its time stands
  dropped,       ///< clearly slower than the best after a few runs
  other_result,  ///< its result is not the default's; never chosen
  failed,        ///< it did not compile or run, `why` says how
  not_tried,     ///< the budget was used up
};

/// One schedule of one stage, or one way to cut rows into pieces, and its times from cold caches.
struct tuning_trial {
  schedule tried;
  trial_outcome outcome = trial_outcome::not_tried;
  double seconds = 0;        ///< of the whole call: the median
  double low = 0, high = 0;  ///< the interval in which the median lies with 95% confidence
  std::uint32_t samples = 0;
  std::string why;
  cut_choice cut{};  ///< of a trial of cuts, which has the schedules of the lowering pass
};

/// The trials of one kernel of a call.
struct tuned_stage {
  std::string purpose;               ///< what the kernel computes
  std::int64_t bytes_moved = 0;      ///< least memory traffic of one launch
  schedule usual;                    ///< that of the lowering pass
  schedule chosen;                   ///< the winner
  std::size_t candidates = 0;        ///< how many legal schedules there are to try
  std::vector<tuning_trial> trials;  ///< the usual schedule first
};

/// What one tuning measured and chose.
struct tuning_report {
  std::string function;                ///< its name, or where it is defined
  std::string graph;                   ///< hash of its graph, by which it is found again
  std::string device;                  ///< model of the device
  std::string call;                    ///< class of the call: types, ranks, sizes, layouts
  double usual_seconds = 0;            ///< of the call with the default schedules
  double chosen_seconds = 0;           ///< with those chosen
  double gain = 0;                     ///< the share of the time that is saved; 0 if the default stays
  double gain_low = 0, gain_high = 0;  ///< its 95% interval
  double bytes_per_second = 0;         ///< with the schedules chosen
  double copy_bytes_per_second = 0;    ///< what a copy of large arrays moves on the device: the roofline
  double clock_drift = 0;              ///< by which share the default's times changed from begin to end
  double seconds_used = 0;             ///< by compiling and measuring
  bool may_change_bits = false;
  cut_choice cut;  ///< the winner; without one rows are cut as the lowering pass chooses
  std::vector<tuning_trial> cut_trials;  ///< the usual cut first; empty if rows are not cut in other ways
  std::vector<tuned_stage> stages;       ///< with the cut that won, or seemed to until the end

  /// Whether another schedule than the default is used from now on.
  bool has_winner() const { return gain > 0; }
  /// Adds the result to a file, or makes one. Records of other functions, devices and classes of calls stay;
  /// one of the same is replaced. The file is text with a line for each trial, and the union of two files'
  /// lines is a file again.
  SINTER_API void save(const std::string& path) const;
};

/// The report as text: a line for each trial, the fastest first.
SINTER_API std::string to_string(const tuning_report& report);
SINTER_API std::ostream& operator<<(std::ostream& to, const tuning_report& report);

/// Uses the schedules of a file from the next calls on, unless a call has a schedule of its own (with()).
/// Packs can carry such records too (`sinter pack build --tuning`); those of a file come before them.
/// Returns how many records are for devices that are here; the log hook is warned if none is. Of several
/// records for the same calls the one with the largest gain counts. A schedule that cannot run a call, which
/// is possible where layouts differ, is not used there: explain() then names no measured schedules.
SINTER_API std::size_t load_tuning(const std::string& path);
/// Goes back to the schedules of packs, else to those that the lowering pass chooses, as if nothing had been
/// tuned or loaded.
SINTER_API void forget_tuning();

}  // namespace sinter::inline v0
