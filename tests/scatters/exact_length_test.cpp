// Chosen elements and positions outside of fused functions: arrays of exactly their length.

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "../order/ordered_call.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"

namespace sinter::test {
namespace {

std::vector<float> numbers(std::int64_t count) {
  std::vector<float> made;
  for (std::int64_t i = 0; i < count; ++i) made.push_back(static_cast<float>(i * 37 % 101) - 50);
  return made;
}
/// What throws while something is captured must say where else the function may be called.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const device_error& thrown) {
    return thrown.what();
  }
  return {};
}

}  // namespace

TEST_SUITE("compress and nonzero outside of fused functions") {
  TEST_CASE("an array of exactly the chosen elements, as NumPy's x[mask]") {
    for (const std::int64_t count : {0, 1, 5, 100, 5000}) {
      CAPTURE(count);
      const std::vector<float> all = numbers(count);
      std::vector<float> chosen, negative;
      std::vector<std::int64_t> positions;
      for (std::size_t i = 0; i < all.size(); ++i) {
        (all[i] > 0 ? chosen : negative).push_back(all[i]);
        if (all[i] > 0) positions.push_back(static_cast<std::int64_t>(i));
      }
      const array<float, 1> x = array<float, 1>::from(all);
      const auto made = compress(x, x > 0);
      static_assert(std::is_same_v<decltype(made), const array<float, 1>>);
      CHECK(made.to_vector() == chosen);
      CHECK(made.shape()[0] == static_cast<std::int64_t>(chosen.size()));
      const array<bool, 1> mask = x > 0;
      CHECK(compress(x, mask).to_vector() == chosen);
      CHECK(compress(x, !mask).to_vector() == negative);
      CHECK(compress(2 * x, mask).shape()[0] == static_cast<std::int64_t>(chosen.size()));
      CHECK(nonzero(mask).to_vector() == positions);
      CHECK(nonzero(x > 0).to_vector() == positions);
    }
  }
  TEST_CASE("all elements, and none") {
    const array<int, 1> x = array<int, 1>::from({3, 0, 5});
    CHECK(compress(x, x >= 0).to_vector() == std::vector<int>{3, 0, 5});
    CHECK(compress(x, x > 9).to_vector().empty());
    CHECK(nonzero(zeros<int>(3)).to_vector().empty());
    CHECK(nonzero(array<int, 1>({0})).to_vector().empty());
  }
  TEST_CASE("of views and of several axes, row-major") {
    const array<std::uint8_t, 2> x =
        array<std::uint8_t, 2>::from(std::vector<std::uint8_t>{7, 0, 9, 8}, {2, 2});
    CHECK(compress(x, x != 0).to_vector() == std::vector<std::uint8_t>{7, 9, 8});
    CHECK(compress(x(all(), 1), x(all(), 0) == 9).to_vector() == std::vector<std::uint8_t>{8});
    CHECK(compress(transpose(x), transpose(x) != 0).to_vector() == std::vector<std::uint8_t>{7, 9, 8});
    CHECK(nonzero(x).to_vector() == std::vector<std::int64_t>{0, 2, 3});
    CHECK(x(1, 0).to_vector() == std::vector<std::uint8_t>{9});
  }
  TEST_CASE("what is chosen is an array that later calls take") {
    const array<float, 1> x = array<float, 1>::from({1.f, -2.f, 3.f});
    const array<float, 1> roots = sqrt(compress(x, x > 0) + 1);
    CHECK(roots.shape()[0] == 2);
    CHECK(array<float, 1>(x(nonzero(x > 0))).to_vector() == std::vector<float>{1, 3});
  }
  TEST_CASE("a mask of another shape is refused") {
    const array<int, 1> x = array<int, 1>::from({1, 2});
    const array<bool, 1> longer = array<bool, 1>::from(std::vector<bool>{false, true, true});
    CHECK_THROWS_AS(compress(x, longer), shape_error);
  }
  TEST_CASE("the host cannot wait during a capture that the default stream takes part in") {
    fake_cuda fake;
    const array<float, 1> x({100}, cuda);
    const array<bool, 1> mask({100}, cuda);
    const foreign_stream own(fake);  // the default stream waits for such a one
    const auto queued = [&] { return fake.calls("cuLaunchKernel") + fake.calls("cuStreamSynchronize"); };
    const int before = queued();
    const capture_scope capture(fake, own.borrowed());
    const std::string of_elements = refusal([&] { (void)compress(x, mask); });
    CHECK(of_elements.find("compress at ") == 0);
    CHECK(of_elements.find("call compress inside fuse") != std::string::npos);
    CHECK(refusal([&] { (void)nonzero(mask); }).find("call nonzero inside fuse") != std::string::npos);
    CHECK(queued() == before);
  }
  TEST_CASE("the host cannot wait for operands that a captured call uses") {
    if (nvrtc_is_missing()) return;
    fake_cuda fake;
    const array<float, 1> x({100}, cuda);
    const stream own = stream::create(cuda);
    const auto twice = fuse([](auto x) { return 2 * x; });
    (void)twice.on(own)(x);
    own.synchronize();
    const capture_scope capture(fake, own);
    const array<float, 1> captured = twice.on(own)(x);
    CHECK(refusal([&] { (void)compress(captured, captured > 0); }).find("call compress inside fuse") !=
          std::string::npos);
  }
}

}  // namespace sinter::test
