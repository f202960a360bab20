// The sizes at which the cost model looks at a nest.

#include <doctest/doctest.h>

#include "../../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/schedule/model/size_class.hpp>

#include <limits>

namespace sinter::test {
namespace {

nest nest_of(const layout& array, std::uint32_t reduced) {
  graph_builder builder;
  const graph_value x = builder.input(array.type, static_cast<unsigned>(array.extents.size()));
  builder.output(reduced == 0 ? builder.apply(operation::negative, {x})
                              : builder.reduce(operation::sum, x, reduced));
  return lower(builder.recorded(), {array}, cuda_facts()).stages[0].body;
}

nest representative(nest body, bool has_long_rows) {
  take_sizes(body, members_of_class(body, has_long_rows)[0]);
  return body;
}

}  // namespace

TEST_CASE("nests without reductions are looked at in sizes that do not depend on their own") {
  const nest a = representative(nest_of(transposed({1000, 3000}), 0), true);
  const nest b = representative(nest_of(transposed({70'000, 513}), 0), true);
  REQUIRE(a.rank == b.rank);
  CHECK(a.extents == b.extents);
  for (std::size_t i = 0; i < a.accesses.size(); ++i) CHECK(a.accesses[i].strides == b.accesses[i].strides);
}

TEST_CASE("extents of reductions are looked at in the middle between two powers of two") {
  const nest low = representative(nest_of(contiguous({65, 1025}), 2), true);
  const nest high = representative(nest_of(contiguous({128, 2048}), 2), true);
  CHECK(low.extents == high.extents);
  CHECK(low.extents[0] == 1536);
  CHECK(low.extents[1] == 96);
}

TEST_CASE("elements one after the other stay so") {
  for (const class_member& member : members_of_class(nest_of(contiguous({4096}), 0), true)) {
    nest body = nest_of(contiguous({4096}), 0);
    take_sizes(body, member);
    for (const access& at : body.accesses) CHECK(at.strides[0] == 1);
    CHECK(body.extents[0] > 1000);
  }
}

TEST_CASE("the largest nests are bounded so that nothing overflows") {
  nest body = nest_of(contiguous({4096, 4096}), 1);
  for (unsigned axis = 0; axis < body.rank; ++axis) body.extents[axis] = std::int64_t{1} << 60;
  bound_sizes(body);
  std::int64_t elements = 1;
  for (unsigned axis = 0; axis < body.rank; ++axis) elements *= body.extents[axis];
  CHECK(elements > 0);
  CHECK(elements <= std::int64_t{1} << 40);
}

TEST_CASE("pieces of rows lie as far apart as they are long") {
  nest body = nest_of(contiguous({1 << 26}), 1);
  REQUIRE(body.split >= 0);
  const auto pieces = static_cast<unsigned>(body.split);
  step_along_pieces(body);
  int reads = 0;
  for (const access& at : body.accesses) {
    if (at.what != access::kind::read) continue;
    CHECK(at.strides[pieces] > 1000);
    ++reads;
  }
  CHECK(reads == 1);
}

}  // namespace sinter::test
