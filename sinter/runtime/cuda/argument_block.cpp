#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include <sinter/runtime/cuda/argument_block.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/memory.hpp>
#include <sinter/runtime/cuda/stream.hpp>

namespace sinter::inline v0::runtime {
namespace {

// A graph reads the source of a copy at each launch, and its destruction is not observable. So the block
// stays until the process ends, like the code in the graph. It is page-locked, so that CUDA can capture the
// copy.
const void* keep_for_graphs(std::span<const std::uint64_t> block, int device) {
  static auto& guard = *new std::mutex;
  static auto& kept = *new std::vector<pinned_memory>;
  const relaxed_capture relaxed;
  pinned_memory fresh(block.size_bytes(), device);
  std::memcpy(fresh.data(), block.data(), block.size_bytes());
  const std::lock_guard lock(guard);
  return kept.emplace_back(std::move(fresh)).data();
}

}  // namespace

void copy_arguments(void* to, std::span<const std::uint64_t> block, CUstream stream, int device) {
  if (capture_status(stream, device) == CUstreamCaptureStatus::none)
    return copy_to_device(to, block.data(), block.size_bytes(), stream, device);
  const void* const from = keep_for_graphs(block, device);
  const context_guard current(stream, device);
  check(require_driver().cuMemcpyHtoDAsync_v2(reinterpret_cast<CUdeviceptr>(to), from, block.size_bytes(),
                                              stream),
        "copying a kernel's arguments to a device");
}

}  // namespace sinter::inline v0::runtime
