// Stateful functions with bodies follow the steps of their last recording, and leave them anywhere.
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "../support/count_allocations.hpp"
#include "../support/recorded_bodies.hpp"

using namespace bodies_test;

TEST_SUITE("repeated_bodies") {
  TEST_CASE("the steps of the last recording are followed through bodies, without a graph") {
    int count = 3;
    float factor = 2;
    const auto loop = [&](auto x) {
      return repeat(count, x, [&](auto s) {
        return when(
            s > x, [&] { return s * factor; }, [&] { return repeat(2, s, [&](auto t) { return t + x; }); });
      });
    };
    runtime::function_handle first;
    const auto finish = [&](detail::recording& at) {
      const runtime::function_handle& made = at.steps.finish();
      const bool same = made == first;
      if (!same) first = made;
      return std::pair(same, at.scalars[1]);
    };
    CHECK_FALSE(with_recording<floats>(loop, false, true, finish).first);
    CHECK(with_recording<floats>(loop, false, true, finish).first);
    count = 5;
    factor = 7;
    const allocation_counter counter;
    const auto [same, taken] = with_recording<floats>(loop, false, true, finish);
    CHECK(counter.count() == 0);
    CHECK(same);
    CHECK(taken == detail::number_bits(factor));
  }

  TEST_CASE("a recording that leaves the known steps anywhere, in any body, is the one of its own steps") {
    struct drawn_program {
      const std::vector<unsigned>& choices;
      const array<float, 1>& row;
      mutable std::size_t at = 0;
      floats run(floats x, floats around, unsigned depth) const {
        for (unsigned steps = 0; steps < 4 && at < choices.size(); ++steps) {
          const unsigned choice = choices[at++];
          switch (choice % 9) {
            case 0:
              x = x + around;
              break;
            case 1:
              x = x * static_cast<float>(choice);
              break;
            case 2:
              x = x - literal(static_cast<float>(choice / 9));
              break;
            case 3:
              x = x + row;
              break;
            case 4:
              if (depth < 4)
                x = repeat(choice, x,
                           [&](auto s) { return run(s, choice % 2 == 0 ? x : around, depth + 1); });
              break;
            case 5:
              if (depth < 4)
                x = when(
                    x > around, [&] { return run(x, around, depth + 1); },
                    [&] { return run(around, x, depth + 1); });
              break;
            case 6:
              if (depth < 4)
                x = repeat_while([&](auto s) { return s < around; }, x,
                                 [&](auto s, auto i) { return run(s + i, around, depth + 1); });
              break;
            case 7:
              x = x + sum(row) + astype<float>(extent<0>(row));
              break;
            default:
              return x;
          }
        }
        return x;
      }
      floats operator()(floats x, floats y) const {
        at = 0;
        return run(x, y, 0);
      }
    };
    std::mt19937 random(35);
    const auto row = made_row({1, 2});
    std::vector<unsigned> choices;
    for (int round = 0; round < 300; ++round) {
      if (round % 40 == 0) choices.assign(12 + random() % 12, 0);
      for (unsigned& choice : choices)
        if (round % 40 == 0 || random() % 12 == 0) choice = static_cast<unsigned>(random() % 27);
      const drawn_program program{choices, row};
      const recorded_function again = record_again<floats, floats>(program);
      const recorded_function fresh = record_on<floats, floats>(program);
      CAPTURE(to_string(again.made));
      CAPTURE(to_string(fresh.made));
      REQUIRE(again.made.same_content(fresh.made));
      REQUIRE(again.scalars == fresh.scalars);
    }
  }

  TEST_CASE("a stateful function with bodies follows its last recording") {
    const auto x = made_row({1, 2, 3});
    array<float, 1> out({3});
    int count = 3;
    float factor = 2;
    const auto call = [&] {
      fuse("looped", [&](auto v) {
        return repeat(count, v,
                      [&](auto s) { return when(s > 4.f, [&] { return s; }, [&] { return s * factor; }); });
      }).into(out)(x);
    };
    call();
    CHECK(out.to_vector() == numbers{8, 8, 6});
    call();
    {
      const allocation_counter counter;
      count = 1;
      factor = 3;
      call();
      CHECK(counter.count() == 0);
    }
    CHECK(out.to_vector() == numbers{3, 6, 9});
  }

  TEST_CASE("a recording that differs inside a body is recorded anew") {
    const auto x = made_row({1, 2});
    int what = 0;
    const auto looped = fuse([&](auto v) {
      auto result = repeat(2, v, [&](auto s) {
        if (what == 1) return s * v;
        if (what == 2) return s + v(0);
        return s + v;
      });
      return result + 1;
    });
    for (int round = 0; round < 3; ++round) {
      const numbers results[] = {{4, 7}, {2, 9}, {4, 5}};
      for (what = 0; what < 3; ++what) CHECK(looped(x).to_vector() == results[what]);
    }
  }
}
