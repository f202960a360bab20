// What is wrong with a formula is told with its place: before the call where the types tell, else at the
// call.
#include <doctest/doctest.h>

#include <errors.hpp>
#include <functions.hpp>

#include <optional>
#include <string>

#include "small_library.hpp"

using namespace sinter::test;
using kind = tensors::formula_error::kind;

namespace {

struct fault {
  kind what;
  std::size_t position;
  std::string message;
  bool operator==(const fault& other) const { return what == other.what && position == other.position; }
};

/// What is wrong with a formula of x (3 floats), y (2 rows of 4 floats) and k (2 bytes).
std::optional<fault> fault_of(const std::string& formula) {
  small_library library;
  const tensors::arguments named{{"x", library.make<float>({1, 2, 3})},
                                 {"y", library.make<float>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 4})},
                                 {"k", library.make<std::uint8_t>({1, 2})},
                                 {"big", 300}};
  try {
    library(formula, named);
  } catch (const tensors::formula_error& caught) {
    return fault{caught.what_kind(), caught.position(), caught.what()};
  }
  return std::nullopt;
}

void check_fault(const std::string& formula, kind what, std::size_t position, const std::string& part) {
  const std::optional<fault> found = fault_of(formula);
  INFO(formula);
  REQUIRE(found.has_value());
  INFO(found->message);
  CHECK(found->what == what);
  CHECK(found->position == position);
  CHECK(found->message.find(part) != std::string::npos);
  CHECK(found->message.find("formula_graph.cpp") == std::string::npos);
}

}  // namespace

TEST_CASE("a text that is no formula is refused where it stops being one") {
  check_fault("", kind::syntax, 0, "was expected");
  check_fault("x +", kind::syntax, 3, "a number, a name or '('");
  check_fault("(x + 1", kind::syntax, 6, "')' was expected");
  check_fault("x y", kind::syntax, 2, "an operator or the end");
  check_fault("sum(x, 0", kind::syntax, 8, "')' was expected");
  check_fault("0 < x < 1", kind::syntax, 7, "logical_and");
  check_fault("x + 99999999999999999999", kind::syntax, 4, "int64");
  check_fault("x + 1e999", kind::syntax, 4, "float64");
  check_fault("x + 1$", kind::syntax, 5, "an operator or the end");
  check_fault(std::string(100'000, '('), kind::syntax, 200, "too deeply");
  check_fault(std::string(100'000, '-') + "x", kind::syntax, 200, "too deeply");
  check_fault("sqrt(x, 1)", kind::syntax, 0, "'sqrt' takes 1 arguments, not 2");
  check_fault("1 + where(x)", kind::syntax, 4, "'where' takes 3 arguments, not 1");
}

TEST_CASE("unknown names are told with their place") {
  check_fault("x + scale * 2", kind::name, 4, "there is no tensor or scalar 'scale'");
  check_fault("x + sqroot(x)", kind::name, 4, "there is no operation 'sqroot'");
  check_fault("x + input(x)", kind::name, 4, "there is no operation 'input'");
}

TEST_CASE("axes are checked where they stand") {
  check_fault("1 + sum(x, 1)", kind::shape, 11, "axis 1 of an operand of 1 axes");
  check_fault("sum(y, 0, -2)", kind::shape, 10, "listed twice");
  check_fault("sum(y, 0.5)", kind::shape, 7, "an axis is an integer");
  check_fault("sum(y, x)", kind::shape, 7, "an axis is an integer");
  check_fault("sum(y, keepdims, 0)", kind::shape, 7, "'keepdims' comes last");
}

TEST_CASE("types that do not fit are found before the call, and shapes at the call, at their operation") {
  check_fault("1 + bitwise_and(x, 2)", kind::type, 4, "bitwise_and");
  check_fault("k + 300", kind::type, 2, "300");
  check_fault("(y + 1) * x", kind::shape, 8, "float32[2,4]");
  check_fault("x + x + sum(y, 0)", kind::shape, 6, "float32[4]");
  CHECK_FALSE(fault_of("x + x").has_value());
}

TEST_CASE("a scalar that does not fit is found at the call, and the message shows the formula") {
  check_fault("k + big", kind::type, 0, "300");
  CHECK(fault_of("x + x + sum(y, 0)")->message.find("\n  x + x + sum(y, 0)\n        ^") != std::string::npos);
}

TEST_CASE("functions written as lambdas throw the library's exceptions, too") {
  small_library library;
  const auto rows = library.make<float>({0, 0, 5, 5}, {2, 2});
  CHECK(tensors::softmax(rows, library.on).to_vector<float>(library.on) == std::vector<float>(4, 0.5f));
  CHECK_THROWS_AS(tensors::softmax(library.make<int>({1, 2}, {1, 2}), library.on), tensors::error);
  CHECK_THROWS_AS(tensors::softmax(library.make<float>({1, 2}), library.on), tensors::error);
  CHECK_THROWS_AS(rows.to_vector<double>(library.on), tensors::error);
}

TEST_CASE("after a formula that threw, the next one computes") {
  small_library library;
  const auto x = library.make<float>({1, 2});
  CHECK_THROWS_AS(library("x + y", {{"x", x}}), tensors::formula_error);
  CHECK_THROWS_AS(library("x + y", {{"x", x}}), tensors::formula_error);
  CHECK(library.evaluate.function_count() == 0);
  CHECK(library("x + y", {{"x", x}, {"y", 1}}).to_vector<float>(library.on) == std::vector<float>{2, 3});
  CHECK(library.evaluate.function_count() == 1);
}
