#include <vector>

#include <doctest/doctest.h>

#include <sinter/hana.hpp>

using namespace sinter;

namespace {

template <class Mean, class Spread>
struct moments {
  BOOST_HANA_DEFINE_STRUCT(moments, (Mean, mean), (Spread, spread));
};
template <class T>
struct particles {
  BOOST_HANA_DEFINE_STRUCT(particles, (T, position), (T, velocity));
};

}  // namespace

TEST_SUITE("dsl_hana") {
  TEST_CASE("a struct of values comes back as that struct of arrays") {
    const auto both = fuse([](auto x) { return moments<decltype(x), decltype(x > 0)>{x + 1, x > 2}; });
    const array<float, 1> x = arange<float>(4);
    const moments<array<float, 1>, array<bool, 1>> made = both(x);
    CHECK(made.mean.to_vector() == std::vector<float>{1, 2, 3, 4});
    CHECK(made.spread.to_vector() == std::vector<bool>{false, false, false, true});
  }

  TEST_CASE("a struct of arrays is an operand and a target") {
    const auto step = fuse([](const auto& before, auto dt) {
      auto after = before;
      after.position += before.velocity * dt;
      return after;
    });
    particles<array<float, 1>> all_of_them{arange<float>(3), ones<float>(3)};
    const particles<array<float, 1>> moved = step(all_of_them, 0.5f);
    CHECK(moved.position.to_vector() == std::vector<float>{0.5f, 1.5f, 2.5f});
    CHECK(moved.velocity.to_vector() == std::vector<float>{1, 1, 1});
    step.into(all_of_them)(moved, 0.5f);
    CHECK(all_of_them.position.to_vector() == std::vector<float>{1, 2, 3});
    // nested, with a tuple around it
    const auto energy = fuse([](const auto& pair) { return std::get<0>(pair).velocity * std::get<1>(pair); });
    const std::tuple<particles<view<float, 1>>, float> argument{
        particles<view<float, 1>>{all_of_them.position, all_of_them.velocity}, 2.0f};
    CHECK(energy(argument).to_vector() == std::vector<float>{2, 2, 2});
  }

  TEST_CASE("functions of structs nest") {
    const auto reverse =
        fuse([](const auto& p) { return particles<decltype(p.position)>{p.velocity, p.position}; });
    const auto twice =
        fuse([reverse](const auto& p) { return reverse(reverse(p)).position + reverse(p).position * 10; });
    const particles<array<float, 1>> given{arange<float>(3), ones<float>(3)};
    CHECK(twice(given).to_vector() == std::vector<float>{10, 11, 12});
  }
}
