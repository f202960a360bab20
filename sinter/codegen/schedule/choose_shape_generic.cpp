#include <sinter/codegen/schedule/choose_shape_generic.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>

namespace sinter {
namespace {

std::uint16_t in_flight(const nest& bound, const gpu_shape_generic_thresholds& table, unsigned attempt) {
  const bool several =
      attempt == 0 && static_cast<std::int64_t>(bound.accesses.size()) <= table.most_accesses_in_flight;
  return narrow(several ? table.loads_in_flight : 1);
}

}  // namespace

schedule choose_general(const nest& bound, const target_facts& target, unsigned attempt) {
  schedule chosen;
  const bool reduces = bound.reduced != 0;
  chosen.order = reduces ? walk::row_reduction : walk::rows;
  if (target.kind == target_kind::host) {
    chosen.vector = reduces ? narrow(cpu_thresholds_of(target).row_lanes) : std::uint16_t{1};
    chosen.threads_along = 1;
    return chosen;
  }
  const gpu_shape_generic_thresholds& table = gpu_thresholds_of(target).shape_generic;
  if (reduces) {
    chosen.threads_along = narrow(table.row_threads);
    chosen.steps = in_flight(bound, table, attempt);
  } else if (bound.rank < 2) {
    chosen.threads_along = narrow(table.one_axis_threads);
    chosen.steps = in_flight(bound, table, attempt);
  } else {
    chosen.threads_along = narrow(table.threads_along);
    chosen.threads_across = narrow(table.threads_across);
    chosen.rows_per_thread = in_flight(bound, table, attempt);
  }
  return chosen;
}

}  // namespace sinter
