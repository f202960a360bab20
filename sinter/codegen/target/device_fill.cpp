#include <sinter/codegen/target/device_fill.hpp>

namespace sinter {
namespace {

constexpr std::int64_t blocks_of_multiprocessor = 2, threads_of_block = 64;
constexpr std::int64_t work_of_multiprocessor = 1 << 12;

}  // namespace

bool fills_device(std::int64_t blocks, std::int64_t threads, const target_facts& target) {
  return blocks >= target.multiprocessors &&
         blocks * threads >= blocks_of_multiprocessor * threads_of_block * target.multiprocessors;
}

std::int64_t enough_work(const target_facts& target) {
  return work_of_multiprocessor * target.multiprocessors;
}

}  // namespace sinter
