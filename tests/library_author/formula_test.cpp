// What formulas mean: how they are read, what shapes and types they have, and how many functions they become.
#include <doctest/doctest.h>

#include <sinter/runtime/call.hpp>

#include <cstdint>
#include <thread>
#include <vector>

#include "small_library.hpp"

using namespace sinter;
using namespace sinter::test;
using tensors::numbers;

namespace {

using extents = std::vector<std::int64_t>;
extents shape_of(const tensors::tensor& x) { return {x.shape().begin(), x.shape().end()}; }

}  // namespace

TEST_CASE("operators bind as in Python") {
  small_library library;
  CHECK(library.number("2 + 3 * 4") == 14);
  CHECK(library.number("(2 + 3) * 4") == 20);
  CHECK(library.number("10 - 4 - 3") == 3);
  CHECK(library.number("24 / 4 / 3") == 2);
  CHECK(library.number("7 // 2 * 2 + 7 % 2") == 7);
  CHECK(library.number("2 ** 3 ** 2") == 512);
  CHECK(library.number("-2 ** 2") == -4);
  CHECK(library.number("2 ** -1.0") == 0.5);
  CHECK(library.number("3 - -2") == 5);
  CHECK(library.number("1 + 2 < 2 * 2") == 1);
  CHECK(library.number("1 + 2 >= 2 * 2") == 0);
  CHECK(library.number("where(2 == 2, 1.5e1, .5)") == 15);
}

TEST_CASE("every operation of the table is a function of its name") {
  small_library library;
  const auto x = library.make<double>({0.25, 4});
  CHECK(library("hypot(x * 3, x * 4)", {{"x", x}}).to_vector<double>(library.on) == std::vector{1.25, 20.0});
  CHECK(library("clip(x, 1, 3)", {{"x", x}}).to_vector<double>(library.on) == std::vector{1.0, 3.0});
  CHECK(library("cumsum(x, 0)", {{"x", x}}).to_vector<double>(library.on) == std::vector{0.25, 4.25});
}

TEST_CASE("operands broadcast, and slices are operands as they are") {
  small_library library;
  const auto row = library.make<float>({1, 2, 3}), column = library.make<float>({10, 20}, {2, 1});
  const auto made = library("column + row", {{"row", row}, {"column", column}});
  CHECK(shape_of(made) == extents{2, 3});
  CHECK(made.to_vector<float>(library.on) == std::vector<float>{11, 12, 13, 21, 22, 23});
  const auto odd = made.slice(1, 0, 3, 2);
  CHECK(odd.to_vector<float>(library.on) == std::vector<float>{11, 13, 21, 23});
  CHECK(library("x - 1", {{"x", odd}}).to_vector<float>(library.on) == std::vector<float>{10, 12, 20, 22});
  library.evaluate.into(odd, "0 * x", {{"x", odd}}, library.on);
  CHECK(made.to_vector<float>(library.on) == std::vector<float>{0, 12, 0, 0, 22, 0});
}

TEST_CASE("reductions take axes, counted from either end, and keepdims") {
  small_library library;
  const auto x = library.make<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const auto values = [&](const char* formula) {
    return library(formula, {{"x", x}}).to_vector<float>(library.on);
  };
  CHECK(values("sum(x)") == std::vector<float>{21});
  CHECK(values("sum(x, 0)") == std::vector<float>{5, 7, 9});
  CHECK(values("max(x, -1)") == std::vector<float>{3, 6});
  CHECK(values("sum(x, 0, 1)") == std::vector<float>{21});
  CHECK(values("x / sum(x, 1, keepdims)") ==
        std::vector<float>{1 / 6.f, 2 / 6.f, 3 / 6.f, 4 / 15.f, 5 / 15.f, 6 / 15.f});
  CHECK(shape_of(library("sum(x, 1, keepdims)", {{"x", x}})) == extents{2, 1});
  CHECK(shape_of(library("sum(x, keepdims)", {{"x", x}})) == extents{1, 1});
}

