// What is said of bodies at run time: each message names the operation, the line of the program that calls
// it, the shapes and what to write. And the types of numbers that are first states.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include "../support/recorded_bodies.hpp"

using namespace bodies_test;

namespace {

constexpr auto added = [](auto a, auto b) { return a + b; };

/// The message of what a call of a fused function throws.
template <class F, class... Arguments>
std::string refused(const F& callable, const Arguments&... arguments) {
  try {
    fuse(callable)(arguments...);
  } catch (const std::exception& thrown) {
    return thrown.what();
  }
  return "";
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
/// Whether a message begins with an operation and a line of this file.
bool begins(const std::string& text, const std::string& name, int line) {
  return text.find(name + " at ") == 0 && has(text, "body_messages_test.cpp:" + std::to_string(line));
}

/// Rows of three and of four elements, which do not broadcast together.
struct rows_of_messages {
  array<float, 1> three = made_row({1, 2, 4}), four = made_row({1, 2, 4, 8});
};

/// `Depth` loops, one in the body of the other.
template <unsigned Depth, class Value>
auto nested_loops(Value x) {
  if constexpr (Depth == 0)
    return x * 2;
  else
    return repeat_while([](auto s) { return s < 9; }, x, [](auto s) { return nested_loops<Depth - 1>(s); });
}

}  // namespace

TEST_SUITE("body_messages") {
  TEST_CASE_FIXTURE(rows_of_messages, "a mask that does not broadcast is the reduction's, not a where()'s") {
    const auto of_two = refused(
        [](auto x, auto y) {
          return std::get<0>(reduce([](auto a, auto) { return a; }, std::tuple{0.f, 0}, std::tuple{x, 1},
                                    axis<0>, only_where(y > 1)));
        },
        three, four);
    CHECK(begins(of_two, "reduce", __LINE__ - 4));
    CHECK(has(of_two,
              "the mask of only_where(mask) is bool[4] and does not broadcast with the elements, "
              "float32[3]: give a mask of their shape"));
    const auto in_order = refused(
        [](auto x, auto y) { return reduce(added, 0.f, x, ordered, only_where(y > 1)); }, three, four);
    CHECK(begins(in_order, "reduce", __LINE__ - 1));
    CHECK(has(in_order, "the mask of only_where(mask) is bool[4]"));
    const auto total = refused([](auto x, auto y) { return sum(x, only_where(y > 1)); }, three, four);
    CHECK(begins(total, "sum", __LINE__ - 1));
    CHECK(has(total, "the mask of only_where(mask) is bool[4]"));
  }

  TEST_CASE_FIXTURE(rows_of_messages, "a where() of the program is named as that, also where it is reduced") {
    const auto message = refused(
        [](auto x, auto y) { return reduce(added, 0.f, where(y > 1, x, 0)) + sum(where(y > 1, x, 0)); },
        three, four);
    CHECK(has(message, "cannot broadcast where(bool[4], float32[3]"));
  }

  TEST_CASE_FIXTURE(rows_of_messages,
                    "repeat, repeat_while and when are named with the line that calls them") {
    const auto repeated =
        refused([](auto x, auto y) { return repeat(2, x, [&](auto) { return y; }); }, three, four);
    CHECK(begins(repeated, "repeat", __LINE__ - 1));
    CHECK(has(repeated, "state 0 is float32[3] and meets float32[4] in the body, to which"));
    const auto condition = refused(
        [](auto x, auto y) {
          return repeat_while([&](auto) { return y > 1; }, x, [](auto s) { return s * 2; });
        },
        three, four);
    CHECK(begins(condition, "repeat_while", __LINE__ - 3));
    CHECK(has(condition, "state 0 is float32[3] and meets bool[4], the condition, to which"));
    const auto choice =
        refused([](auto x, auto y) { return when(x > 1, [&] { return y; }, [] { return 1; }); }, three, four);
    CHECK(begins(choice, "when", __LINE__ - 1));
    CHECK(has(choice, "result 0 is float32[3] and meets float32[4] on a side, to which"));
    const auto scanned = refused(
        [](auto x, auto y) {
          return std::get<0>(scan([](auto a, auto) { return a; }, std::tuple{0.f, 0.f}, std::tuple{x, y}));
        },
        three, four);
    CHECK(begins(scanned, "scan", __LINE__ - 3));
    CHECK(has(scanned, "value 1 is float32[4], which does not broadcast with those before it"));
  }

  TEST_CASE_FIXTURE(rows_of_messages, "bodies that nest too deep are named with the line of the innermost") {
    const auto message = refused([](auto x) { return nested_loops<17>(x); }, three);
    CHECK(message.find("repeat_while at ") == 0);
    CHECK(has(message, "body_messages_test.cpp:"));
    CHECK(has(message, ": bodies lie in bodies more than 16 deep"));
  }

  TEST_CASE_FIXTURE(rows_of_messages, "repeat_while takes as many states as there are") {
    const auto all = [](auto x) {
      return repeat_while([](auto a, auto, auto, auto, auto, auto, auto) { return a < 8; }, x, 0, 0, 0, 0, 0,
                          0,
                          [](auto a, auto b, auto c, auto d, auto e, auto f, auto g) {
                            return std::tuple(a * 2, b + 1, c, d, e, f, g);
                          });
    };
    CHECK(interpreted([&](auto x) { return std::get<1>(all(x)); }, numbers{1, 2, 4}) == doubles{3, 2, 1});
    const auto more = [](auto x) {
      return repeat_while([](auto a, auto, auto, auto, auto, auto, auto, auto) { return a < 8; }, x, 0, 0, 0,
                          0, 0, 0, 0,
                          [](auto a, auto b, auto c, auto d, auto e, auto f, auto g, auto h) {
                            return std::tuple(a * 2, b + 1, c, d, e, f, g, h);
                          });
    };
    CHECK(interpreted([&](auto x) { return std::get<1>(more(x)); }, numbers{1, 2, 4}) == doubles{3, 2, 1});
  }

  TEST_CASE_FIXTURE(rows_of_messages, "a whole number as first state becomes what the body makes of it") {
    const auto halves = [](auto x) {
      const auto s = repeat(3, 0, [](auto s) { return s + 0.5f; });
      static_assert(is_value<float, 0, decltype(s)>);
      return x * 0 + s;
    };
    CHECK(interpreted(halves, numbers{1}) == doubles{1.5});
    CHECK(fuse(halves)(three).to_vector() == numbers{1.5, 1.5, 1.5});
    int first = 1;
    const auto variable = [&](auto x) { return x * 0 + repeat(3, first, [](auto s) { return s + 0.5f; }); };
    CHECK(fuse(variable)(three).to_vector() == numbers{2.5, 2.5, 2.5});
    const auto until = [](auto x) {
      const auto s = repeat_while([](auto s) { return s < 1; }, 0, [](auto s) { return s + 0.75f; });
      static_assert(is_value<float, 0, decltype(s)>);
      return x * 0 + s;
    };
    CHECK(interpreted(until, numbers{1}) == doubles{1.5});
    const auto combined = [](auto x) {
      const auto s = reduce([](auto a, auto b) { return a + b * 0.5f; }, 0, astype<std::int8_t>(x));
      static_assert(is_value<double, 0, decltype(s)> || is_value<float, 0, decltype(s)>);
      return x * 0 + astype<float>(s);
    };
    CHECK(interpreted(combined, numbers{2}) == doubles{2});
    const auto [grown, steps] =
        repeat(2, three, 0, [](auto s, auto n) { return std::tuple(s + astype<float>(n), n + 0.5f); });
    static_assert(std::remove_cvref_t<decltype(steps)>::result_type == operand_type{element_type::float32});
    CHECK(evaluate(grown).to_vector() == numbers{1.5, 2.5, 4.5});
  }
}
