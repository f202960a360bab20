// The types of what statements declare, looked up by name.

#include <doctest/doctest.h>

#include <sinter/codegen/loops/ir/declared_types.hpp>
#include <sinter/codegen/loops/statements/loop_writer.hpp>

namespace sinter::test {
using namespace codegen;

TEST_CASE("a place has the type of its variable, whatever its subscripts are") {
  loop_tree tree;
  loop_writer out(tree);
  const value_type floats = value_of(element_type::float32);
  out.variable(floats, out.name("sum")[8]);
  out.let(index_type, out.name("x"), out.integer(0));
  const declared_types declared(tree);
  const expression place = out.name("sum")[out.name("x")];
  REQUIRE(declared.find(tree.expressions, place) != nullptr);
  CHECK(declared.find(tree.expressions, place)->element == element_type::float32);
  CHECK(declared.find(tree.expressions, out.name("x")) != nullptr);
  CHECK(declared.find(tree.expressions, out.name("y")) == nullptr);
  CHECK(declared.find(tree.expressions, out.integer(1)) == nullptr);
}

TEST_CASE("types are found after names of the tree have moved") {
  loop_tree tree;
  loop_writer out(tree);
  for (int i = 0; i < 100; ++i) out.let(index_type, out.name("before", i), out.integer(i));
  const declared_types declared(tree);
  for (int i = 0; i < 10'000; ++i) out.name("another_name_", i);
  for (int i = 0; i < 100; ++i) CHECK(declared.find(tree.expressions, out.name("before", i)) != nullptr);
}

}  // namespace sinter::test
