// Bodies of repeat, repeat_while and when: their types, the graphs that they are recorded as, what they
// capture, and what they refuse.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include "../support/recorded_bodies.hpp"

using namespace bodies_test;

TEST_SUITE("bodies") {
  TEST_CASE("a state has the type and rank of where(condition, state, next)") {
    const auto recorded = record_on<floats, value<std::int8_t, 0>>([](auto x, auto small) {
      const auto same = repeat(3, x, [](auto s) { return s * 0.5f; });
      static_assert(is_value<float, 1, decltype(same)>);
      const auto widened = repeat(3, small, [&](auto s) { return s + x; });
      static_assert(is_value<float, 1, decltype(widened)>);
      const auto promoted = repeat(3, small, [](auto s) { return s * scalar<std::int16_t>(2); });
      static_assert(is_value<std::int16_t, 0, decltype(promoted)>);
      const auto number = repeat(3, 0, [](auto s) { return s + 1; });
      static_assert(is_value<std::int64_t, 0, decltype(number)>);
      const auto floating = repeat(3, 0, [](auto s) { return s + 0.5f; });
      static_assert(is_value<float, 0, decltype(floating)>);
      const auto taken = repeat(3, 0, [&](auto s) { return s + small; });
      static_assert(is_value<std::int8_t, 0, decltype(taken)>);
      const auto counted = repeat(3, 0.f, [](auto s, auto i) {
        static_assert(is_value<weak<std::int64_t>, 0, decltype(i)>);
        return s + i;
      });
      static_assert(is_value<float, 0, decltype(counted)>);
      const auto constant = repeat(3, x, [](auto) { return 1; });
      static_assert(is_value<float, 1, decltype(constant)>);
      return std::tuple(same, widened, promoted, number, floating, taken, counted, constant);
    });
    CHECK(count_of(recorded.made, operation::repeat) == 8);
  }

  TEST_CASE("states pass their types on to each other") {
    const auto recorded = record_on<floats, value<std::int32_t, 0>>([](auto x, auto n) {
      const auto [a, b] = repeat(n, 0, 1, [&](auto a, auto b) { return std::tuple(b, a + b * x); });
      static_assert(is_value<float, 1, decltype(a)>);
      static_assert(is_value<float, 1, decltype(b)>);
      const auto [c, d, e] =
          repeat(n, 0, 0, n, [&](auto c, auto d, auto e) { return std::tuple(d, e, c + x); });
      static_assert(is_value<double, 1, decltype(c)> && is_value<double, 1, decltype(d)> &&
                    is_value<double, 1, decltype(e)>);
      return std::tuple(a, b, c, d, e);
    });
    CHECK(recorded.made.bodies.size() == 2);
    CHECK(count_of(recorded.made, operation::component) == 5);
  }

  TEST_CASE("states of repeat_while have at least the condition's rank") {
    const auto recorded = record_on<floats>([](auto x) {
      const auto [z, steps] = repeat_while([&](auto z, auto steps) { return z < x && steps < 100; }, 0.f, 0,
                                           [](auto z, auto steps) { return std::tuple(z + 1, steps + 1); });
      static_assert(is_value<float, 1, decltype(z)>);
      static_assert(is_value<std::int64_t, 1, decltype(steps)>);
      return std::tuple(z, steps);
    });
    const node& loop = first_of(recorded.made, operation::repeat_while);
    CHECK(component_count(recorded.made, loop) == 2);
    CHECK(body_of(recorded.made, loop).outputs.size() == 3);
  }

  TEST_CASE("the results of when have the types of where") {
    const auto recorded = record_on<floats, value<bool, 0>, value<float16, 0>>([](auto x, auto c, auto half) {
      const auto mixed = when(x > 0, [&] { return x; }, [] { return 0; });
      static_assert(is_value<float, 1, decltype(mixed)>);
      const auto numbers = when(c, [] { return 1.f; }, [] { return 2.f; });
      static_assert(is_value<weak<float>, 0, decltype(numbers)>);
      const auto halves = numbers * half;
      static_assert(is_value<float16, 0, decltype(halves)>);
      const auto [a, b] = when(x, [&] { return std::tuple(x, 1); }, [&] { return std::tuple(half, half); });
      static_assert(is_value<float, 1, decltype(a)> && is_value<float16, 1, decltype(b)>);
      return std::tuple(mixed, halves, a, b);
    });
    CHECK(count_of(recorded.made, operation::when) == 3);
  }

  TEST_CASE("run-time scalars are parameters of the function, and captured; literals are the body's") {
    const auto loop = [](auto x) { return repeat(4, x, [](auto s) { return s * 2.5f + literal(3.f); }); };
    const auto recorded = record_on<floats>(loop);
    CHECK(recorded.made.parameters.size() == 2);  // the count and a factor
    CHECK(recorded.scalars.size() == 2);
    const node& node = first_of(recorded.made, operation::repeat);
    CHECK(captured_by(recorded.made, node) == 1);
    CHECK(body_of(recorded.made, node).parameters.empty());
    CHECK(count_of(body_of(recorded.made, node), operation::literal) == 1);

    const auto written = record_on<floats>(loop, true);
    CHECK(written.made.parameters.empty());
    CHECK(captured_by(written.made, first_of(written.made, operation::repeat)) == 0);
  }

  TEST_CASE("a value is captured once, by both sides of when too") {
    const auto recorded = record_on<floats, floats, floats>([](auto x, auto y, auto z) {
      return when(x > 0, [&] { return y * y + x; }, [&] { return y - z * z; });
    });
    const node& choice = first_of(recorded.made, operation::when);
    CHECK(captured_by(recorded.made, choice) == 3);
    CHECK(body_of(recorded.made, choice, 0).inputs == body_of(recorded.made, choice, 1).inputs);
  }

  TEST_CASE("views, reductions, coordinates and extents of what is captured belong to the function") {
    const auto recorded = record_on<floats>([](auto x) {
      return repeat(extent<0>(x), x, [&](auto s) {
        return s + x(slice(end, slice_bound(), -1)) * astype<float>(coordinate<0>(x)) - sum(x) +
               astype<float>(extent<0>(x)) + cumsum(x, axis<0>);
      });
    });
    const graph& body = body_of(recorded.made, first_of(recorded.made, operation::repeat));
    CHECK(count_of(recorded.made, operation::sum) == 1);
    CHECK(count_of(body, operation::view) + count_of(body, operation::sum) == 0);
    CHECK(count_of(body, operation::cast) == 2);  // of the coordinate and the extent
    CHECK(body.inputs.size() == 2 + 5);
  }

  TEST_CASE("the same on what a body computes throws type_error") {
    const auto refused = [](const auto& use) {
      std::string message;
      try {
        record_on<floats>([&](auto x) { return repeat(3, x, [&](auto s) { return use(s, x); }); });
      } catch (const type_error& thrown) {
        message = thrown.what();
      }
      return message;
    };
    CHECK(refused([](auto s, auto x) { return x + s(0); }).find("indexing") == 0);
    CHECK(refused([](auto s, auto x) { return x + sum(s); }).find("sum at ") == 0);
    CHECK(refused([](auto s, auto x) { return x + var(s + 1); }).find("var at ") == 0);
    CHECK(refused([](auto s, auto) { return cumsum(s, axis<0>); }).find("cumsum at ") == 0);
    CHECK(refused([](auto s, auto x) { return x + coordinate<0>(s); }).find("coordinate at ") == 0);
    CHECK(refused([](auto s, auto x) { return x + extent<0>(s); }).find("extent at ") == 0);
    CHECK(refused([](auto s, auto x) { return x + sum(x, only_where(s > 0)); }).find("bodies of") ==
          std::string::npos);
    CHECK(refused([](auto s, auto x) {
            return repeat(2, x, [&](auto inner) { return inner + sum(s); });
          }).find("elementwise") != std::string::npos);
  }

  TEST_CASE("a value that leaves its body throws, and the recording goes on") {
    bool was_refused = false;
    const auto recorded = record_on<floats>([&](auto x) {
      auto kept = x;
      const auto looped = repeat(3, x, [&](auto s) {
        kept = s + 1;
        return s * 2;
      });
      try {
        return looped + kept;
      } catch (const error& thrown) {
        was_refused = std::string(thrown.what()).find("a body that has ended") != std::string::npos;
      }
      return looped + x;
    });
    CHECK(was_refused);
    CHECK(recorded.made.outputs.size() == 1);
    CHECK_THROWS_AS(record_on<floats>([&](auto x) {
                      auto kept = x;
                      return when(
                          x > 0,
                          [&] {
                            kept = x + 1;
                            return kept;
                          },
                          [&] { return kept; });
                    }),
                    error);
  }

  TEST_CASE("an exception of a body leaves the recording whole") {
    const auto recorded = record_on<floats>([](auto x) {
      try {
        const auto never = repeat(3, x, [&](auto s) {
          return when(
              s > x, [&]() -> floats { throw std::runtime_error("changed its mind"); }, [&] { return s; });
        });
        return never + 1;
      } catch (const std::runtime_error&) {
        return repeat(2, x, [&](auto s) { return s + x; });
      }
    });
    CHECK(count_of(recorded.made, operation::repeat) == 1);
    CHECK(count_of(recorded.made, operation::when) == 0);
    CHECK(captured_by(recorded.made, first_of(recorded.made, operation::repeat)) == 1);
  }

  TEST_CASE("bodies in bodies capture through those between") {
    const auto recorded = record_on<floats, floats>([](auto x, auto y) {
      return repeat(2, x, [&](auto a) {
        return repeat(3, a, [&](auto b) {
          return repeat_while([&](auto c) { return c < y; }, b,
                              [&](auto c, auto i) { return c * a + y * 4.f + x + i; });
        });
      });
    });
    const node& outer = first_of(recorded.made, operation::repeat);
    const graph& first = body_of(recorded.made, outer);
    const node& middle = first_of(first, operation::repeat);
    const graph& second = body_of(first, middle);
    const node& inner = first_of(second, operation::repeat_while);
    CHECK(captured_by(recorded.made, outer) == 4);  // y, 4, x, and the count of the loop in it
    CHECK(captured_by(first, middle) == 4);         // a, y, 4, x
    CHECK(captured_by(second, inner) == 4);
    CHECK(recorded.made.parameters.size() == 3);
  }

  TEST_CASE("as many bodies in bodies as there may be, and not one more") {
    struct nested {
      unsigned left;
      floats operator()(floats s) const {
        if (left == 0) return s + 1;
        return repeat(1, s, nested{left - 1});
      }
    };
    CHECK(record_on<floats>(nested{max_body_depth}).made.bodies.size() == 1);
    CHECK_THROWS_AS(record_on<floats>(nested{max_body_depth + 1}), type_error);
  }

  TEST_CASE("arrays and fused functions in a body") {
    const auto weights = made_row({1, 2, 3});
    const auto scaled = fuse([](auto v) { return v * 2.f; });
    const auto recorded = record_on<floats>(
        [&](auto x) { return repeat(2, x, [&](auto s) { return scaled(s) + weights * weights; }); });
    CHECK(recorded.made.inputs.size() == 2);
    CHECK(recorded.stateful);
    CHECK(recorded.made.parameters.size() == 1);  // scaled() writes its numbers
    CHECK(captured_by(recorded.made, first_of(recorded.made, operation::repeat)) == 1);
  }

  TEST_CASE("loops and choices compute what they say") {
    const numbers row{1, 2, 4};
    CHECK(interpreted([](auto x) { return repeat(3, x, [](auto s) { return s * 2; }); }, row) ==
          doubles{8, 16, 32});
    CHECK(interpreted([](auto x) { return repeat(-1, 7, [&](auto s) { return s + x; }); }, row) ==
          doubles{7, 7, 7});
    CHECK(interpreted([](auto x) { return repeat(3, x, [](auto, auto i) { return i; }); }, row) ==
          doubles{2, 2, 2});
    // both next states are computed before one changes
    const auto numbers_of_fibonacci = [](auto x) {
      const auto [a, b] = repeat(5, 0, x, [](auto a, auto b) { return std::tuple(b, a + b); });
      return a * 100 + b;
    };
    CHECK(interpreted(numbers_of_fibonacci, row) == doubles{508, 1016, 2032});
    CHECK(interpreted(
              [](auto x) {
                return repeat_while([](auto s) { return s < 20; }, x, [](auto s) { return s * 3 + 1; });
              },
              row) == doubles{40, 22, 40});
    CHECK(interpreted([](auto x) { return when(x > 1, [&] { return x * 10; }, [] { return -1; }); }, row) ==
          doubles{-1, 20, 40});
    const auto nested = [](auto x, auto y) {
      return repeat(2, x, [&](auto s) {
        return when(
            s > y, [&] { return repeat(3, s, [&](auto inner) { return inner + y; }); },
            [&] { return s + x; });
      });
    };
    CHECK(interpreted(nested, row, numbers{1, 1, 9}) == doubles{5, 8, 12});
  }

  TEST_CASE("an expression with a body is recorded at each evaluation, as a stateful function is") {
    const auto x = made_row({1, 2, 4});
    int count = 2;
    const auto [a, b] = repeat(count, x, 0, [&](auto a, auto b) { return std::tuple(b, a + b * count); });
    const auto together = a * 2 + b;
    const detail::evaluation prepared({}, together);
    CHECK(prepared.site.kind == detail::recorded_as::stateful);
    CHECK(prepared.site.known == nullptr);
    for (count = 3; count < 5; ++count) {
      const detail::frame at(prepared.site, false);
      prepared.site.body(prepared.site.context);
      CHECK(at->operands.size() == 1);
      CHECK(at->scalars.front() == 2);  // the loop's count is the expression's
      CHECK(at->scalars[2] == detail::number_bits(static_cast<float>(count)));
      CHECK(count_of(at->steps.builder().recorded(), operation::repeat) == 2);  // one for each result
    }
    const detail::evaluation plain({}, x * 2);
    CHECK(plain.site.kind == detail::recorded_as::expression);
  }

  TEST_CASE("arrays outside of a function give lazy expressions") {
    const auto x = made_row({1, 2, 4});
    float factor = 2;
    const array<float, 1> grown = repeat(3, x, [=](auto s) { return s * factor; }) + 1;
    CHECK(grown.to_vector() == numbers{9, 17, 33});
    const auto [a, b] = repeat(2, x, 0.f, [](auto a, auto b) { return std::tuple(b, a + b); });
    CHECK(evaluate(a).to_vector() == numbers{1, 2, 4});
    CHECK(evaluate(b + a).to_vector() == numbers{2, 4, 8});
    array<float, 1> chosen({3});
    chosen(all()) = when(x > 1, [&] { return x * 10; }, [] { return -1; });
    CHECK(chosen.to_vector() == numbers{-1, 20, 40});
    for (factor = 2; factor < 4; ++factor)
      CHECK(evaluate(repeat_while([](auto s) { return s < 10; }, x, [&](auto s) { return s * factor; }))
                .to_vector() == (factor == 2 ? numbers{16, 16, 16} : numbers{27, 18, 12}));
  }

  TEST_CASE("an expression with a body in a function may refer to its values") {
    const auto x = made_row({1, 2, 4});
    const auto loop = [&](auto v) { return repeat(2, x, [&](auto s) { return s + v; }); };
    const auto recorded = record_on<floats>(loop);
    CHECK(recorded.made.inputs.size() == 2);
    CHECK(count_of(recorded.made, operation::repeat) == 1);
    CHECK(captured_by(recorded.made, first_of(recorded.made, operation::repeat)) == 1);
    CHECK(fuse(loop)(x).to_vector() == numbers{3, 6, 12});
  }
}
