// What an extension for Python does with a producer's exchange table: python_tensors.py calls it with tensors
// of libraries that have one. A library of its own, as ctypes loads it.
#include <cstdio>
#include <exception>

#include <sinter/dlpack_exchange.hpp>

using namespace sinter;

namespace {
const auto doubled = fuse("exchange_doubled", [](auto x) { return x + x; });
}  // namespace

/// x + x, computed on the producer's current stream: a new object of the producer's. x has elements of
/// float32 and one axis. A null pointer after a line on stderr where something fails.
extern "C" [[gnu::visibility("default")]] void* sinter_exchange_doubled(void* table, void* object) {
  try {
    const dlpack_exchange exchange(table);
    const any_view borrowed = exchange.borrow(object);
    const any_array taken = exchange.take(object);
    if (taken.view().data() != borrowed.data() || taken.device() != borrowed.device())
      throw error("what was taken is not what was borrowed");
    const stream on = exchange.current_stream(borrowed.device());
    // In memory of the producer's allocator.
    any_array made = exchange.allocate(borrowed.type(), borrowed.shape(), borrowed.device());
    doubled.on(on).into(as_view<float, 1>(made))(as_view<const float, 1>(borrowed));
    return exchange.give(std::move(made));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "sinter_exchange_doubled: %s\n", failure.what());
    return nullptr;
  }
}
