// Draws in captured CUDA graphs: the same numbers in each replay, or new ones where the sequence is an array.

#include <doctest/doctest.h>

#include "../support/cuda/replayed_call.hpp"
#include "../support/needs.hpp"

#include <sinter/rng.hpp>
#include <sinter/sinter.hpp>

#include <cstdint>

namespace sinter::test {

TEST_SUITE("draws in captured graphs") {
  TEST_CASE("a replay draws anew where the sequence is an array that has changed") {
    if (lacks_cuda_device()) return;
    const device on = device::cuda(0);
    const stream queue = stream::create(on);
    const array<float, 1> like({10'000}, on);
    array<float, 1> out({10'000}, on);
    array<std::uint64_t, 0> sequence = array<std::uint64_t, 0>::from({3}, {}, on);
    const auto draw = fuse("draw", [](auto like, auto sequence) { return rng::uniform(like, 7, sequence); });
    const auto copied = fuse("copied", [](auto number) { return number; });
    draw.on(queue).into(out)(like, sequence);
    queue.synchronize();
    const auto drawn = [&](std::uint64_t number) {
      const array<float, 1> host({10'000}, device::cpu());
      return fuse([](auto like, auto number) { return rng::uniform(like, 7, number); })(host, number)
          .to_vector();
    };
    CHECK(out.to_vector() == drawn(3));
    const replayed_call replayed(queue, [&] { draw.on(queue).into(out)(like, sequence); });
    for (const std::uint64_t number : {3u, 4u, 100u}) {
      copied.into(sequence)(array<std::uint64_t, 0>::from({number}, {}, on));
      synchronize(on);
      for (int again = 0; again < 2; ++again) {
        replayed.run();
        queue.synchronize();
        CHECK(out.to_vector() == drawn(number));
      }
    }
  }
}

}  // namespace sinter::test
