#include <sinter/codegen/schedule/choose/choose_scan.hpp>
#include <sinter/codegen/schedule/device_fill.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <fmt/format.h>
#include <sinter/codegen/kernel/launch_fill.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>

namespace sinter::inline v0 {

launch_fill fill_of(const stage& launched, const target_facts& target) {
  const std::int64_t threads = std::int64_t{launched.threads_along} * launched.threads_across;
  if (fills_device(launched.tiles, threads, target)) return launch_fill::full;
  // elements, not work: pieces of few elements would be shorter than a block's chunks
  if (launched.tiles == 0 || count_elements(launched.body) < enough_work(target))
    return launch_fill::little_work;
  if (launched.chosen.resident && launched.body.phases > 1) return launch_fill::resident_rows;
  if (launched.cluster > 1) return launch_fill::one_cluster;
  if (has_scans(launched.body) && has_enough_threads(launched.chosen, launched.tiles, target))
    return launch_fill::scanned_once;
  if (launched.purpose.part == stage_part::combined && launched.body.phases > 1 &&
      count_elements(launched.body) < gpu_thresholds_of(target).fill.combined_work * enough_work(target))
    return launch_fill::combined_again;
  return launch_fill::idle;
}

std::string describe_fill(const stage& launched, const target_facts& target) {
  std::string few = fmt::format("{} blocks for {} multiprocessors", launched.tiles, target.multiprocessors);
  switch (fill_of(launched, target)) {
    case launch_fill::full:
      return "every multiprocessor has work";
    case launch_fill::little_work:
      return fmt::format("{}, since {} elements are little work", few, count_elements(launched.body));
    case launch_fill::one_cluster:
      return fmt::format("{}, since each row is the work of one cluster, quicker than a second launch", few);
    case launch_fill::resident_rows:
      return fmt::format("{}, since each row stays on the chip: pieces of it would be read once more", few);
    case launch_fill::scanned_once:
      return fmt::format("{}, since pieces of the rows that it scans would be read twice", few);
    case launch_fill::combined_again:
      return fmt::format("{}, since what pieces left is little, and read more than once", few);
    case launch_fill::idle:
      return few;
  }
  return few;
}

}  // namespace sinter::inline v0
