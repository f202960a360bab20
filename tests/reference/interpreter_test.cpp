// The reference interpreter, compared with NumPy's results (vectors/values.hpp, vectors/views.hpp).
#include <doctest/doctest.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/reference/interpreter.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "../support/drawn/numpy_types.hpp"
#include "../support/ulp.hpp"
#include "../vectors/values.hpp"
#include "../vectors/views.hpp"

using namespace sinter;
using sinter::testing::type_of_code;
using sinter::testing::ulp_distance;

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}
std::vector<std::int64_t> numbers_of(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (const std::string& word : words_of(text)) numbers.push_back(std::stoll(word));
  return numbers;
}
std::vector<std::uint64_t> bits_of(const std::string& text) {
  std::vector<std::uint64_t> bits;
  for (const std::string& word : words_of(text)) bits.push_back(std::stoull(word, nullptr, 16));
  return bits;
}

reference_array array_of(element_type type, std::vector<std::int64_t> extents,
                         const std::vector<std::uint64_t>& bits) {
  reference_array made{type, std::move(extents), {}, {}};
  for (const std::uint64_t element : bits)
    if (is_floating(type))
      made.reals.push_back(real_of(type, element));
    else
      made.integers.push_back(integer_of(type, element));
  return made;
}
std::vector<std::uint64_t> stored(const reference_array& array) {
  std::vector<std::uint64_t> bits;
  for (std::size_t i = 0; i < array.size(); ++i) bits.push_back(store_reference(array.type, array.at(i)));
  return bits;
}

reference_array run(const graph& recorded, const std::vector<reference_array>& inputs,
                    const std::vector<std::uint64_t>& scalars = {},
                    reference_precision precision = reference_precision::extended) {
  std::vector<reference_array> results;
  interpret(recorded, inputs, scalars, results, precision);
  return results.at(0);
}

/// Every combination of operands in the vectors for a row; the last operand varies fastest.
reference_array run_row(const operation_facts& row, char code, reference_precision precision) {
  const auto* values = std::ranges::find(numpy_vectors::operands, code, &numpy_vectors::operand_values::code);
  const element_type type = type_of_code(code);
  const std::vector<std::uint64_t> bits = bits_of(values->values);
  const auto count = static_cast<std::int64_t>(bits.size());
  graph_builder builder;
  std::vector<graph_value> operands;
  std::vector<reference_array> arrays;
  for (unsigned i = 0; i < row.arity; ++i) {
    const bool column = row.arity == 2 && i == 0;
    operands.push_back(builder.input(type, column ? 2 : 1));
    arrays.push_back(array_of(type, column ? std::vector{count, std::int64_t{1}} : std::vector{count}, bits));
  }
  builder.output(builder.apply(row.op, operands));
  return run(builder.recorded(), arrays, {}, precision);
}

/// NumPy does not specify which of -0 and 0 is the extreme; Sinter orders them.
bool orders_zeros(operation op) {
  return op == operation::maximum || op == operation::minimum || op == operation::fmax ||
         op == operation::fmin;
}

}  // namespace

