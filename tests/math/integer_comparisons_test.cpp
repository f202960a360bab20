// Integers of an array are compared with scalars by value, including scalars outside of their type's range,
// as in NumPy 2: through all four front ends, with literals, parameters and computed scalars.
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/reference/interpreter.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

using namespace sinter;

namespace {

__extension__ using wide = __int128;

constexpr std::array<operation, 6> comparisons{operation::equal,   operation::not_equal,
                                               operation::less,    operation::less_equal,
                                               operation::greater, operation::greater_equal};

bool holds(operation op, wide a, wide b) {
  switch (op) {
    case operation::equal:
      return a == b;
    case operation::not_equal:
      return a != b;
    case operation::less:
      return a < b;
    case operation::less_equal:
      return a <= b;
    case operation::greater:
      return a > b;
    default:
      return a >= b;
  }
}

/// x op n for each of the six operators, then n op x.
const auto compare_all = [](auto x, auto n) {
  return std::tuple{x == n, x != n, x<n, x <= n, x> n, x >= n, n == x, n != x, n<x, n <= x, n> x, n >= x};
};

template <class T>
std::vector<T> elements() {
  using limits = std::numeric_limits<T>;
  return {limits::lowest(), static_cast<T>(limits::lowest() + 1), T(0),         T(1),
          T(100),           static_cast<T>(limits::max() - 1),    limits::max()};
}

/// The results of the comparisons, in the order of compare_all, compared with exact arithmetic.
template <class T, class N>
void check_results(const std::vector<std::vector<bool>>& made, N n) {
  const std::vector<T> x = elements<T>();
  REQUIRE(made.size() == 12);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t e = 0; e < x.size(); ++e) {
      const operation op = comparisons[i % 6];
      const bool expected = i < 6 ? holds(op, x[e], n) : holds(op, n, x[e]);
      CAPTURE(facts_of(op).name);
      CAPTURE(i);
      CAPTURE(+x[e]);
      CHECK(made[i][e] == expected);
    }
}
template <class Arrays>
std::vector<std::vector<bool>> to_vectors(const Arrays& made) {
  return std::apply([](const auto&... each) { return std::vector<std::vector<bool>>{each.to_vector()...}; },
                    made);
}
std::vector<std::vector<bool>> to_vectors(const std::vector<any_array>& made) {
  std::vector<std::vector<bool>> all;
  for (const any_array& each : made) all.push_back(each.view().to<const bool, 1>().to_vector());
  return all;
}

void build_all(graph_builder& builder, graph_value x, graph_value n) {
  for (const bool swapped : {false, true})
    for (const operation op : comparisons)
      builder.output(swapped ? builder.apply(op, {n, x}) : builder.apply(op, {x, n}));
}

/// With the scalar as a literal in the graph, which would be a kernel each: in the reference interpreter.
template <class T, class N>
std::vector<std::vector<bool>> interpreted(element_type type, const std::vector<T>& host, N n) {
  graph_builder builder;
  const graph_value x = builder.input(type, 1);
  build_all(builder, x, builder.literal(n));
  verify(builder.recorded());
  std::vector<reference_array> made;
  interpret(
      builder.recorded(),
      std::vector{load_reference(type, std::vector{static_cast<std::int64_t>(host.size())}, host.data())}, {},
      made);
  std::vector<std::vector<bool>> all;
  for (const reference_array& each : made) all.emplace_back(each.integers.begin(), each.integers.end());
  return all;
}

const std::vector<std::int64_t> signed_numbers{std::numeric_limits<std::int64_t>::min(),
                                               std::int64_t{-1} << 40,
                                               -32769,
                                               -300,
                                               -129,
                                               -128,
                                               -1,
                                               0,
                                               1,
                                               100,
                                               127,
                                               128,
                                               255,
                                               256,
                                               300,
                                               65536,
                                               std::int64_t{1} << 40,
                                               std::numeric_limits<std::int64_t>::max()};
const std::vector<std::uint64_t> unsigned_numbers{
    0, 100, 127, 128, 255, 256, std::uint64_t{1} << 40, std::uint64_t{1} << 63, ~std::uint64_t{0}};

