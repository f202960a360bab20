// Calls drawn at random on several streams of a real GPU, with delays planted on every stream, beside the
// same calls in their order on the host.
#include <doctest/doctest.h>

#include "../support/needs.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/sinter.hpp>

namespace sinter {
namespace {

const device cuda = device::cuda(0);
constexpr std::int64_t count = 1 << 14;

/// Arrays whose elements are all equal, and the element that each must have.
struct drawn_arrays {
  std::vector<array<std::uint32_t, 1>> on_device;
  std::vector<std::uint32_t> expected;

  void add(std::uint32_t value) {
    on_device.push_back(full<std::uint32_t>(shape<1>(count), value, cuda));
    expected.push_back(value);
  }
  /// The number of elements that are wrong, over all arrays.
  std::int64_t wrong() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < on_device.size(); ++i)
      for (const std::uint32_t each : on_device[i].to_vector()) sum += each != expected[i];
    return sum;
  }
};

/// A stream, and work of about a millisecond that nothing else shares.
struct delayed_stream {
  stream on;
  array<float, 1> kept = ones<float>(shape<1>(1 << 22), cuda);

  explicit delayed_stream(stream order) : on(std::move(order)) {}
  void delay() {
    static const auto slow = fuse("stream_order_drawn_delay", [](auto x) {
      auto y = x;
      for (int i = 0; i < 60; ++i) y = sqrt(y * y + literal(0.0f));
      return y;
    });
    for (int i = 0; i < 3; ++i) slow.on(on).into(kept)(kept);
  }
};

}  // namespace

TEST_CASE("on a GPU calls drawn at random on delayed streams give what they give in order") {
  if (test::lacks_cuda_device() || test::lacks_nvrtc()) return;
  const auto mixed = fuse("stream_order_drawn_mixed", [](auto x, auto y) { return x * literal(3u) + y; });
  const auto total = fuse("stream_order_drawn_total", [](auto x) { return x + max(x, axis<0>); });
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    std::mt19937 draw(seed);
    const auto below = [&](std::size_t end) { return static_cast<std::size_t>(draw() % end); };
    drawn_arrays arrays;
    for (std::uint32_t i = 0; i < 6; ++i) arrays.add(i + 1);
    std::vector<delayed_stream> streams;
    streams.emplace_back(stream::default_of(cuda));
    for (int i = 0; i < 4; ++i) streams.emplace_back(stream::create(cuda));
    for (int step = 0; step < 400; ++step) {
      if (below(4) == 0) streams[below(streams.size())].delay();
      const stream& on = streams[below(streams.size())].on;
      const std::size_t to = below(6), from = below(6), other = below(6);
      const std::uint32_t value = arrays.expected[from] * 3 + arrays.expected[other];
      switch (below(6)) {
        case 0:  // in place where an operand is the result
        case 1:
          mixed.on(on).into(arrays.on_device[to])(arrays.on_device[from], arrays.on_device[other]);
          arrays.expected[to] = value;
          break;
        case 2:  // new memory; the old one goes back, whoever still reads it
          arrays.on_device[to] = mixed.on(on)(arrays.on_device[from], arrays.on_device[other]);
          arrays.expected[to] = value;
          break;
        case 3:
          arrays.on_device[to] = total.on(on)(arrays.on_device[from]);
          arrays.expected[to] = 2 * arrays.expected[from];
          break;
        case 4:
          arrays.on_device[to] = arrays.on_device[from].copy();
          arrays.expected[to] = arrays.expected[from];
          break;
        default:
          streams[1 + below(4)] = delayed_stream(stream::create(cuda));  // the old one still has work
      }
    }
    CHECK(arrays.wrong() == 0);
  }
}

}  // namespace sinter