TEST_SUITE("interpreter") {
  TEST_CASE("every operation on awkward operands gives what NumPy gives") {
    for (const auto& [name, code, results] : numpy_vectors::results) {
      const operation_facts& row =
          *std::ranges::find(operations(), std::string_view(name), &operation_facts::name);
      const reference_array computed = run_row(row, code, reference_precision::extended);
      const std::vector<std::string> expected = words_of(results);
      REQUIRE(computed.size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (expected[i] == "-") continue;
        const std::uint64_t bits = std::stoull(expected[i], nullptr, 16);
        CAPTURE(row.name);
        CAPTURE(std::string(1, code));
        CAPTURE(i);
        if (!is_floating(computed.type)) {
          CHECK(store_reference(computed.type, computed.at(i)) == bits);
          continue;
        }
        CHECK(ulp_distance(computed.type, computed.reals[i], bits) <= 4);  // includes NumPy's own error
        const bool zero = !orders_zeros(row.op) && rounded(computed.type, computed.reals[i]) == 0;
        if (zero) CHECK(std::signbit(computed.reals[i]) == std::signbit(real_of(computed.type, bits)));
      }
    }
  }

  TEST_CASE("with native precision IEEE arithmetic has NumPy's bits") {
    for (const auto& [name, code, results] : numpy_vectors::results) {
      const operation_facts& row =
          *std::ranges::find(operations(), std::string_view(name), &operation_facts::name);
      const bool exact =
          row.op == operation::add || row.op == operation::subtract || row.op == operation::multiply ||
          row.op == operation::true_divide || row.op == operation::sqrt || row.op == operation::square ||
          row.op == operation::fmod || row.op == operation::nextafter || row.op == operation::rint;
      if (!exact || code != 'd') continue;
      const std::vector<std::uint64_t> computed = stored(run_row(row, code, reference_precision::native));
      const std::vector<std::uint64_t> expected = bits_of(results);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(row.name);
        CAPTURE(i);
        const bool nan = std::isnan(std::bit_cast<double>(expected[i]));
        CHECK((nan ? std::isnan(std::bit_cast<double>(computed[i])) : computed[i] == expected[i]));
      }
    }
  }

  TEST_CASE("views have the elements that NumPy's have") {
    for (const auto& row : numpy_vectors::views) {
      CAPTURE(std::string(row.extents));
      CAPTURE(std::string(row.items));
      const std::vector<std::int64_t> extents = numbers_of(row.extents);
      std::vector<view_item> items;
      bool permutes = false;
      for (const std::string& word : words_of(row.items)) {
        const auto number = [](const std::string& text) {
          return text.empty() ? bound{} : literal_bound(std::stoll(text));
        };
        const std::size_t first = word.find(':'), last = word.rfind(':');
        if (word == "P")
          permutes = true;
        else if (word == "N")
          items.push_back({view_item::kind::newaxis, {}, {}, {}});
        else if (first == std::string::npos)
          items.push_back(
              {permutes ? view_item::kind::permute : view_item::kind::index, number(word), {}, {}});
        else
          items.push_back({view_item::kind::slice, number(word.substr(0, first)),
                           number(word.substr(first + 1, last - first - 1)), number(word.substr(last + 1))});
      }
      graph_builder builder;
      builder.output(
          builder.view(builder.input(element_type::int64, static_cast<unsigned>(extents.size())), items));
      std::vector<std::uint64_t> elements(1);
      for (const std::int64_t extent : extents)
        elements.resize(elements.size() * static_cast<std::size_t>(extent));
      for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = i;
      const reference_array result =
          run(builder.recorded(), {array_of(element_type::int64, extents, elements)});
      CHECK(result.extents == numbers_of(row.result_extents));
      const std::vector<std::int64_t> expected = numbers_of(row.elements);
      CHECK(std::ranges::equal(result.integers, expected, [](std::uint64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(a) == b;
      }));
    }
  }

  TEST_CASE("what Sinter means by design where NumPy does otherwise") {
    const auto apply = [](operation op, element_type type, std::vector<std::int64_t> values) {
      graph_builder builder;
      std::vector<graph_value> operands;
      std::vector<reference_array> elements;
      for (const std::int64_t value : values) {
        operands.push_back(builder.input(type, 0));
        elements.push_back(array_of(type, {}, {static_cast<std::uint64_t>(value)}));
      }
      builder.output(builder.apply(op, operands));
      return static_cast<std::int64_t>(run(builder.recorded(), elements).integers.at(0));
    };
    CHECK(apply(operation::power, element_type::int8, {2, -1}) == 0);
    CHECK(apply(operation::power, element_type::int8, {0, -1}) == 0);
    CHECK(apply(operation::power, element_type::int8, {1, -5}) == 1);
    CHECK(apply(operation::power, element_type::int8, {-1, -5}) == -1);
    CHECK(apply(operation::power, element_type::int8, {-1, -4}) == 1);
    CHECK(apply(operation::reciprocal, element_type::int32, {0}) == 0);
    CHECK(apply(operation::trunc_divide, element_type::int32, {-7, 2}) == -3);
    CHECK(apply(operation::trunc_divide, element_type::int32, {-7, 0}) == 0);
    CHECK(apply(operation::clip, element_type::int32, {7, 0, 5}) == 5);
    CHECK(apply(operation::clip, element_type::int32, {7, 9, 5}) == 5);
  }

  TEST_CASE("int64 and uint64 compare exactly from either side") {
    const std::vector<std::int64_t> a{-1, 0, INT64_MAX, INT64_MIN};
    const std::vector<std::uint64_t> b{UINT64_MAX, 0, std::uint64_t{1} << 63, 1};
    for (const operation op : {operation::less, operation::less_equal, operation::greater,
                               operation::greater_equal, operation::equal, operation::not_equal})
      for (const bool exchanged : {false, true}) {
        graph_builder builder;
        const graph_value x = builder.input(element_type::int64, 2),
                          y = builder.input(element_type::uint64, 1);
        builder.output(exchanged ? builder.apply(op, {y, x}) : builder.apply(op, {x, y}));
        const reference_array result =
            run(builder.recorded(), {array_of(element_type::int64, {4, 1}, {a.begin(), a.end()}),
                                     array_of(element_type::uint64, {4}, b)});
        for (std::size_t i = 0; i < 4; ++i)
          for (std::size_t j = 0; j < 4; ++j) {
            const int order = a[i] < 0 || static_cast<std::uint64_t>(a[i]) < b[j] ? -1
                              : static_cast<std::uint64_t>(a[i]) > b[j]           ? 1
                                                                                  : 0;
            const int seen = exchanged ? -order : order;
            const bool expected = op == operation::less            ? seen < 0
                                  : op == operation::less_equal    ? seen <= 0
                                  : op == operation::greater       ? seen > 0
                                  : op == operation::greater_equal ? seen >= 0
                                  : op == operation::equal         ? seen == 0
                                                                   : seen != 0;
            CHECK(result.integers[4 * i + j] == std::uint64_t{expected});
          }
      }
  }

  TEST_CASE("minimum and maximum order zeros and keep NaN, fmin and fmax ignore it") {
    const auto apply = [](operation op, double a, double b) {
      const reference_value operands[] = {{a, 0}, {b, 0}};
      return evaluate(op, element_type::float64, reference_precision::extended, operands).real;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::signbit(apply(operation::minimum, 0.0, -0.0)));
    CHECK(std::signbit(apply(operation::minimum, -0.0, 0.0)));
    CHECK_FALSE(std::signbit(apply(operation::maximum, 0.0, -0.0)));
    CHECK_FALSE(std::signbit(apply(operation::maximum, -0.0, 0.0)));
    CHECK(std::isnan(apply(operation::minimum, 1, nan)));
    CHECK(std::isnan(apply(operation::maximum, nan, 1)));
    CHECK(apply(operation::fmin, 1, nan) == 1);
    CHECK(apply(operation::fmax, nan, 1) == 1);
  }

  TEST_CASE("casts saturate from floating numbers, wrap between integers, and test for zero") {
    const auto cast = [](element_type from, double value, element_type to) {
      return static_cast<std::int64_t>(integer_of(to, convert_bits(from, real_bits(from, value), to)));
    };
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(cast(element_type::float64, 300, element_type::int8) == 127);
    CHECK(cast(element_type::float64, -300, element_type::int8) == -128);
    CHECK(cast(element_type::float32, -1, element_type::uint32) == 0);
    CHECK(cast(element_type::float64, std::nan(""), element_type::int64) == 0);
    CHECK(cast(element_type::float64, infinity, element_type::int64) == INT64_MAX);
    CHECK(cast(element_type::float64, -infinity, element_type::int64) == INT64_MIN);
    CHECK(cast(element_type::float64, 0x1p63, element_type::int64) == INT64_MAX);
    CHECK(cast(element_type::float64, 0x1p64, element_type::uint64) == -1);
    CHECK(cast(element_type::float64, -2.9, element_type::int32) == -2);
    CHECK(cast(element_type::float64, -0.9, element_type::uint8) == 0);
    CHECK(cast(element_type::float64, std::nan(""), element_type::boolean) == 1);
    CHECK(cast(element_type::float64, -0.0, element_type::boolean) == 0);
    CHECK(convert_bits(element_type::int32, 0xffffff80, element_type::int8) == 0x80);
    CHECK(convert_bits(element_type::int8, 0x80, element_type::uint64) == 0xffffffffffffff80);
    CHECK(convert_bits(element_type::int32, 256, element_type::boolean) == 1);
    CHECK(convert_bits(element_type::uint64, UINT64_MAX, element_type::float32) ==
          std::bit_cast<std::uint32_t>(0x1p64f));
    CHECK(convert_bits(element_type::boolean, 1, element_type::bfloat16) == 0x3f80);
  }

  TEST_CASE("half types round once, to even, with subnormals and overflow to infinity") {
    const auto half = [](long double value) { return real_bits(element_type::float16, value); };
    CHECK(half(65504) == 0x7bff);
    CHECK(half(65519.99L) == 0x7bff);
    CHECK(half(65520) == 0x7c00);
    CHECK(half(1e10L) == 0x7c00);
    CHECK(half(0x1p-24L) == 0x0001);
    CHECK(half(0x1p-25L) == 0x0000);
    CHECK(half(0x1.0001p-25L) == 0x0001);
    CHECK(half(-0x1p-14L) == 0x8400);
    CHECK(half(0x1.ff8p-15L) == 0x03ff);
    CHECK(half(0x1.ffcp-15L) == 0x0400);
    CHECK(half(1 + 0x1p-11L) == 0x3c00);
    CHECK(half(1 + 0x1p-11L + 0x1p-40L) == 0x3c01);  // an intermediate float32 would give 0x3c00
    CHECK(real_bits(element_type::bfloat16, 1 + 0x1p-8L) == 0x3f80);
    CHECK(real_bits(element_type::bfloat16, 1 + 0x3p-8L) == 0x3f82);
    CHECK(real_bits(element_type::bfloat16, 3.4e38L) == 0x7f80);
    CHECK(real_bits(element_type::bfloat16, 0x1p-133L) == 0x0001);
    for (const element_type type : {element_type::float16, element_type::bfloat16})
      for (std::uint64_t bits = 0; bits < 0x10000; ++bits)
        if (!std::isnan(real_of(type, bits)) && real_bits(type, real_of(type, bits)) != bits)
          FAIL_CHECK(bits);
  }

  TEST_CASE("half arithmetic rounds at casts and results only, in strict mode after every operation") {
    const auto result = [](arithmetic_mode mode) {
      graph_builder builder;
      builder.restart(mode);
      const graph_value x = builder.input(element_type::float16, 1);
      const graph_value doubled = builder.apply(operation::add, {x, x});  // beyond float16 for 40000
      builder.output(builder.apply(operation::subtract, {doubled, x}));
      const reference_array source =
          array_of(element_type::float16, {1}, {real_bits(element_type::float16, 40000)});
      return run(builder.recorded(), {source}, {}, reference_precision::native).reals[0];
    };
    CHECK(result(arithmetic_mode::standard) == 40000);
    CHECK(std::isinf(result(arithmetic_mode::strict)));
  }

  TEST_CASE("nextafter steps through the elements of the type itself") {
    const reference_value operands[] = {{1, 0}, {2, 0}};
    for (const element_type type : {element_type::float16, element_type::bfloat16, element_type::float32}) {
      const long double next =
          evaluate(operation::nextafter, type, reference_precision::extended, operands).real;
      CHECK(real_bits(type, next) == real_bits(type, 1) + 1);
    }
  }

  TEST_CASE("coordinates, extents, parameters and outputs that are inputs") {
    graph_builder builder;
    const graph_value x = builder.input(element_type::int64, 2);
    const graph_value p = builder.parameter(element_type::int64);
    const graph_value row =
        builder.apply(operation::multiply, {builder.coordinate(x, 0), builder.extent(x, 1)});
    const graph_value flat = builder.apply(operation::add, {row, builder.coordinate(x, 1)});
    builder.output(builder.apply(operation::add, {flat, p}));
    builder.output(x);
    std::vector<reference_array> results;
    const std::vector<reference_array> inputs{array_of(element_type::int64, {2, 3}, {9, 9, 9, 9, 9, 9})};
    const std::uint64_t scalar = 100;
    interpret(builder.recorded(), inputs, std::span(&scalar, 1), results);
    CHECK(results[0].integers == std::vector<std::uint64_t>{100, 101, 102, 103, 104, 105});
    CHECK(results[1].integers == inputs[0].integers);
  }

  TEST_CASE("memory of every type is read and written as it is") {
    for (const auto& row : element_types) {
      const std::int64_t extents[] = {2, 2};
      std::vector<unsigned char> memory(4 * row.size), back(4 * row.size);
      for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<unsigned char>(i * 37 % 60);
      if (is_boolean(row.type)) memory = {0, 1, 1, 0};
      store_reference(load_reference(row.type, extents, memory.data()), back.data());
      CHECK(memory == back);
    }
  }

  TEST_CASE("the distance in units of the last place") {
    const auto distance = [](element_type type, long double expected, long double actual) {
      return ulp_distance(type, expected, real_bits(type, actual));
    };
    const long double infinity = std::numeric_limits<long double>::infinity();
    CHECK(distance(element_type::float32, 1, 1) == 0);
    CHECK(distance(element_type::float32, 1, 1 + 0x1p-23L) == 1);
    CHECK(distance(element_type::float64, 1 + 0x1p-53L, 1) == 0.5L);
    CHECK(distance(element_type::float16, 0, 0x1p-24L) == 1);
    CHECK(distance(element_type::float32, std::nanl(""), std::nanl("")) == 0);
    CHECK(distance(element_type::float32, 1, std::nanl("")) == infinity);
    CHECK(distance(element_type::float32, 1e300L, infinity) == 0);
    CHECK(distance(element_type::float32, 1e30L, infinity) == infinity);
  }
}
