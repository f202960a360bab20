// What follows from the values that operands can have, and random graphs of such operations whose results
// must not change by a bit.
#include "recorded_expression.hpp"

#include <doctest/doctest.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/external_function.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>

#include <cmath>
#include <random>
#include <string_view>
#include <vector>

using namespace sinter;
using namespace sinter::test;

namespace {

constexpr element_type types[] = {element_type::boolean, element_type::int8,    element_type::uint8,
                                  element_type::int16,   element_type::int32,   element_type::uint32,
                                  element_type::int64,   element_type::uint64,  element_type::float16,
                                  element_type::float32, element_type::float64, element_type::bfloat16};

bool stays(const expression& a, std::string_view name) {
  return simplified(a).find(name) != std::string::npos;
}

/// One value of the shape of an array.
graph_value everywhere(recording& r, graph_value shape, graph_value value) {
  return r(operation::where, {r.as(element_type::boolean, shape), value, value});
}

class random_graph {
 public:
  explicit random_graph(unsigned seed) : random_(seed) {
    builder_.restart(seed % 2 == 0 ? arithmetic_mode::standard : arithmetic_mode::strict);
    for (const element_type type : types) {
      std::vector<std::int64_t> extents{below(3) == 0 ? 1 : 3};
      if (below(2) == 0) extents.insert(extents.begin(), below(3) == 0 ? 1 : 2);
      values_.push_back(builder_.input(type, static_cast<unsigned>(extents.size())));
      inputs_.push_back({type, extents, {}, {}});
      std::int64_t count = 1;
      for (const std::int64_t extent : extents) count *= extent;
      for (std::int64_t i = 0; i < count; ++i) add_element(inputs_.back());
    }
    while (values_.size() < std::size(types) + 30) {
      const graph before = builder_.recorded();
      try {
        values_.push_back(extend());
      } catch (const type_error&) {
        builder_.recorded() = before;
      }
    }
    for (std::size_t i = std::size(types); i < values_.size(); ++i) builder_.output(values_[i]);
  }
  const graph& recorded() const { return builder_.recorded(); }

  std::vector<std::vector<std::uint64_t>> results(const graph& of) const {
    std::vector<reference_array> results;
    interpret(of, inputs_, {}, results, reference_precision::native);
    std::vector<std::vector<std::uint64_t>> bits;
    for (const reference_array& result : results) bits.push_back(bits_of(result));
    return bits;
  }

 private:
  unsigned below(std::size_t limit) { return static_cast<unsigned>(random_() % limit); }
  graph_value pick() { return values_[below(values_.size())]; }

  void add_element(reference_array& to) {
    static constexpr long double numbers[] = {0, 1, -1, 3, 5, 127, -128, 0.5L, -0.0L, 1e30L, -1e30L, NAN};
    const long double number = numbers[below(std::size(numbers))];
    if (is_floating(to.type))
      to.reals.push_back(rounded(to.type, number));
    else
      to.integers.push_back(is_boolean(to.type) ? below(2) : saturated_integer(to.type, number));
  }

  graph_value number() {
    static constexpr long double numbers[] = {0, 1, 2, 3, -1, -3, 7, 0.5L, -0.5L, 1e-6L, 100};
    const element_type type = types[below(std::size(types))];
    return builder_.literal(type, convert_bits(element_type::float64,
                                               real_bits(element_type::float64, numbers[below(11)]), type));
  }

  /// Shapes that still broadcast with all others.
  graph_value extend_shape(graph_value from) {
    if (from.rank == 0) return builder_.cast(from, element_type::float64);
    const view_item reversed{view_item::kind::slice, {}, {}, literal_bound(-1)};
    switch (below(5)) {
      case 0:
        return builder_.coordinate(from, from.rank - 1u);
      case 1:
        return builder_.extent(from, 0);
      case 2:
        return builder_.view(from, std::span(&reversed, 1));
      case 3:
        return builder_.reduce(operation::sum, from, 1, true);
      default:
        return builder_.reduce(operation::max, from, 1, true);
    }
  }

