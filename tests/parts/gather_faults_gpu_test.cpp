// Indices out of range on a GPU: who throws, when, and once.

#include <doctest/doctest.h>

#include "../support/cuda/replayed_call.hpp"
#include "../support/needs.hpp"

#include <sinter/sinter.hpp>

#include <vector>

namespace sinter::test {
namespace {

const auto rows = fuse("rows", [](auto x, auto i) { return take(x, i, axis<0>) + 1.0f; });

struct faulty_call {
  device on = device::cuda(0);
  array<float, 1> x = array<float, 1>::from(std::vector<float>{10, 11, 12, 13}, {4}, on),
                  out = array<float, 1>({3}, on);
  array<int, 1> good = array<int, 1>::from(std::vector<int>{3, 0, -1}, {3}, on),
                bad = array<int, 1>::from(std::vector<int>{3, 7, 0}, {3}, on);

  void call(const stream& queue, const array<int, 1>& indices) { rows.on(queue).into(out)(x, indices); }
  template <class Action>
  static void expect_fault(Action action) {
    CHECK_THROWS_WITH_AS(action(), doctest::Contains("index 7 is out of range: the axis has 4 elements"),
                         index_error);
  }
};

}  // namespace

TEST_SUITE("indices out of range on a GPU") {
  TEST_CASE("a wait for the stream throws, once") {
    if (lacks_cuda_device()) return;
    faulty_call made;
    const stream queue = stream::create(made.on);
    made.call(queue, made.bad);
    faulty_call::expect_fault([&] { queue.synchronize(); });
    queue.synchronize();
    made.call(queue, made.good);
    queue.synchronize();
    CHECK(made.out.to_vector() == std::vector<float>{14, 11, 14});
  }

  TEST_CASE("a wait for the device throws, and so does a copy to the host") {
    if (lacks_cuda_device()) return;
    faulty_call made;
    const stream queue = stream::create(made.on);
    made.call(queue, made.bad);
    faulty_call::expect_fault([&] { synchronize(made.on); });
    const stream first = stream::default_of(made.on);
    made.call(first, made.bad);
    faulty_call::expect_fault([&] { made.out.to_vector(); });
    CHECK(made.out.to_vector().size() == 3);
  }

  TEST_CASE("check() throws what finished work has found, and waits for nothing") {
    if (lacks_cuda_device()) return;
    faulty_call made;
    const stream queue = stream::create(made.on);
    queue.check();
    made.call(queue, made.bad);
    while (!queue.idle()) {
    }
    faulty_call::expect_fault([&] { queue.check(); });
    queue.check();
  }

  TEST_CASE("each replay of a captured graph reports anew") {
    if (lacks_cuda_device()) return;
    faulty_call made;
    const stream queue = stream::create(made.on);
    made.call(queue, made.good);
    queue.synchronize();
    const replayed_call replayed(queue, [&] { made.call(queue, made.bad); });
    for (int i = 0; i < 2; ++i) {
      replayed.run();
      faulty_call::expect_fault([&] { queue.synchronize(); });
    }
  }
}

}  // namespace sinter::test