TEST_CASE("types are those of the operands, and numbers take the type that they meet") {
  small_library library;
  const auto single = library.make<float>({1, 2});
  const auto twice = library.make<double>({1, 2});
  const auto whole = library.make<std::int32_t>({1, 2});
  const auto type = [&](const char* formula, const tensors::arguments& named) {
    return library(formula, named).type();
  };
  CHECK(type("x * 2.5 + 1", {{"x", single}}) == element_type::float32);
  CHECK(type("x * 2.5 + 1", {{"x", twice}}) == element_type::float64);
  CHECK(type("x * 2.5 + 1", {{"x", whole}}) == element_type::float64);
  CHECK(type("x * 2 + 1", {{"x", whole}}) == element_type::int32);
  CHECK(type("x * scale", {{"x", single}, {"scale", 2.5}}) == element_type::float32);
  CHECK(type("x * scale", {{"x", whole}, {"scale", 2}}) == element_type::int32);
  CHECK(type("x + y", {{"x", single}, {"y", twice}}) == element_type::float64);
  CHECK(type("x > 1", {{"x", single}}) == element_type::boolean);
  CHECK(type("float32(x) / 2", {{"x", whole}}) == element_type::float32);
  CHECK(library("x // 2", {{"x", whole}}).to_vector<std::int32_t>(library.on) ==
        std::vector<std::int32_t>{0, 1});
}

TEST_CASE("a text is one function for each list of types, whatever its shapes and scalars") {
  small_library library;
  const char* const formula = "x * scale + 123.25";
  const std::size_t before = runtime::function_count();
  for (int length = 1; length < 6; ++length) {
    const auto x = library.make<float>(std::vector<float>(static_cast<std::size_t>(length), 2));
    const auto made = library(formula, {{"x", x}, {"scale", 0.5 * length}}).to_vector<float>(library.on);
    CHECK(made == std::vector<float>(static_cast<std::size_t>(length), 123.25f + static_cast<float>(length)));
  }
  CHECK(library.evaluate.function_count() == 1);
  CHECK(runtime::function_count() == before + 1);
  library(formula, {{"x", library.make<double>({2})}, {"scale", 0.5}});
  CHECK(library.evaluate.function_count() == 2);
  CHECK(runtime::function_count() == before + 2);
  library(formula, {{"x", library.make<float>({2}, {1, 1})}, {"scale", 0.5}});
  CHECK(runtime::function_count() == before + 3);
}

TEST_CASE("texts that mean the same share a function") {
  small_library library;
  const auto x = library.make<float>({1, 2});
  const std::size_t before = runtime::function_count();
  for (const char* const formula : {"x + 611", "(x+611)", "add(x, 611)"})
    CHECK(library(formula, {{"x", x}}).to_vector<float>(library.on) == std::vector<float>{612, 613});
  CHECK(library.evaluate.function_count() == 3);
  CHECK(runtime::function_count() == before + 1);
}

TEST_CASE("a number in the text is part of the kernel, unless numbers are parameters") {
  for (const numbers how : {numbers::literals, numbers::parameters}) {
    small_library library(how);
    const auto x = library.make<float>({1, 2});
    const std::size_t before = runtime::function_count();
    CHECK(library("x ** 2 * 3.25 + 77", {{"x", x}}).to_vector<float>(library.on) ==
          std::vector<float>{80.25f, 90});
    CHECK(library("x ** 2 * 4.25 + 88", {{"x", x}}).to_vector<float>(library.on) ==
          std::vector<float>{92.25f, 105});
    CHECK(library.evaluate.function_count() == 2);
    CHECK(runtime::function_count() == before + (how == numbers::literals ? 2 : 1));
  }
}

TEST_CASE("threads share an evaluator, and a formula that they compile at once is one function") {
  small_library library;
  const auto x = library.make<float>({1, 2, 3});
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> results(4);
  for (std::vector<float>& result : results)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const tensors::queue own(device::cpu(), library.memory);
        result = library.evaluate("x * 3 + 31", {{"x", x}}, own).to_vector<float>(own);
      }
    });
  for (std::thread& each : threads) each.join();
  for (const std::vector<float>& result : results) CHECK(result == std::vector<float>{34, 37, 40});
  CHECK(library.evaluate.function_count() == 1);
}

TEST_CASE("what was prepared in the background is ready for the call") {
  small_library library;
  const auto x = library.make<float>({1, 2, 3});
  const sinter::preparation warm = library.evaluate.prepare_async("x * 5 + 55", {{"x", x}}, library.on);
  warm.get();
  CHECK(warm.ready());
  CHECK(library("x * 5 + 55", {{"x", x}}).to_vector<float>(library.on) == std::vector<float>{60, 65, 70});
}