  graph_value extend() {
    static constexpr operation operations[] = {
        operation::maximum,     operation::minimum,   operation::clip,         operation::clip,
        operation::fmax,        operation::fmin,      operation::less,         operation::less_equal,
        operation::greater,     operation::equal,     operation::not_equal,    operation::greater_equal,
        operation::add,         operation::subtract,  operation::multiply,     operation::square,
        operation::absolute,    operation::negative,  operation::logical_not,  operation::logical_and,
        operation::logical_or,  operation::remainder, operation::bitwise_and,  operation::where,
        operation::bitwise_not, operation::bit_count, operation::trunc_divide, operation::sign};
    if (below(8) == 0) return extend_shape(pick());
    if (below(3) == 0) return builder_.cast(pick(), types[below(std::size(types))]);
    const operation op = operations[below(std::size(operations))];
    std::vector<graph_value> operands{pick()};
    while (operands.size() < facts_of(op).arity) operands.push_back(below(2) == 0 ? number() : pick());
    if (operands.size() == 2 && below(2) == 0) std::swap(operands[0], operands[1]);
    return builder_.apply(op, operands);
  }

  std::mt19937 random_;
  graph_builder builder_;
  std::vector<graph_value> values_;
  std::vector<reference_array> inputs_;
};

}  // namespace

