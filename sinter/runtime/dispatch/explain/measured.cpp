#include <fmt/format.h>

#include <sinter/runtime/dispatch/explain/measured.hpp>

#include <sinter/codegen/nest/computed_operations.hpp>
#include <sinter/codegen/nest/nest_bodies.hpp>
#include <sinter/codegen/schedule/device_fill.hpp>
#include <sinter/codegen/schedule/model/gpu_rates.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/runtime/base/rates.hpp>

#include <algorithm>
#include <span>

namespace sinter::inline v0::runtime {
namespace {

/// Shares of a roof from which a call is near it.
constexpr double near_share = 0.5;

struct counted_work {
  double bytes = 0, operations = 0, instructions = 0;

  void add(operation op, double times) {
    operations += times;
    instructions += times * weight_of(op);
  }
};

/// An operation that reductions combine with, once for each element: computed_operations() leaves it out.
void add_reductions(const nest& body, double elements, counted_work& to) {
  for (const instruction& at : body.body) {
    if (!is_reduction(at.op) || combines_by_body(at.op) || at.op == operation::last) continue;
    to.add(facts_of(at.op).combine, elements * static_cast<double>(times_evaluated(body, at)));
  }
}

void add_stage(const stage& at, const target_facts& target, counted_work& to) {
  if (at.tiles == 0) return;
  to.bytes += static_cast<double>(at.bytes_moved);
  if (!at.has_kernel()) return;
  const auto elements = static_cast<double>(count_elements(at.body));
  const auto rows = static_cast<double>(count_rows(at.body, false));
  for (const computed_operation& each : computed_operations(at.body, at.chosen.resident, is_gpu(target.kind)))
    // a body combines each element once
    to.add(each.op, elements * static_cast<double>(each.for_element + each.for_combine) +
                        rows * static_cast<double>(each.for_row));
  add_reductions(at.body, elements, to);
}

/// Instructions of threads that a GPU can issue in a second; 0 if its clock rate was not measured.
double issued_per_second(const target_facts& target) {
  if (!is_gpu(target.kind)) return 0;
  const auto [rates, is_estimated] = gpu_rates_of(target);
  if (is_estimated) return 0;
  const auto per_cycle = static_cast<double>(rates_in_cycle) / static_cast<double>(rates.instruction);
  return per_cycle * static_cast<double>(warp_threads(target.kind)) * target.multiprocessors *
         static_cast<double>(rates.megahertz) * 1e6;
}

std::string describe_roof(const measured_rates& of) {
  switch (of.near) {
    case roof::memory:
      return "limited by memory";
    case roof::arithmetic:
      return "limited by arithmetic";
    case roof::neither:
      break;
  }
  return of.issued_per_second > 0 ? "limited by neither memory nor arithmetic" : "not limited by memory";
}

std::string describe_schedules(const tuned_call& tuned) {
  if (tuned.gain > 0)
    return fmt::format("schedules: measured, from {}: {:.1f}% less time than the default's{}{}\n",
                       tuned.origin, 100 * tuned.gain,
                       tuned.gain_low < tuned.gain_high
                           ? fmt::format(" ({:.1f} to {:.1f})", 100 * tuned.gain_low, 100 * tuned.gain_high)
                           : "",
                       tuned.cuts != cut_choice() ? ", with " + to_string(tuned.cuts) : "");
  return tuned.others_timed != 0
             ? fmt::format("schedules: the default, confirmed by measuring, from {}\n", tuned.origin)
             : fmt::format("schedules: the default, from {}, where no other was measured\n", tuned.origin);
}

}  // namespace

measured_rates rates_of(const lowered_call& lowered, const target_facts& target, const tuned_call& tuned) {
  counted_work work;
  for (const stage& at : std::span(lowered.stages).first(lowered.stage_count)) add_stage(at, target, work);
  measured_rates made;
  made.bytes_per_second = tuned.bytes_per_second;
  made.copy_bytes_per_second = tuned.copy_bytes_per_second;
  if (work.bytes > 0) {
    made.operations_per_second = tuned.bytes_per_second * work.operations / work.bytes;
    made.instructions_per_second = tuned.bytes_per_second * work.instructions / work.bytes;
  }
  made.issued_per_second = issued_per_second(target);
  const double memory = made.share_of_copy(), arithmetic = made.share_of_issue();
  if (std::max(memory, arithmetic) >= near_share)
    made.near = memory >= arithmetic ? roof::memory : roof::arithmetic;
  return made;
}

std::string describe_measured(const lowered_call& lowered, const target_facts& target,
                              const tuned_call& tuned) {
  std::string text = describe_schedules(tuned);
  if (!(tuned.chosen_seconds > 0)) return text;
  const measured_rates rates = rates_of(lowered, target, tuned);
  text += fmt::format("measured: {}", time_text(tuned.chosen_seconds));
  if (tuned.gain > 0) text += fmt::format(" (default {})", time_text(tuned.usual_seconds));
  text += fmt::format(", {}", rate_text(rates.bytes_per_second));
  if (rates.copy_bytes_per_second > 0)
    text += fmt::format(" of the {} of a copy ({:.0f}%)", rate_text(rates.copy_bytes_per_second),
                        100 * rates.share_of_copy());
  text += fmt::format(", {:.2e} operations/s", rates.operations_per_second);
  if (rates.issued_per_second > 0)
    text += fmt::format(", about {:.0f}% of the {:.2e} instructions/s that the device issues",
                        100 * rates.share_of_issue(), rates.issued_per_second);
  if (rates.copy_bytes_per_second > 0) text += ", " + describe_roof(rates);
  return text + '\n';
}

}  // namespace sinter::inline v0::runtime
