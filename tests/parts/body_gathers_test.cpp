// Bodies that take elements of arrays at indices which they compute.

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace sinter::test {
namespace {

array<float, 1> counted(int count) { return arange<float>(0.f, static_cast<float>(count)); }
array<int, 1> starts(int count) { return arange<int>(0, count); }

template <class T, unsigned Rank>
std::vector<T> elements(const array<T, Rank>& of) {
  return of.to_vector();
}

/// What a call says of an index, or on a GPU the wait for it.
template <class Call>
std::string message_of(Call call) {
  try {
    call();
    synchronize(device::current_default());
  } catch (const index_error& refused) {
    return refused.what();
  }
  return "nothing";
}

}  // namespace

TEST_SUITE("gathers in bodies") {
  TEST_CASE("a loop follows indices through a table") {
    const auto follow = fuse([](auto next, auto from, auto steps) {
      return repeat(steps, from, [&](auto at) { return next(at); });
    });
    for (const int count : {1, 10, 63, 64, 200, 5000}) {
      std::vector<int> next(static_cast<std::size_t>(count)), expected;
      for (std::size_t i = 0; i < next.size(); ++i) next[i] = static_cast<int>((i * 7 + 3) % next.size());
      for (int i = 0; i < count; ++i) {
        int at = i;
        for (int step = 0; step < 5; ++step) at = next[static_cast<std::size_t>(at)];
        expected.push_back(at);
      }
      CHECK(elements(array<int, 1>(follow(array<int, 1>::from(next), starts(count), 5))) == expected);
    }
  }

  TEST_CASE("indices along all axes, negative ones, and rules for those beyond") {
    const array<float, 2> image = array<float, 2>::from(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3});
    const auto walk = fuse([](auto image, auto from) {
      const auto [at, sum] = repeat(3, from, 0.f, [&](auto at, auto sum) {
        return std::tuple(at + 1, sum + gather(image, remainder(at, 2), -1 - remainder(at, 3)));
      });
      return sum;
    });
    std::vector<float> expected;
    for (int from = 0; from < 4; ++from) {
      float sum = 0;
      for (int at = from; at < from + 3; ++at) sum += static_cast<float>(at % 2 * 3 + (2 - at % 3));
      expected.push_back(sum);
    }
    CHECK(elements(array<float, 1>(walk(image, starts(4)))) == expected);
    const auto beyond = fuse([](auto table, auto from) {
      return repeat(2, astype<float>(from), [&](auto at) {
        const auto index = astype<std::int64_t>(at) * 3 - 2;
        return take(table, index, axis<0>, boundary::wrap) + take(table, index, axis<0>, boundary::clip);
      });
    });
    const auto once = [](float at) {
      const int index = static_cast<int>(at) * 3 - 2;
      return static_cast<float>((index % 5 + 5) % 5 + std::clamp(index, 0, 4));
    };
    expected.clear();
    for (int from = 0; from < 9; ++from) expected.push_back(once(once(static_cast<float>(from))));
    CHECK(elements(array<float, 1>(beyond(counted(5), starts(9)))) == expected);
  }

  TEST_CASE("an index out of range is an error where a lane is active and the element is used") {
    const auto stepping = fuse([](auto table, auto from, auto steps) {
      const auto [at, sum] =
          repeat(steps, from, 0.f, [&](auto at, auto sum) { return std::tuple(at + 1, sum + table(at)); });
      return sum;
    });
    CHECK(elements(array<float, 1>(stepping(counted(10), starts(8), 3))).back() == 7 + 8 + 9);
    const std::string said =
        message_of([&] { static_cast<void>(array<float, 1>(stepping(counted(10), starts(9), 3))); });
    CHECK(said.find("index 10 is out of range") != std::string::npos);
    CHECK(said.find("float32[:]") != std::string::npos);
    CHECK(said.find("axis 0") != std::string::npos);
    CHECK(message_of([&] { static_cast<void>(array<float, 1>(stepping(counted(10), starts(9), 0))); }) ==
          "nothing");
    const auto guarded = fuse([](auto table, auto from) {
      const auto [at, sum] = repeat(5, from, 0.f, [&](auto at, auto sum) {
        return std::tuple(at + 1, sum + where(at < 10, table(at), 0.f));
      });
      return sum;
    });
    CHECK(elements(array<float, 1>(guarded(counted(10), starts(10)))).back() == 9);
  }

  TEST_CASE("a condition may read what it guards: `i < n && table(i) < limit`") {
    const auto search = fuse([](auto table, auto from, auto limit) {
      return repeat_while([&](auto at) { return at < 10 && table(at) < limit; }, from,
                          [](auto at) { return at + 1; });
    });
    CHECK(elements(array<int, 1>(search(counted(10), starts(10), 4.f))) ==
          std::vector<int>{4, 4, 4, 4, 4, 5, 6, 7, 8, 9});
    CHECK(elements(array<int, 1>(search(counted(10), starts(10), 40.f))) == std::vector<int>(10, 10));
    const auto unguarded = fuse([](auto table, auto from) {
      return repeat_while([&](auto at) { return table(at) < 40.f; }, from, [](auto at) { return at + 1; });
    });
    CHECK(message_of([&] { static_cast<void>(array<int, 1>(unguarded(counted(10), starts(10)))); }) !=
          "nothing");
  }

  TEST_CASE("an index of the function that a body reads at counts where the body uses it") {
    const array<int, 1> at = array<int, 1>::from({0, 2, 5});
    const auto guarded = fuse([](auto table, auto at) {
      return repeat(2, 0.f * at, [&](auto sum) { return sum + where(at < 3, table(at), 0.f); });
    });
    CHECK(elements(array<float, 1>(guarded(counted(3), at))) == std::vector<float>{0, 4, 0});
    const auto never = fuse([](auto table, auto at, auto times) {
      return repeat(times, 0.f * at, [&](auto sum) { return sum + table(at); });
    });
    CHECK(elements(array<float, 1>(never(counted(3), at, 0))) == std::vector<float>(3, 0.f));
    CHECK(message_of([&] { static_cast<void>(array<float, 1>(never(counted(3), at, 1))); }) != "nothing");
  }

  TEST_CASE("rows that are cut into pieces have the loops and the reports of their elements") {
    constexpr int count = 1 << 22;
    const auto sums = [](auto table, auto from) {
      const auto [at, s] =
          repeat(3, from, 0.f, [&](auto at, auto s) { return std::tuple(at + 1, s + table(at)); });
      return s;
    };
    const auto total = fuse([=](auto table, auto from) { return sum(sums(table, from)); });
    const auto place = fuse([=](auto table, auto from) { return argmax(sums(table, from)); });
    const auto running = fuse([=](auto table, auto from) { return cumsum(sums(table, from), axis<0>); });
    std::vector<int> from(count, 1);
    from[count / 2 + 7] = 3;
    const array<int, 1> inside = array<int, 1>::from(from);
    from[count - 5] = 9;
    const array<int, 1> beyond = array<int, 1>::from(from);
    CHECK(elements(array<float, 0>(total(counted(10), inside))).front() == 6.f * count + 6);
    CHECK(elements(array<std::int64_t, 0>(place(counted(10), inside))).front() == count / 2 + 7);
    CHECK(elements(array<float, 1>(running(counted(10), inside)))[1000] == 6006);
    CHECK(message_of([&] { static_cast<void>(array<float, 0>(total(counted(10), beyond)).size()); }) !=
          "nothing");
    CHECK(message_of([&] { static_cast<void>(array<float, 1>(running(counted(10), beyond)).size()); }) !=
          "nothing");
    CHECK(total.explain(counted(10), beyond).find("pieces") != std::string::npos);
  }

  TEST_CASE("what is computed is stored although no axis of it is left to read along") {
    const auto plus_first = [](auto made) {
      return [made](auto y, auto x) {
        const auto t = made(y);
        return repeat(1, x, [&](auto v) { return v + t(astype<int>(v) * 0); });
      };
    };
    const std::vector<float> expected{6, 7, 8, 9};
    const auto check = [&](auto made) {
      CHECK(elements(array<float, 1>(fuse(plus_first(made))(counted(4), counted(4)))) == expected);
    };
    check([](auto y) { return (y(3) * 2.f)(newaxis); });
    check([](auto y) { return broadcast_to(y(slice(3, 4)) * 2.f, 5); });
    check([](auto y) { return broadcast_to(max(y) * 2.f, 5); });
    const auto of_number = fuse([](auto x, auto s) {
      const auto t = broadcast_to(s, 4);
      return repeat(1, x, [&](auto v) { return v + t(astype<int>(v) * 0); });
    });
    CHECK(elements(array<float, 1>(of_number(counted(4), 6.f))) == expected);
  }

  TEST_CASE("loops in a loop leave it where an index is out of range") {
    const auto fixed = fuse([](auto table, auto from) {
      return repeat_while(
          [&](auto at) {
            return repeat(1, 0.f * astype<float>(at), [&](auto s) { return s + table(at); }) < 40.f;
          },
          from, [](auto at) { return at + 1; });
    });
    const auto moving = fuse([](auto table, auto from) {
      return repeat_while(
          [&](auto at) {
            return repeat(1, 0.f * astype<float>(at),
                          [&](auto s) { return s + table(at + astype<int>(s)); }) < 40.f;
          },
          from, [](auto at) { return at + 1; });
    });
    std::vector<float> table(10, 1.f);
    table[8] = 50;
    const array<float, 1> ends = array<float, 1>::from(table);
    for (int first : {0, 3}) {
      const array<int, 1> from = array<int, 1>::from(std::vector<int>(70, first));
      CHECK(elements(array<int, 1>(fixed(ends, from))) == std::vector<int>(70, 8));
      CHECK(elements(array<int, 1>(moving(ends, from))) == std::vector<int>(70, 8));
      CHECK(message_of([&] { static_cast<void>(array<int, 1>(fixed(counted(10), from))); }) != "nothing");
      CHECK(message_of([&] { static_cast<void>(array<int, 1>(moving(counted(10), from))); }) != "nothing");
    }
  }

  TEST_CASE("a result that overlaps what a body reads is computed aside") {
    const auto twice = fuse([](auto next) { return repeat(2, next, [&](auto at) { return next(at); }); });
    std::vector<int> next, expected;
    for (int i = 0; i < 500; ++i) next.push_back((i * 7 + 3) % 500);
    for (const int i : next)
      expected.push_back(next[static_cast<std::size_t>(next[static_cast<std::size_t>(i)])]);
    array<int, 1> in_place = array<int, 1>::from(next);
    twice.into(in_place)(in_place);
    CHECK(in_place.to_vector() == expected);
  }

  TEST_CASE("a condition and the next states may take the same element") {
    const auto follow = fuse([](auto next, auto from) {
      return repeat_while([&](auto at) { return at < 3 && next(at) < 9; }, from,
                          [&](auto at) { return next(at); });
    });
    CHECK(elements(array<int, 1>(follow(array<int, 1>::from({1, 2, 3}), array<int, 1>::from({0, 2, 5})))) ==
          std::vector<int>{3, 3, 5});
  }

  TEST_CASE("a side of a choice reads where it is chosen") {
    const auto chosen = fuse([](auto table, auto from) {
      return when(from < 5, [&] { return table(from * 2 + 0 * from); }, [&] { return -1.f; });
    });
    CHECK(elements(array<float, 1>(chosen(counted(10), starts(8)))) ==
          std::vector<float>{0, 2, 4, 6, 8, -1, -1, -1});
    const auto in_loop = fuse([](auto table, auto from) {
      return repeat(2, from, [&](auto at) {
        return when(at < 5, [&] { return at + astype<int>(table(at * 2)); }, [&] { return at; });
      });
    });
    std::vector<int> expected;
    for (int at : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
      for (int step = 0; step < 2; ++step) at = at < 5 ? at + at * 2 : at;
      expected.push_back(at);
    }
    CHECK(elements(array<int, 1>(in_loop(counted(10), starts(10)))) == expected);
  }

  TEST_CASE("what is read may be a view, computed, a scan, and a loop's result") {
    const auto follow = [](auto made) {
      return [made](auto table, auto from) {
        const auto source = made(table);
        const auto [at, sum] =
            repeat(3, from, 0.f, [&](auto at, auto sum) { return std::tuple(at + 1, sum + source(at)); });
        return sum;
      };
    };
    const auto expect = [&](auto made, auto element) {
      std::vector<float> expected;
      for (int from = 0; from < 3; ++from)
        expected.push_back(element(from) + element(from + 1) + element(from + 2));
      CHECK(elements(array<float, 1>(fuse(follow(made))(counted(10), starts(3)))) == expected);
    };
    expect([](auto x) { return x(slice(1, 10, 2)); }, [](int i) { return static_cast<float>(1 + 2 * i); });
    expect([](auto x) { return x * 2.f; }, [](int i) { return static_cast<float>(2 * i); });
    expect([](auto x) { return cumsum(x, axis<0>); },
           [](int i) { return static_cast<float>(i * (i + 1) / 2); });
    expect([](auto x) { return repeat(2, x, [](auto y) { return y + 1.f; }); },
           [](int i) { return static_cast<float>(i + 2); });
    expect([](auto x) { return roll(x, 1, axis<0>); },
           [](int i) { return static_cast<float>((i + 9) % 10); });
  }

  TEST_CASE("what is not an element of an array around the body is refused") {
    const array<float, 2> image(shape<2>{3, 3});
    CHECK_THROWS_AS(static_cast<void>(array<float, 1>(fuse([](auto x) {
                      return repeat(2, x, [&](auto at) { return at(astype<int>(at)); });
                    })(counted(4)))),
                    type_error);
    CHECK_THROWS_AS(static_cast<void>(array<float, 1>(fuse([](auto image) {
                      return repeat(2, image(0, all()),
                                    [&](auto row, auto i) { return row + take(image, i, axis<0>); });
                    })(image))),
                    type_error);
  }
}

}  // namespace sinter::test
