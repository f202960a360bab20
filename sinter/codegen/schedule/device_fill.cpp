#include <sinter/codegen/schedule/device_fill.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>

namespace sinter::inline v0 {

std::int64_t blocks_to_fill(const target_facts& target) {
  return gpu_thresholds_of(target).fill.blocks * target.multiprocessors;
}

bool fills_device(std::int64_t blocks, std::int64_t threads, const target_facts& target) {
  return blocks >= target.multiprocessors &&
         blocks * threads >= gpu_thresholds_of(target).fill.threads_of_a_block * blocks_to_fill(target);
}

std::int64_t enough_work(const target_facts& target) {
  return gpu_thresholds_of(target).fill.least_work * target.multiprocessors;
}

}  // namespace sinter::inline v0
