#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

// The end of this file's name, as it appears in messages.
const std::string this_file = std::string(__FILE__).substr(std::string(__FILE__).rfind('/') + 1);

std::vector<float> ramp(std::size_t count, float first = 0, float step = 1) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = first + step * static_cast<float>(i);
  return numbers;
}

}  // namespace

namespace author {
// A library author's own tensor: a pointer and a length, which as_view makes usable.
struct tensor {
  std::vector<float> elements;
};
view<float, 1> as_view(tensor& from) { return {from.elements.data(), {from.elements.size()}}; }
view<const float, 1> as_view(const tensor& from) { return {from.elements.data(), {from.elements.size()}}; }
}  // namespace author

TEST_SUITE("dsl_expression") {
  TEST_CASE("an expression is evaluated by assigning it") {
    const auto x = array<float, 1>::from(ramp(5, -2)), y = array<float, 1>::from(ramp(5, 10));
    array<float, 1> z = where(x > 0, x * y + 1, y - x);
    CHECK(z.to_vector() == std::vector<float>{12, 12, 12, 14, 29});
    const float* before = z.data();
    z = z * 2 + x;
    CHECK(z.to_vector() == std::vector<float>{22, 23, 24, 29, 60});
    CHECK(static_cast<const float*>(z.data()) == before);
    z += x;
    z -= 1;
    z *= y;
    z /= 2.0f;
    CHECK(z.to_vector() == std::vector<float>{95, 115.5f, 138, 188.5f, 427});
    z = x(slice(0, 2)) * 1;  // another extent: a new array
    CHECK(z.to_vector() == std::vector<float>{-2, -1});
    CHECK(evaluate(-x).to_vector() == ramp(5, 2, -1));
  }

  TEST_CASE("assigning to a view writes its elements and broadcasts") {
    auto z = array<float, 1>::from(ramp(6, 1));
    z(slice(0, 2)) = 0;
    CHECK(z.to_vector() == std::vector<float>{0, 0, 3, 4, 5, 6});
    z(slice(end, end, -2)) += 10;
    CHECK(z.to_vector() == std::vector<float>{0, 10, 3, 14, 5, 16});
    z(slice(0, 3)) = z(slice(3, 6));
    CHECK(z.to_vector() == std::vector<float>{14, 5, 16, 14, 5, 16});
    z(slice(1, end)) = z(slice(0, -1));  // overlapping: the operand is read first
    CHECK(z.to_vector() == std::vector<float>{14, 14, 5, 16, 14, 5});
    z(2) = 7;
    CHECK(z.to_vector() == std::vector<float>{14, 14, 7, 16, 14, 5});
    auto table = zeros<float>({3, 2});
    table(all(), 1) = array<float, 1>::from({1, 2, 3});
    table(all(), all()) += array<float, 1>::from({10, 20});
    CHECK(table.to_vector() == std::vector<float>{10, 21, 10, 22, 10, 23});
    transpose(table)(0) = 5;
    CHECK(table.to_vector() == std::vector<float>{5, 21, 5, 22, 5, 23});
    view<float, 2> elements = table;
    elements = elements * 2;
    CHECK(table.to_vector() == std::vector<float>{10, 42, 10, 44, 10, 46});
    const array<float, 1> two_rows = ones<float>(2);
    CHECK_THROWS_AS(table(all(), 0) = two_rows, shape_error);
    CHECK(table.to_vector() == std::vector<float>{10, 42, 10, 44, 10, 46});
  }

  TEST_CASE("a broadcast assignment knows whether its target is among its operands") {
    // equal types and patterns, except for the target: each must have its own extents
    auto a = array<float, 2>::from(ramp(6), {2, 3});
    auto b = zeros<float>({4, 3});
    const auto assign = [](view<float, 2> target, view<float, 2> row) { target = row + 1; };
    for (int again = 0; again < 2; ++again) {
      assign(b(all(), all()), a(slice(0, 1), all()));
      CHECK(b.to_vector() == std::vector<float>{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
      auto row = array<float, 2>::from(ramp(3), {1, 3});
      assign(row(all(), all()), row(all(), all()));
      CHECK(row.to_vector() == std::vector<float>{1, 2, 3});
    }
  }

  TEST_CASE("expressions of one type are told apart by which operands are one array") {
    const auto x = array<float, 1>::from(ramp(4)), y = array<float, 1>::from(ramp(4, 10));
    const auto product = [](const array<float, 1>& a, const array<float, 1>& b) {
      return evaluate(a * b).to_vector();
    };
    for (int again = 0; again < 2; ++again) {
      CHECK(product(x, x) == std::vector<float>{0, 1, 4, 9});
      CHECK(product(x, y) == std::vector<float>{0, 11, 24, 39});
      CHECK(product(y, x) == std::vector<float>{0, 11, 24, 39});
    }
  }

  TEST_CASE("numbers in expressions are run-time parameters, literals and constants are not") {
    const auto x = array<float, 1>::from(ramp(3));
    for (float factor : {1.0f, 2.0f, -3.5f}) CHECK(evaluate(x * factor).to_vector() == ramp(3, 0, factor));
    for (float factor : {1.0f, 2.0f, -3.5f})
      CHECK(evaluate(x * literal(factor)).to_vector() == ramp(3, 0, factor));
    for (int stop : {1, 2, 3}) CHECK(evaluate((x + 1)(slice(0, stop))).size() == stop);
    for (int stop : {-1, -2}) CHECK(evaluate((x + 1)(slice(0, stop))).size() == 3 + stop);
    CHECK(evaluate((x + 1)(slice(1, end))).to_vector() == ramp(2, 2));
    CHECK(std::isinf(evaluate(x + inf).to_vector()[0]));
    CHECK(std::isnan(evaluate(nan * x).to_vector()[0]));
    CHECK(evaluate(x + -inf).to_vector()[2] == -HUGE_VALF);
    // one expression type, two scalar types: bool < int and bool < float
    const auto flags = array<bool, 1>::from({true, false}, {2});
    for (int again = 0; again < 2; ++again) {
      CHECK(evaluate(less(flags, 1)).to_vector() == std::vector<bool>{false, true});
      CHECK(evaluate(less(flags, 0.5f)).to_vector() == std::vector<bool>{false, true});
    }
  }

  TEST_CASE("expressions own temporary arrays and refer to arrays that live") {
    auto x = array<float, 1>::from(ramp(3));
    auto sum = x + array<float, 1>::from(ramp(3, 10));
    const auto copy = sum * 2;
    x(all()) = 100;
    CHECK(evaluate(sum).to_vector() == ramp(3, 110));
    CHECK(evaluate(copy).to_vector() == ramp(3, 220, 2));
    auto twice = [](array<float, 1> made) { return std::move(made) * 2; }(array<float, 1>::from(ramp(3)));
    CHECK(evaluate(twice).to_vector() == ramp(3, 0, 2));
    const array<float, 1> first = fuse([](auto v) { return v + 1; })(x)(slice(0, 1));
    CHECK(first.to_vector() == std::vector<float>{101});
    CHECK(evaluate(transpose(evaluate(x + 1))).to_vector() == std::vector<float>(3, 101));
  }

  TEST_CASE("expressions replay inside fused functions") {
    const auto x = array<float, 1>::from(ramp(3)), bias = array<float, 1>::from(ramp(3, 10));
    const auto expression = bias * 2 + 1;
    const auto replays = fuse([&](auto v) { return v + expression + (bias - 1); });
    CHECK(replays(x).to_vector() == ramp(3, 30, 4));
    const auto returns_expression = fuse([&](auto v) { return std::tuple{v, bias + 1, bias(all()), 2.5f}; });
    auto [same, sum, copied, number] = returns_expression(x);
    CHECK(sum.to_vector() == ramp(3, 11));
    CHECK(copied.to_vector() == ramp(3, 10));
    CHECK(number.to_vector() == std::vector<float>{2.5f});
    CHECK(same.to_vector() == ramp(3));
  }

  TEST_CASE("comparisons of arrays are elementwise, on either side of a number") {
    const auto x = array<int, 1>::from({1, 2, 3}, {3}), y = array<int, 1>::from({3, 2, 1}, {3});
    CHECK(evaluate(x == y).to_vector() == std::vector<bool>{false, true, false});
    CHECK(evaluate(x != y).to_vector() == std::vector<bool>{true, false, true});
    CHECK(evaluate(x == 2).to_vector() == std::vector<bool>{false, true, false});
    CHECK(evaluate(2 == x).to_vector() == std::vector<bool>{false, true, false});
    CHECK(evaluate(2 != x(all())).to_vector() == std::vector<bool>{true, false, true});
    CHECK(evaluate(x + 0 == y(all())).to_vector() == std::vector<bool>{false, true, false});
    CHECK(evaluate(2 <= x && !(x == 3)).to_vector() == std::vector<bool>{false, true, false});
    CHECK(evaluate((x > 2 || y > 2) ^ true).to_vector() == std::vector<bool>{false, true, false});
    CHECK(evaluate(1 << x).to_vector() == std::vector<int>{2, 4, 8});
    CHECK(evaluate(~x & 0xff).to_vector() == std::vector<int>{254, 253, 252});
  }

  TEST_CASE("a foreign tensor is an operand, an argument and a target") {
    const device before = device::current_default();
    device::set_default(device::cpu());
    author::tensor t{ramp(4)};
    const author::tensor constant{ramp(4, 10)};
    const auto x = array<float, 1>::from(ramp(4, 1));
    array<float, 1> z = x + multiply(t, 2);
    CHECK(z.to_vector() == ramp(4, 1, 3));
    CHECK(evaluate(exp(t) * 0 + constant).to_vector() == ramp(4, 10));
    const auto sum = fuse([](auto a, auto b) { return a + b; });
    CHECK(sum(t, constant).to_vector() == ramp(4, 10, 2));
    sum.into(t)(t, x);
    CHECK(t.elements == ramp(4, 1, 2));
    const auto captures = fuse([&](auto v) { return v * t; });
    CHECK(captures(constant).to_vector() == std::vector<float>{10, 33, 60, 91});
    device::set_default(before);
  }

  TEST_CASE("an array that has the type already is converted to an operand, as others are") {
    const auto x = array<float, 1>::from(ramp(4));
    const auto mask = array<bool, 1>::from({true, false}, {2});
    CHECK(array<float, 1>(astype<float>(x) * 2).to_vector() == array<float, 1>(x * 2).to_vector());
    CHECK(array<std::int64_t, 1>(astype<bool>(mask) - std::int64_t{2}).to_vector() ==
          std::vector<std::int64_t>{-1, -2});
    CHECK(array<float, 1>(astype<float>(x)).to_vector() == x.to_vector());
  }

  TEST_CASE("a mismatch of shapes names the line of the operator") {
    const auto x = array<float, 1>::from(ramp(4)), y = array<float, 1>::from(ramp(5));
    std::string message;
    const int line = __LINE__ + 2;
    try {
      const array<float, 1> z = x * 2 + y;
    } catch (const shape_error& thrown) {
      message = thrown.what();
    }
    CHECK(message.find(this_file + ":" + std::to_string(line)) != std::string::npos);
    const auto bytes = array<std::int8_t, 1>::from({1}, {1});
    try {
      (void)(bytes + 300);
    } catch (const type_error& thrown) {
      message = thrown.what();
    }
    CHECK(message.find("300 does not fit int8") != std::string::npos);
    CHECK(message.find(this_file + ":" + std::to_string(line + 7)) != std::string::npos);
  }
}