template <class T, class N>
void check_doors(const std::vector<N>& numbers) {
  const std::vector<T> host = elements<T>();
  const auto x = array<T, 1>::from(host, {host.size()});
  const auto stateless = fuse(compare_all);
  const auto made_of_numbers = fuse([](auto v, auto n, auto zero) { return compare_all(v, n + zero); });
  for (const N n : numbers) {
    CAPTURE(n);
    {
      INFO("argument of a stateless function");
      check_results<T>(to_vectors(stateless(x, n)), n);
    }
    {
      INFO("captured by a stateful function");
      check_results<T>(to_vectors(fuse([&](auto v) { return compare_all(v, n); })(x)), n);
    }
    {
      INFO("made of numbers");
      check_results<T>(to_vectors(made_of_numbers(x, n, N(0))), n);
    }
    {
      INFO("expressions");
      check_results<T>(
          {evaluate(x == n).to_vector(), evaluate(x != n).to_vector(), evaluate(x < n).to_vector(),
           evaluate(x <= n).to_vector(), evaluate(x > n).to_vector(), evaluate(x >= n).to_vector(),
           evaluate(n == x).to_vector(), evaluate(n != x).to_vector(), evaluate(n < x).to_vector(),
           evaluate(n <= x).to_vector(), evaluate(n > x).to_vector(), evaluate(n >= x).to_vector()},
          n);
    }
    const auto build = [](graph_builder& builder, std::span<const graph_value> values) {
      build_all(builder, values[0], values[1]);
    };
    {
      INFO("parameter of the builder");
      check_results<T>(to_vectors(evaluate({x, n}, build)), n);
    }
    {
      INFO("literal of the builder");
      check_results<T>(interpreted(element_type_of<T>, host, n), n);
    }
  }
}

}  // namespace

TEST_SUITE("integer comparisons") {
  TEST_CASE("uint8 is compared exactly with any integer") { check_doors<std::uint8_t>(signed_numbers); }
  TEST_CASE("int8 is compared exactly with any integer") { check_doors<std::int8_t>(signed_numbers); }
  TEST_CASE("int32 is compared exactly with any integer") { check_doors<std::int32_t>(signed_numbers); }
  TEST_CASE("int64 is compared exactly with numbers of 64 bits, of either kind") {
    check_doors<std::int64_t>(signed_numbers);
    check_doors<std::int64_t>(unsigned_numbers);
  }
  TEST_CASE("uint64 is compared exactly with numbers of 64 bits, of either kind") {
    check_doors<std::uint64_t>(signed_numbers);
    check_doors<std::uint64_t>(unsigned_numbers);
  }
  TEST_CASE("int16 is compared exactly with unsigned numbers") {
    check_doors<std::int16_t>(unsigned_numbers);
  }

  TEST_CASE("literals in a stateless function are compared exactly") {
    const std::vector<std::uint8_t> host = elements<std::uint8_t>();
    const auto x = array<std::uint8_t, 1>::from(host, {host.size()});
    const auto above = fuse([](auto v) { return compare_all(v, 300); });
    check_results<std::uint8_t>(to_vectors(above(x)), 300);
    const auto below = fuse([](auto v) { return compare_all(v, -1); });
    check_results<std::uint8_t>(to_vectors(below(x)), -1);
    const auto inside = fuse([](auto v) { return compare_all(v, 100); });
    check_results<std::uint8_t>(to_vectors(inside(x)), 100);
  }

  TEST_CASE("numbers among themselves and booleans are compared by value") {
    const auto x = array<bool, 1>::from({true, false}, {2});
    const auto f =
        fuse([](auto v, auto a, auto b) { return std::tuple{sinter::less(v, a), v == 300, a < b, a == b}; });
    const auto [less, same, smaller, equal] = f(x, 1, std::numeric_limits<std::uint64_t>::max());
    CHECK(less.to_vector() == std::vector<bool>{false, true});
    CHECK(same.to_vector() == std::vector<bool>{false, false});
    CHECK(smaller.to_vector() == std::vector<bool>{true});
    CHECK(equal.to_vector() == std::vector<bool>{false});
    const auto [l, s, negative, e] = f(x, -1, std::numeric_limits<std::uint64_t>::max());
    CHECK(negative.to_vector() == std::vector<bool>{true});
    CHECK(e.to_vector() == std::vector<bool>{false});
  }

  TEST_CASE("a number inside the range is compared as one of the array's type, with no more than that") {
    graph_builder builder;
    const graph_value x = builder.input(element_type::uint8, 1);
    builder.output(builder.apply(operation::less, {x, builder.literal(200)}));
    const std::vector<node>& nodes = builder.recorded().nodes;
    CHECK(nodes.back().op == operation::less);
    CHECK(nodes[nodes.back().inputs[1]].op == operation::literal);
    CHECK(nodes[nodes.back().inputs[1]].type == element_type::uint8);
  }
}
