// reduce and scan by a combine of one's own: types, ranks, the graphs that they are recorded as, what the
// reference interpreter computes with these, and what is refused.
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include "../support/count_allocations.hpp"
#include "../support/recorded_bodies.hpp"

using namespace bodies_test;

namespace {

using matrix = value<float, 2>;

struct given {
  std::vector<std::int64_t> extents;
  numbers elements;
};

double number_at(const reference_array& from, std::size_t i) {
  const reference_value element = from.at(i);
  return is_floating(from.type) ? static_cast<double>(element.real)
                                : static_cast<double>(static_cast<std::int64_t>(element.integer));
}

/// All results of a recorded function on arrays of floats, by the reference interpreter.
std::vector<reference_array> arrays_of(const recorded_function& recorded, const std::vector<given>& inputs) {
  std::vector<reference_array> loaded, results;
  for (const given& each : inputs)
    loaded.push_back(load_reference(element_type::float32, each.extents, each.elements.data()));
  interpret(recorded.made, loaded, recorded.scalars, results);
  return results;
}
std::vector<doubles> elements_of(const recorded_function& recorded, const std::vector<given>& inputs) {
  std::vector<doubles> results;
  for (const reference_array& from : arrays_of(recorded, inputs)) {
    doubles& elements = results.emplace_back();
    for (std::size_t i = 0; i < from.size(); ++i) elements.push_back(number_at(from, i));
  }
  return results;
}
template <class... Arguments, class F, class... Inputs>
std::vector<doubles> results_of(const F& callable, const Inputs&... inputs) {
  return elements_of(record_on<Arguments...>(callable), {inputs...});
}

constexpr auto sum_and_largest = [](auto a, auto b) {
  auto [s, m] = a;
  auto [t, n] = b;
  return std::tuple(s + t, maximum(m, n));
};
constexpr auto added = [](auto a, auto b) { return a + b; };
/// Takes the right side: associative, and not commutative.
constexpr auto last = [](auto, auto b) { return b; };

const given rows{{2, 3}, {1, 5, 2, -4, -1, -3}};
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The message of what recording a callable throws.
template <class... Arguments, class F>
std::string refused(const F& callable) {
  try {
    record_on<Arguments...>(callable);
  } catch (const std::exception& thrown) {
    return thrown.what();
  }
  return "";
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("combining") {
  TEST_CASE("a sum and a maximum in one pass, along some axes and all") {
    const auto both = [](auto x) {
      auto [total, largest] = reduce(sum_and_largest, std::tuple{0.f, -inf}, std::tuple{x, x}, axis<1>);
      static_assert(is_value<float, 1, decltype(total)> && is_value<float, 1, decltype(largest)>);
      auto [all_total, all_largest] = reduce(sum_and_largest, std::tuple{0.f, -inf}, std::tuple{x, x});
      static_assert(is_value<float, 0, decltype(all_total)> && is_value<float, 0, decltype(all_largest)>);
      auto [kept, kept_largest] =
          reduce(sum_and_largest, std::tuple{0.f, -inf}, std::tuple{x, x}, keepdims, axis<0>);
      static_assert(is_value<float, 2, decltype(kept)> && is_value<float, 2, decltype(kept_largest)>);
      return std::tuple(total, largest, all_total, all_largest, kept, kept_largest);
    };
    CHECK(results_of<matrix>(both, rows) ==
          std::vector<doubles>{{8, -8}, {5, -1}, {0}, {5}, {-3, 4, -1}, {1, 5, 2}});
    const recorded_function recorded = record_on<matrix>(both);
    CHECK(count_of(recorded.made, operation::reduce) == 3);
    CHECK(recorded.made.bodies.size() == 1);
    const std::vector<reference_array> results = arrays_of(recorded, {rows});
    CHECK(results[4].extents == std::vector<std::int64_t>{1, 3});
    CHECK(results[2].extents.empty());
  }

  TEST_CASE("a value's type is that of its identity and its elements, and of what is combined") {
    record_on<matrix, value<std::int8_t, 1>, value<bool, 1>, value<float16, 1>>([](auto x, auto small,
                                                                                   auto holds, auto half) {
      const auto same = reduce(added, 0, small);
      static_assert(is_value<std::int8_t, 0, decltype(same)>);
      const auto floating = reduce(added, 0.f, small);
      static_assert(is_value<float, 0, decltype(floating)> || is_value<double, 0, decltype(floating)>);
      const auto wide = reduce(added, scalar<double>(0), x, axis<0>);
      static_assert(is_value<double, 1, decltype(wide)>);
      const auto counted = reduce(added, 0, holds);
      static_assert(is_value<std::int64_t, 0, decltype(counted)>);
      const auto any = reduce([](auto a, auto b) { return a || b; }, false, holds);
      static_assert(is_value<bool, 0, decltype(any)>);
      const auto halves = reduce(added, 0.f, half);
      static_assert(is_value<float16, 0, decltype(halves)>);
      const auto widened = reduce([](auto a, auto b) { return astype<double>(a) + b; }, 0, small, axis<-1>);
      static_assert(is_value<double, 0, decltype(widened)>);
      // the number 1 becomes strong, and the second value takes the first one's type
      const auto [count, mixed] = reduce(
          [](auto a, auto b) {
            auto [n, s] = a;
            auto [m, t] = b;
            return std::tuple(n + m, s + t + n);
          },
          std::tuple{0, 0}, std::tuple{1, x});
      static_assert(is_value<std::int64_t, 0, decltype(count)>);
      static_assert(is_value<double, 0, decltype(mixed)>);
      const auto strong = scan(added, 0, half * 2);
      static_assert(is_value<float16, 1, decltype(strong)>);
      return std::tuple(same, floating, wide, counted, any, halves, widened, count, mixed, strong);
    });
  }

  TEST_CASE("one identity and one value need no tuple, and one in a tuple gives a tuple") {
    const auto plain = [](auto x) { return reduce(added, 0.f, x, axis<1>); };
    const auto in_tuple = [](auto x) {
      auto result = reduce([](auto a, auto b) { return std::tuple(std::get<0>(a) + std::get<0>(b)); },
                           std::tuple{0.f}, std::tuple{x}, axis<1>);
      static_assert(std::tuple_size_v<decltype(result)> == 1);
      return std::get<0>(result);
    };
    CHECK(results_of<matrix>(plain, rows) == std::vector<doubles>{{8, -8}});
    CHECK(record_on<matrix>(plain).made.same_content(record_on<matrix>(in_tuple).made));
  }

  TEST_CASE("the position of the least element, with what else is there") {
    const auto found = [](auto x, auto y) {
      return reduce(
          [](auto a, auto b) {
            auto [v, i, p] = a;
            auto [w, j, q] = b;
            auto first = v < w || (v == w && i < j);
            return std::tuple(where(first, v, w), where(first, i, j), where(first, p, q));
          },
          std::tuple{inf, -1, 0}, std::tuple{x, coordinate<1>(x), y}, axis<1>);
    };
    const given ties{{2, 3}, {3, 1, 1, -2, 7, -2}}, payload{{3}, {10, 20, 30}};
    CHECK(results_of<matrix, floats>(found, ties, payload) ==
          std::vector<doubles>{{1, -2}, {1, 0}, {20, 10}});
  }

  TEST_CASE("count, mean and squared deviations by Welford's formula") {
    const auto moments = [](auto x) {
      return reduce(
          [](auto a, auto b) {
            auto [n, mean, m2] = a;
            auto [m, other, o2] = b;
            auto both = n + m;
            auto delta = other - mean;
            return std::tuple(both, mean + delta * m / both, m2 + o2 + delta * delta * n * m / both);
          },
          std::tuple{0.f, 0.f, 0.f}, std::tuple{1.f, x, 0.f}, axis<1>);
    };
    const auto results = results_of<matrix>(moments, given{{2, 4}, {1, 2, 3, 6, 5, 5, 5, 5}});
    CHECK(results[0] == doubles{4, 4});
    CHECK(results[1][0] == doctest::Approx(3));
    CHECK(results[2][0] == doctest::Approx(14));
    CHECK(results[2][1] == doctest::Approx(0));
  }

  TEST_CASE("the logarithm of a sum of exponentials in one pass") {
    const auto function = [](auto x) {
      auto [m, s] = reduce(
          [](auto a, auto b) {
            auto [m, s] = a;
            auto [n, t] = b;
            auto most = maximum(m, n);
            return std::tuple(most, s * exp(m - most) + t * exp(n - most));
          },
          std::tuple{-inf, 0.f}, std::tuple{x, 1.f});
      return m + log(s);
    };
    const auto result = results_of<floats>(function, given{{3}, {1000, 1001, 999}});
    CHECK(result[0][0] == doctest::Approx(1001 + std::log(1 + std::exp(-1.0) + std::exp(-2.0))));
  }

  TEST_CASE("a linear recurrence by a scan") {
    constexpr auto combine = [](auto left, auto right) {
      auto [a, h] = left;
      auto [b, g] = right;
      return std::tuple(a * b, b * h + g);
    };
    const given factors{{4}, {2, 3, 0, 1}}, terms{{4}, {1, 1, 5, 2}};
    const auto scanned = [&](auto a, auto b) {
      auto results = scan(combine, std::tuple{1.f, 0.f}, std::tuple{a, b});
      static_assert(is_value<float, 1, decltype(std::get<1>(results))>);
      return results;
    };
    CHECK(results_of<floats, floats>(scanned, factors, terms) ==
          std::vector<doubles>{{2, 6, 0, 0}, {1, 4, 5, 7}});
    // values are broadcast together
    const auto columns = [&](auto a, auto b) {
      auto results = scan(combine, std::tuple{1.f, 0.f}, std::tuple{a, b}, axis<0>);
      static_assert(is_value<float, 2, decltype(std::get<0>(results))>);
      return std::get<1>(results);
    };
    CHECK(results_of<floats, matrix>(columns, given{{3}, {1, 2, 3}}, rows) ==
          std::vector<doubles>{{1, 5, 2, -3, 9, 3}});
  }

  TEST_CASE("what a combine captures has rank 0: numbers, scalars, and values of the function") {
    const auto captures = [](auto x, auto y) {
      const auto largest = max(y);
      return reduce([&](auto a, auto b) { return minimum(a + b, largest * 2.f) + y(0) - y(0); }, 0.f, x);
    };
    const recorded_function recorded = record_on<floats, floats>(captures);
    CHECK(recorded.made.parameters.size() == 4);  // the identity, the factor, and two positions
    const node& entry = first_of(recorded.made, operation::reduce);
    CHECK(recorded.made.operands_of(entry).size() == 2 + 4);  // largest, 2, and y(0) twice
    CHECK(body_of(recorded.made, entry).parameters.empty());
    CHECK(elements_of(recorded, {{{3}, {4, 4, 4}}, {{2}, {1, 5}}}) == std::vector<doubles>{{10}});
    const auto message = refused<floats, matrix>([](auto x, auto y) {
      return reduce(
          [&](auto a, auto b) {
            static_cast<void>(y * 2);
            return a + b;
          },
          0.f, x);
    });
    CHECK(has(message, "reduce at "));
    CHECK(has(message, "A combine captures values of rank 0"));
  }

  TEST_CASE("numbers of a stateless function are literals") {
    const auto scaled = [](auto x) {
      return reduce([](auto a, auto b) { return a + b * 0.5f; }, 1.f, x, axis<0>);
    };
    const recorded_function recorded = record_on<matrix>(scaled, true);
    CHECK(recorded.made.parameters.empty());
    const node& entry = first_of(recorded.made, operation::reduce);
    CHECK(recorded.made.operands_of(entry).size() == 2);
    CHECK(count_of(body_of(recorded.made, entry), operation::literal) == 1);
  }

  TEST_CASE("ordered combines from the left to the right, over axes in row-major order") {
    const auto ends = [](auto x) {
      return std::tuple(reduce(last, 0.f, x, axis<1>, ordered), reduce(last, 0.f, x, ordered),
                        reduce(last, 0.f, x, ordered, axis<0>, keepdims),
                        reduce(last, 0.f, x, ordered, axis<0, 1>, keepdims));
    };
    CHECK(results_of<matrix>(ends, rows) == std::vector<doubles>{{2, -3}, {-3}, {-4, -1, -3}, {-3}});
    const graph& recorded = record_on<matrix>(ends).made;
    CHECK(has(to_string(recorded), "in order"));
    CHECK(count_of(recorded, operation::reduce) == 6);  // one for each axis
  }

  TEST_CASE("only_where combines elements where a mask holds, and gives identities where it holds nowhere") {
    const auto masked = [](auto x, auto y) {
      // 100 is not neutral: it would show where it is combined
      auto [total, least] = reduce(
          [](auto a, auto b) {
            auto [s, m] = a;
            auto [t, n] = b;
            return std::tuple(s + t, minimum(m, n));
          },
          std::tuple{100.f, inf}, std::tuple{x, x}, axis<1>, only_where(x > 0));
      auto broadcast = reduce(added, 7.f, x, only_where(y > 1), axis<0, 1>, keepdims);
      static_assert(is_value<float, 2, decltype(broadcast)>);
      auto in_order = reduce(last, 0.f, x, only_where(x < 5), axis<1>, ordered);
      auto none = reduce(added, 7, x, only_where(false));
      return std::tuple(total, least, broadcast, in_order, none);
    };
    CHECK(results_of<matrix, floats>(masked, rows, given{{3}, {0, 2, 3}}) ==
          std::vector<doubles>{{8, 100}, {1, infinity}, {3}, {2, -3}, {7}});
    const graph& recorded = record_on<matrix, floats>(masked).made;
    const graph& body = body_of(recorded, first_of(recorded, operation::reduce));
    CHECK(count_of(body, operation::when) == 1);
    CHECK(count_of(body, operation::add) == 0);  // in a side of when
  }

  TEST_CASE("no elements give identities, one gives itself") {
    const auto function = [](auto x) {
      auto [total, largest] = reduce(sum_and_largest, std::tuple{3.f, 4.f}, std::tuple{x, x}, axis<1>);
      return std::tuple(total, largest, reduce(added, 5.f, x), scan(added, 5.f, x, axis<1>),
                        reduce(added, 6.f, x, axis<1>, only_where(x > 0)));
    };
    CHECK(results_of<matrix>(function, given{{2, 0}, {}}) ==
          std::vector<doubles>{{3, 3}, {4, 4}, {5}, {}, {6, 6}});
    const auto in_order = [](auto x) { return reduce(added, 5.f, x, ordered); };
    CHECK(results_of<matrix>(in_order, given{{0, 2}, {}}) == std::vector<doubles>{{5}});
    CHECK(results_of<matrix>(in_order, given{{2, 0}, {}}) == std::vector<doubles>{{5}});
    const auto in_order_of_two = [](auto x, auto y) {
      return reduce(sum_and_largest, std::tuple{3.f, 4.f}, std::tuple{y, x}, ordered, keepdims);
    };
    CHECK(results_of<matrix, floats>(in_order_of_two, given{{2, 1}, {1, 2}}, given{{0}, {}}) ==
          std::vector<doubles>{{3}, {4}});
    CHECK(results_of<matrix, floats>(in_order_of_two, given{{2, 1}, {1, 2}}, given{{2}, {5, 6}}) ==
          std::vector<doubles>{{22}, {2}});
    CHECK(results_of<matrix>(function, given{{2, 1}, {8, -9}}) ==
          std::vector<doubles>{{8, -9}, {8, -9}, {-1}, {8, -9}, {8, 6}});
  }

  TEST_CASE("values of rank 0 are their own reduction, or the identity where a mask does not hold") {
    const auto function = [](auto x) {
      auto one = reduce(added, 5.f, x);
      static_assert(is_value<float, 0, decltype(one)>);
      return std::tuple(one, reduce(added, 5.f, x, only_where(x > 3), keepdims),
                        reduce(added, 5, x, ordered));
    };
    CHECK(results_of<value<float, 0>>(function, given{{}, {2}}) == std::vector<doubles>{{2}, {5}, {2}});
  }

  TEST_CASE("a combine may hold loops and choices") {
    const auto function = [](auto x) {
      return reduce(
          [](auto a, auto b) {
            return when(
                a > b, [&] { return repeat(2, a, [&](auto s) { return s + b; }); }, [&] { return a + b; });
          },
          0.f, x, ordered);
    };
    CHECK(results_of<floats>(function, given{{3}, {1, 2, 1}}) == std::vector<doubles>{{5}});
  }

  TEST_CASE("reduce and scan in a body throw, and the recording goes on") {
    const auto in_combine = refused<matrix>(
        [](auto x) { return reduce([&](auto a, auto b) { return a + b + reduce(added, 0.f, x); }, 0.f, x); });
    CHECK(has(in_combine, "reduce at "));
    CHECK(has(in_combine, "Bodies are elementwise"));
    const auto in_loop =
        refused<floats>([](auto x) { return repeat(2, x, [](auto s) { return scan(added, 0.f, s); }); });
    CHECK(has(in_loop, "scan at "));
    CHECK(has(in_loop, "Bodies are elementwise"));
    const auto sum_in_combine =
        refused<floats>([](auto x) { return reduce([](auto a, auto b) { return a + sum(b); }, 0.f, x); });
    CHECK(has(sum_in_combine, "reduce or scan"));
    const auto recorded = record_on<floats>([](auto x) {
      try {
        return reduce(
            [](auto a, auto b) {
              if (a.rank == 0) throw std::runtime_error("changed its mind");
              return a + b;
            },
            0.f, x);
      } catch (const std::runtime_error&) {
        return reduce(added, 0.f, x);
      }
    });
    CHECK(count_of(recorded.made, operation::reduce) == 1);
    // in front of a loop, which captures it
    CHECK(results_of<floats>(
              [](auto x) {
                const auto total = reduce(added, 0.f, x);
                return repeat(2, x, [&](auto s) { return s + total; });
              },
              given{{2}, {1, 2}}) == std::vector<doubles>{{7, 8}});
  }

  TEST_CASE("a value of a combine that is used after it throws") {
    const auto message = refused<floats>([](auto x) {
      auto kept = max(x);
      const auto total = reduce(
          [&](auto a, auto b) {
            kept = a;
            return a + b;
          },
          0.f, x);
      return total + kept;
    });
    CHECK(has(message, "a body that has ended"));
  }

  TEST_CASE("a stateful function follows the steps of its last recording") {
    float factor = 2;
    bool in_order = false;
    const auto function = [&](auto x) {
      auto combine = [&](auto a, auto b) { return a + b * factor; };
      auto total = reduce(combine, 0.f, x, axis<1>, only_where(x > 0));
      return in_order ? total + reduce(last, 0.f, x, axis<1>, ordered) : total + scan(added, 0.f, total);
    };
    runtime::function_handle first;
    const auto finish = [&](detail::recording& at) {
      const runtime::function_handle& made = at.steps.finish();
      const bool same = made == first;
      if (!same) first = made;
      return same;
    };
    CHECK_FALSE(with_recording<matrix>(function, false, true, finish));
    CHECK(with_recording<matrix>(function, false, true, finish));
    factor = 3;
    {
      const allocation_counter counter;
      const bool same = with_recording<matrix>(function, false, true, finish);
      CHECK(counter.count() == 0);
      CHECK(same);
    }
    in_order = true;
    const recorded_function again = record_again<matrix>(function);
    CHECK(again.made.same_content(record_on<matrix>(function).made));
    CHECK(again.scalars == record_on<matrix>(function).scalars);
    CHECK(elements_of(again, {rows}) == std::vector<doubles>{{1 + 15 + 6 + 2, 0 - 3}});
  }

  TEST_CASE("the builder's functions of one operation of the table take no body") {
    graph_builder builder;
    const graph_value x = builder.input(element_type::float32, 1);
    CHECK_THROWS_AS(builder.reduce(operation::reduce, x, 1), type_error);
    CHECK_THROWS_AS(builder.scan(operation::scan, x, 0), type_error);
  }

  TEST_CASE("options are steps of their own") {
    int chosen = 0;
    const auto function = [&](auto x) {
      if (chosen == 1) return reduce(added, 0.f, x, axis<0>);
      if (chosen == 2) return reduce(added, 0.f, x, axis<1>, ordered);
      if (chosen > 2)  // leaves the known steps in the combine, also by what it captures
        return reduce([&](auto a, auto b) { return chosen == 3 ? a * b : a + b * x(0, chosen - 4); }, 0.f, x,
                      axis<1>);
      return reduce(added, 0.f, x, axis<1>);
    };
    for (int round = 0; round < 2; ++round)
      for (chosen = 0; chosen < 6; ++chosen)
        CHECK(record_again<matrix>(function).made.same_content(record_on<matrix>(function).made));
  }

  TEST_CASE("arrays outside of a function give lazy expressions") {
    const auto x = array<float, 2>::from({1, 5, 2, -4, -1, -3}, {2, 3});
    const auto [total, largest] = reduce(sum_and_largest, std::tuple{0.f, -inf}, std::tie(x, x), axis<1>);
    const auto together = total * 10 + largest;
    static_assert(std::remove_cvref_t<decltype(together)>::result_rank == 1);
    const detail::evaluation prepared({}, together);
    CHECK(prepared.site.kind == detail::recorded_as::stateful);
    const auto elements = [](const auto& expression, std::vector<std::int64_t> extents) {
      const detail::evaluation evaluated({}, expression);
      const detail::frame at(evaluated.site, false);
      evaluated.site.body(evaluated.site.context);
      const recorded_function recorded{at->steps.builder().recorded(), at->scalars, at->stateful};
      return elements_of(recorded, {{std::move(extents), {1, 5, 2, -4, -1, -3}}}).front();
    };
    CHECK(elements(together, {2, 3}) == doubles{85, -81});
    CHECK(elements(reduce(added, 0.f, x, keepdims, only_where(x > 0)) + 1, {2, 3}) == doubles{9});
    CHECK(elements(scan(added, 0.f, x, axis<-1>), {2, 3}) == doubles{1, 6, 8, -4, -5, -8});
    CHECK(elements(reduce(added, 0.f, x * 2, axis<0>), {2, 3}) == doubles{-6, 8, -2});
    const auto [count, mixed] = reduce(
        [](auto a, auto b) {
          auto [n, s] = a;
          auto [m, t] = b;
          return std::tuple(n + m, s + t);
        },
        std::tuple{0, 0}, std::forward_as_tuple(1, x * 2), axis<1>);
    CHECK(elements(count * 100 + mixed, {2, 3}) == doubles{316, 284});
  }

  TEST_CASE("fused functions, and expressions in a function, are part of its recording") {
    const auto x = array<float, 2>::from({1, 5, 2, -4, -1, -3}, {2, 3});
    const auto doubled = fuse([](auto v) { return v * 2.f; });
    const auto rows_of =
        fuse([&](auto v) { return reduce([&](auto a, auto b) { return a + doubled(b); }, 0.f, v, axis<1>); });
    const recorded_function inlined = record_on<matrix>([&](auto v) { return rows_of(v) + 1; });
    CHECK(elements_of(inlined, {rows}) == std::vector<doubles>{{16, -11}});
    // the expression is of an array, and refers to a value
    const auto offset = [&](auto v) {
      return reduce([&](auto a, auto b) { return a + b + v; }, 0.f, x, axis<1>);
    };
    const recorded_function captured = record_on<value<float, 0>>(offset);
    CHECK(captured.stateful);
    CHECK(count_of(captured.made, operation::reduce) == 1);
    CHECK(elements_of(captured, {given{{}, {1}}, rows}) == std::vector<doubles>{{10, -6}});
  }
}
