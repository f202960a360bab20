#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/device_fill.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>
#include <limits>

namespace sinter::inline v0 {

std::int64_t blocks_to_fill(const target_facts& target) {
  return gpu_thresholds_of(target).fill.blocks * target.multiprocessors;
}

bool fills_device(std::int64_t blocks, std::int64_t threads, const target_facts& target) {
  return blocks >= target.multiprocessors &&
         blocks * threads >= gpu_thresholds_of(target).fill.threads_of_a_block * blocks_to_fill(target);
}

std::int64_t count_elements(const nest& body) {
  if (body.split < 0) return count_rows(body, false) * count_rows(body, true);
  const std::int64_t rows = count_rows(body, false) / body.extents[static_cast<unsigned>(body.split)];
  return rows * (count_rows(body, true) / body.extents[split_axis(body)]) * body.whole;
}

std::int64_t work_of_element(const nest& body, const target_facts& target) {
  const gpu_fill_thresholds& table = gpu_thresholds_of(target).fill;
  std::int64_t weight = 0;
  const bool reduces = body.reduced != 0;
  for (const instruction& at : body.body)
    if (!reduces || at.per_element) weight += weight_of(at.op);
  for (const access& at : body.accesses)
    if (at.what == access::kind::read && (!reduces || moves_along_reduced_axes(body, at)))
      weight += table.weight_of_read;
  return std::max<std::int64_t>(1, weight / table.weight_of_element);
}

std::int64_t count_work(const nest& body, const target_facts& target) {
  std::int64_t work = 0;
  if (__builtin_mul_overflow(count_elements(body), work_of_element(body, target), &work))
    return std::numeric_limits<std::int64_t>::max();
  return work;
}

std::int64_t enough_work(const target_facts& target) {
  return gpu_thresholds_of(target).fill.min_work * target.multiprocessors;
}

}  // namespace sinter::inline v0