TEST_SUITE("range identities") {
  TEST_CASE(
      "no random graph of bounded values changes a bit of its results, and simplifying again changes "
      "nothing") {
    for (unsigned seed = 0; seed < 20000; ++seed) {
      CAPTURE(seed);
      const random_graph drawn(seed);
      const graph simple = simplify(drawn.recorded());
      CHECK(drawn.results(drawn.recorded()) == drawn.results(simple));
      CHECK(to_string(simplify(simple)) == to_string(simple));
    }
  }

  TEST_CASE("an extreme of values that are never on its other side is one of them") {
    CHECK(same(EXPRESSION(r(operation::maximum, {r.as(element_type::int32, r.mask), r.integer(0)})),
               EXPRESSION(r.as(element_type::int32, r.mask))));
    CHECK(same(EXPRESSION(r(operation::clip,
                            {r.as(element_type::float64, r.mask), r.number(element_type::float64, -0.5L),
                             r.number(element_type::float64, 1.5L)})),
               EXPRESSION(r.as(element_type::float64, r.mask))));
    CHECK(same(EXPRESSION(r(operation::clip, {r.as(element_type::int32, r.mask), r.integer(-1), r.n})),
               EXPRESSION(r(operation::minimum, {r.as(element_type::int32, r.mask), r.n}))));
    CHECK(stays(EXPRESSION(r(operation::maximum, {r.n, r.integer(0)})), "maximum"));
    // the lower bound has a shape of its own
    CHECK(stays(EXPRESSION(r(operation::clip, {r.as(element_type::int32, r.mask),
                                               r(operation::minimum, {r.n, r.integer(0)}), r.integer(5)})),
                "maximum"));
    // x may be NaN, and so may the result
    CHECK(
        stays(EXPRESSION(r(operation::maximum, {r.x, r.number(element_type::float32, -3e38L)})), "maximum"));
    // -0 is less than 0
    CHECK(stays(EXPRESSION(r(operation::maximum,
                             {r.as(element_type::float32, r.mask), r.number(element_type::float32, -0.0L)})),
                "maximum"));
  }

  TEST_CASE("what has one value is that value, of the result's shape") {
    CHECK(same(EXPRESSION(r(operation::maximum, {r.as(element_type::int32, r.mask), r.integer(3)})),
               EXPRESSION(everywhere(r, r.mask, r.integer(3)))));
    CHECK(same(EXPRESSION(r(operation::multiply, {r.n, r.integer(0)})),
               EXPRESSION(everywhere(r, r.n, r.integer(0)))));
    CHECK(same(
        EXPRESSION(r(operation::less, {r(operation::clip, {r.n, r.integer(1), r.integer(5)}), r.integer(1)})),
        EXPRESSION(everywhere(r, r.n, r.number(element_type::boolean, 0)))));
    // conversions saturate at infinity, which no range has
    CHECK(stays(EXPRESSION(r.as(element_type::float16, r(operation::maximum, {r.n, r.integer(70000)}))),
                "cast"));
  }

  TEST_CASE("a single zero has no sign, whatever it is computed from") {
    const auto zero_of = [](const expression& whole) {
      return [whole](recording& r) {
        return r(operation::minimum,
                 {r.as(element_type::float32, whole(r)), r.number(element_type::float32, 0)});
      };
    };
    const auto truncated = EXPRESSION(
        r.as(element_type::int32, r(operation::where, {r.mask, r.number(element_type::float32, -0.5L),
                                                       r.number(element_type::float32, 3)})));
    const auto product =
        EXPRESSION(r(operation::multiply, {r(operation::clip, {r.n, r.integer(-5), r.integer(0)}),
                                           r(operation::clip, {r.n, r.integer(-3), r.integer(0)})}));
    for (const expression& of : {expression(truncated), expression(product)}) {
      CHECK(stays(zero_of(of), "where"));
      CHECK_FALSE(stays(zero_of(of), "-0"));
    }
  }

  TEST_CASE("a single value below which a call may be refused is computed") {
    const auto refused = [](recording& r) {
      r.builder.parameter(element_type::int64);
      const auto step = static_cast<std::uint32_t>(r.builder.recorded().parameters.size() - 1);
      const view_item stepped{view_item::kind::slice, {}, {}, parameter_bound(step)};
      const graph_value sum =
          r.builder.reduce(operation::sum, r.builder.view(r.n, std::span(&stepped, 1)), 1, false);
      return r(operation::multiply, {sum, r.number(element_type::int64, 0)});
    };
    CHECK(stays(refused, "view"));  // a step of 0 is an error
    const auto called = [](auto operand) {
      return [operand](recording& r) {
        static const external_function function = [] {
          external_function made;
          made.name = "f";
          made.result = made.arguments[0] = element_type::int32;
          made.arity = 1;
          return made;
        }();
        const graph_value given = operand(r);
        return r(operation::multiply, {r.builder.call(function, std::span(&given, 1)), r.integer(0)});
      };
    };
    // a target may not have the function
    CHECK(stays(called(EXPRESSION(r.n)), "external"));
    CHECK(stays(called(EXPRESSION(r.as(element_type::int32, r.scalar))), "external"));
    const auto accepted = [](recording& r) {
      return r(operation::multiply,
               {r.builder.reduce(operation::sum, r.n, 1, false), r.number(element_type::int64, 0)});
    };
    CHECK_FALSE(stays(accepted, "sum"));
  }

  TEST_CASE("sums that may wrap and quotients by zero have every value of their type") {
    CHECK(stays(EXPRESSION(r(operation::less, {r(operation::add, {r.n, r.integer(1)}), r.n})), "less"));
    const auto doubled = EXPRESSION(
        r(operation::greater_equal,
          {r(operation::square, {r(operation::clip, {r.n, r.integer(0), r.integer(46341)})}), r.integer(0)}));
    CHECK(stays(doubled, "greater_equal"));  // 46341² wraps
    CHECK(stays(EXPRESSION(r(operation::less, {r(operation::remainder, {r.n, r.n}), r.integer(7)})), "less"));
    CHECK_FALSE(
        stays(EXPRESSION(r(operation::less, {r(operation::remainder, {r.n, r.integer(7)}), r.integer(7)})),
              "less"));
  }

  TEST_CASE("a choice whose condition is decided is what it takes, unless the condition gives the shape") {
    const auto is_never = EXPRESSION(
        r(operation::where,
          {r(operation::less, {r(operation::absolute, {r.as(element_type::int32, r.mask)}), r.integer(0)}),
           r.integer(1), r.n}));
    CHECK(stays(is_never, "where"));  // shapes of mask and n may differ
    CHECK_FALSE(stays(
        EXPRESSION(r(operation::where,
                     {r(operation::less, {r(operation::bitwise_and, {r.n, r.integer(7)}), r.integer(8)}), r.n,
                      r.integer(1)})),
        "where"));
  }
}
