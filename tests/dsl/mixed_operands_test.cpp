// Operators between operands and C++ scalars: logical ones with bool, and integer powers with negative
// exponents.
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

using namespace sinter;

namespace {

const std::string advice = "say pow(astype<double>(x), -1) or pow(x, -1.0)";

/// The message of the type_error that a call throws; empty if it throws none.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const type_error& caught) {
    return caught.what();
  }
  return {};
}

bool names_power(const std::string& said) {
  return said.find("power(int32") == 0 && said.find("(the exponent is -1)") != said.npos &&
         said.find(advice) != said.npos;
}

}  // namespace

TEST_SUITE("mixed operands") {
  TEST_CASE("logical operators take a C++ bool on either side, in functions and expressions") {
    const auto x = array<float, 1>::from({-1, 2}, {2});
    for (const bool on : {false, true}) {
      const std::vector<float> chosen{0, on ? 2.0f : 0.0f};
      const std::vector<bool> either{on, true}, both{false, on}, none{true, !on};
      CHECK(fuse([](auto a, auto b) { return where(a > 0 && b, a, 0); })(x, on).to_vector() == chosen);
      CHECK(fuse([on](auto a) { return where(a > 0 && on, a, 0); })(x).to_vector() == chosen);
      CHECK(fuse([on](auto a) { return on || a > 0; })(x).to_vector() == either);
      CHECK(evaluate(on && x > 0).to_vector() == both);
      CHECK(evaluate(!(x > 0 && on)).to_vector() == none);
      const array<bool, 1> mask = x > 0;
      CHECK(evaluate(mask || on).to_vector() == either);
      CHECK(evaluate(view<const bool, 1>(mask) && on).to_vector() == both);
      CHECK(evaluate(array<bool, 1>::from({false, true}, {2}) && on).to_vector() == both);
    }
    CHECK(fuse([](auto a) { return true && a > 0; })(x).to_vector() == std::vector<bool>{false, true});
  }

  TEST_CASE("logical operators take other C++ numbers, which are true unless they are 0") {
    const auto x = array<float, 1>::from({-1, 2}, {2});
    CHECK(evaluate(x > 0 && 1000).to_vector() == std::vector<bool>{false, true});
    CHECK(evaluate(0.0 || x > 0).to_vector() == std::vector<bool>{false, true});
    CHECK(evaluate(x > 0 || nan).to_vector() == std::vector<bool>{true, true});
    CHECK(evaluate(x && 0.5f).to_vector() == std::vector<bool>{true, true});
  }

  TEST_CASE("a negative integer power of an integer is refused in every door") {
    const auto x = array<int, 1>::from({2, 4}, {2});
    CHECK(names_power(refusal([&] { fuse([](auto k) { return pow(k, -1); })(x); })));
    const auto by = [&x](int exponent) {
      return fuse([exponent](auto k) { return pow(k, exponent); })(x).to_vector();
    };
    CHECK(by(2) == std::vector<int>{4, 16});
    CHECK(names_power(refusal([&] { by(-1); })));
    const auto argument = fuse([](auto k, auto exponent) { return power(k, exponent); });
    CHECK(argument(x, 2).to_vector() == std::vector<int>{4, 16});
    CHECK(names_power(refusal([&] { argument(x, -1); })));
    const auto lazy = [&x](int exponent) { return evaluate(pow(x, exponent)).to_vector(); };
    CHECK(lazy(2) == std::vector<int>{4, 16});
    CHECK(names_power(refusal([&] { lazy(-1); })));
    const auto computed = fuse([](auto k, auto exponent) { return pow(k, exponent - 3); });
    CHECK(computed(x, 5).to_vector() == std::vector<int>{4, 16});
    CHECK(names_power(refusal([&] { computed(x, 2); })));
    CHECK(names_power(refusal([&] { fuse([](auto k) { return pow(k, scalar<int>(-1)); })(x); })));
    const auto build = [](graph_builder& builder, std::span<const graph_value> values) {
      builder.output(builder.apply(operation::power, values));
    };
    CHECK(names_power(refusal([&] { evaluate({x, -1}, build); })));
    CHECK(names_power(refusal([&] { evaluate({x, literal(-1)}, build); })));
    graph_builder builder;
    CHECK(names_power(refusal([&] {
      builder.apply(operation::power, {builder.input(element_type::int32, 1), builder.literal(-1)});
    })));
  }

  TEST_CASE("a refused power writes nothing, and floating powers stay") {
    const auto x = array<int, 1>::from({2, 4}, {2});
    auto made = array<int, 1>::from({7, 7}, {2});
    const auto by = fuse([](auto k, auto exponent) { return pow(k, exponent); });
    CHECK_THROWS_AS(by.into(made)(x, -1), type_error);
    CHECK(made.to_vector() == std::vector<int>{7, 7});
    CHECK(evaluate(pow(x, -1.0)).to_vector() == std::vector<double>{0.5, 0.25});
    CHECK(by(array<float, 1>::from({2, 4}, {2}), -1).to_vector() == std::vector<float>{0.5f, 0.25f});
  }

  TEST_CASE("order of booleans among themselves, and by functions, is NumPy's") {
    const auto mask = array<bool, 1>::from({true, false}, {2});
    CHECK(evaluate(mask < true).to_vector() == std::vector<bool>{false, true});
    CHECK(evaluate(less(mask, 0.5)).to_vector() == std::vector<bool>{false, true});
    const auto built = evaluate({mask, 1}, [](graph_builder& builder, std::span<const graph_value> values) {
      builder.output(builder.apply(operation::less, values));
    });
    CHECK(built[0].view().to<const bool, 1>().to_vector() == std::vector<bool>{false, true});
  }
}
