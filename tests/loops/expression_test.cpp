// Expressions of the loop IR: variables are numbers, and lists and sums are nodes of one table.

#include <doctest/doctest.h>

#include <sinter/codegen/loops/ir/expression.hpp>

#include <array>
#include <string>
#include <vector>

namespace sinter::test {
using namespace codegen;

TEST_CASE("a name is one variable, whatever parts it is made of") {
  expression_table table;
  const expression x = table.name("t12");
  CHECK(table.name("t", 12).id == x.id);
  CHECK(table.name("t1", 2).id == x.id);
  CHECK(table.name("t1").id != x.id);
  CHECK(table.name_of(x.id) == "t12");
}

TEST_CASE("variables keep their numbers and names when many are made") {
  expression_table table;
  constexpr std::int64_t count = 5000;
  std::vector<std::uint32_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(table.name("v", i).id);
  for (std::int64_t i = 0; i < count; ++i) {
    REQUIRE(table.name("v", i).id == numbers[static_cast<std::size_t>(i)]);
    REQUIRE(table.name_of(numbers[static_cast<std::size_t>(i)]) == "v" + std::to_string(i));
  }
}

TEST_CASE("an empty name is a variable as well") {
  expression_table table;
  CHECK(table.name("").id == table.name("").id);
  CHECK(table.name_of(table.name("").id).empty());
}

TEST_CASE("a place lies in the variable without its subscripts and lane") {
  expression_table table;
  const expression v = table.name("v"), i = table.name("i");
  CHECK(base_variable(table, lane_of(v[i][2], 0)).id == v.id);
  CHECK(!base_variable(table, i + 1).is_set());
}

TEST_CASE("expressions of different variables say different things") {
  expression_table table;
  const expression a = table.name("a"), b = table.name("b");
  CHECK(are_same(table, a + 1, a + 1));
  CHECK(!are_same(table, a + 1, b + 1));
  CHECK(mentions(table, table.list(std::array{b, a * 2}), a));
  CHECK(!mentions(table, table.list(std::array{b}), a));
}

}  // namespace sinter::test
