// How partial values of a reduction become those of rows: lanes, threads of a warp, warps, blocks of a
// cluster.

#include <doctest/doctest.h>

#include "../support/lowered_statement.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/loops/passes/lower/lower_combines.hpp>

namespace sinter::test {
namespace {

using namespace codegen;

/// What the end of the only phase becomes along axis 1, a row, or axis 0, a column.
std::string combined(operation op, unsigned axis, const target_facts& target, const schedule& chosen) {
  graph_builder b;
  b.output(b.reduce(op, b.input(element_type::float32, 2), 1u << axis));
  const kernel_description kernel = kernel_of(b.recorded(), {5000, 4096}, target, chosen);
  return lowered_by(lower_combines, kernel, [&](loop_writer& out) {
    out.add({.kind = statement_kind::finish, .scope = scope_of_row(kernel)});
  });
}
schedule threads(std::uint16_t along, std::uint16_t vector = 1) {
  schedule made;
  made.order = loop_order::row_reduction;
  made.vector = vector;
  made.threads_along = along;
  return made;
}
schedule columns(std::uint16_t along, std::uint16_t across, std::uint16_t vector) {
  schedule made = threads(along, vector);
  made.order = loop_order::column_reduction;
  made.threads_across = across;
  return made;
}

TEST_CASE("lanes of a thread are combined in pairs, on both targets in one order") {
  const auto text = [](std::string_view kind) {
    const std::string end(kind);
    return "for e from 0 while e < 2" + end + "  combine %1 sum1[e] with sum1[e + 2]\n" +
           "for e from 0 while e < 1" + end + "  combine %1 sum1[e] with sum1[e + 1]\n" +
           "let k1: float32 value = sum1[0]\n";
  };
  CHECK(combined(operation::sum, 1, cuda_facts(), threads(1, 4)) == text(", unrolled\n"));
  CHECK(combined(operation::sum, 1, cpu_facts(), threads(1, 4)) == text(", vector\n"));
}

TEST_CASE("threads of a warp exchange, from the farthest to the nearest") {
  CHECK(combined(operation::sum, 1, cuda_facts(), threads(8)) ==
        R"(for distance from 4 while distance >= 1, halved, unrolled
  let other1: float32 value = exchange(sum1[0], distance)
  combine %1 sum1[0] with other1
let k1: float32 value = sum1[0]
)");
}

TEST_CASE("each thread combines the parts of few warps in pairs") {
  CHECK(combined(operation::sum, 1, cuda_facts(), threads(128)) ==
        R"(for distance from 16 while distance >= 1, halved, unrolled
  let other1: float32 value = exchange(sum1[0], distance)
  combine %1 sum1[0] with other1
shared var part1[1][4]: float32 value
if thread along % 32 == 0
  part1[thread across][thread along / 32] = sum1[0]
barrier of the block
scope
  var pair1[4]: float32 value
  for w from 0 while w < 4, unrolled
    pair1[w] = part1[thread across][w]
  for w from 0 while w < 2, unrolled
    combine %1 pair1[w] with pair1[w + 2]
  for w from 0 while w < 1, unrolled
    combine %1 pair1[w] with pair1[w + 1]
  sum1[0] = pair1[0]
let k1: float32 value = sum1[0]
)");
}

TEST_CASE("pairs of a number of warps that is no power of two begin with the reduction's start") {
  const std::string text = combined(operation::sum, 1, cuda_facts(), threads(192));
  CHECK(text.find("  var pair1[8]: float32 value\n"
                  "  for w from 0 while w < 8, unrolled\n"
                  "    pair1[w] = w < 6 ? part1[thread across][w] : start of %1\n"
                  "  for w from 0 while w < 4, unrolled\n") != std::string::npos);
}

TEST_CASE("the lanes of each warp combine the parts of many warps, and exchange again") {
  const std::string text = combined(operation::sum, 1, cuda_facts(), threads(1024));
  CHECK(text.substr(text.find("barrier")) == R"(barrier of the block
sum1[0] = start of %1
for w from thread along % 32 while w < 32, by 32, unrolled
  combine %1 sum1[0] with part1[thread across][w]
for distance from 16 while distance >= 1, halved, unrolled
  let other1: float32 value = exchange(sum1[0], distance)
  combine %1 sum1[0] with other1
let k1: float32 value = sum1[0]
)");
}

TEST_CASE("positions of an extreme go along at each step") {
  CHECK(combined(operation::argmax, 1, cuda_facts(), threads(64)) ==
        R"(for distance from 16 while distance >= 1, halved, unrolled
  let other2: float32 value = exchange(sum2[0], distance)
  let other2_1: index = exchange(sum2_1[0], distance)
  combine %2 sum2[0], sum2_1[0] with other2, other2_1
shared var part2[1][2]: float32 value
shared var part2_1[1][2]: index
if thread along % 32 == 0
  part2[thread across][thread along / 32] = sum2[0]
  part2_1[thread across][thread along / 32] = sum2_1[0]
barrier of the block
scope
  var pair2[2]: float32 value
  var pair2_1[2]: index
  for w from 0 while w < 2, unrolled
    pair2[w] = part2[thread across][w]
    pair2_1[w] = part2_1[thread across][w]
  for w from 0 while w < 1, unrolled
    combine %2 pair2[w], pair2_1[w] with pair2[w + 1], pair2_1[w + 1]
  sum2[0] = pair2[0]
  sum2_1[0] = pair2_1[0]
let k2: int64 value = sum2_1[0]
)");
}

TEST_CASE("the blocks of a cluster write into each other's memory, once all have begun") {
  schedule chosen = threads(64);
  chosen.cluster = 2;
  const std::string text = combined(operation::sum, 1, cuda_facts(), chosen);
  CHECK(text.substr(text.find("shared var"), text.find("scope") - text.find("shared var")) ==
        R"(shared var part1[1][4]: float32 value
barrier of the cluster
if thread along % 32 < 2
  *in_block(&part1[thread across][thread / 32], thread along % 32) = sum1[0]
arrive at the barrier of the cluster
barrier of the cluster
)");
}

TEST_CASE("the blocks of a cluster are waited for before the first phase alone") {
  graph_builder b;
  const graph_value x = b.input(element_type::float32, 2);
  const graph_value apart = b.apply(operation::subtract, {x, b.reduce(operation::max, x, 2u, true)});
  b.output(b.reduce(operation::sum, apart, 2u));
  schedule chosen = threads(64);
  chosen.cluster = 2;
  const kernel_description kernel = kernel_of(b.recorded(), {5000, 4096}, cuda_facts(), chosen);
  REQUIRE(kernel.body.phases == 2);
  const std::string text = lowered_by(lower_combines, kernel, [&](loop_writer& out) {
    for (const unsigned phase : {0u, 1u})
      out.add({.kind = statement_kind::finish, .scope = scope_of_row(kernel), .instruction = phase});
  });
  std::size_t waits = 0;
  for (std::size_t at = text.find("\nbarrier of the cluster"); at != std::string::npos;
       at = text.find("\nbarrier of the cluster", at + 1))
    ++waits;
  CHECK(waits == 3);  // for the start, and for the parts of each phase
}

TEST_CASE("threads exchange for each of their rows") {
  schedule chosen = threads(32);
  chosen.rows_per_thread = 2;
  const std::string text = combined(operation::sum, 1, cuda_facts(), chosen);
  CHECK(text.substr(text.find("for distance")) ==
        R"(for distance from 16 while distance >= 1, halved, unrolled
  for u from 0 while u < 2, unrolled
    let other1: float32 value = exchange(sum1[u][0], distance)
    combine %1 sum1[u][0] with other1
var k1[2]: float32 value
for u from 0 while u < 2, unrolled
  k1[u] = sum1[u][0]
)");
}

TEST_CASE("each thread of a column combines few parts of its lanes") {
  CHECK(combined(operation::sum, 0, cuda_facts(), columns(32, 4, 2)) ==
        R"(shared var part1[4][64]: float32 value
if thread across % 1 == 0
  for e from 0 while e < 2, unrolled
    part1[thread across / 1][x + e] = sum1[e]
barrier of the block
for e from 0 while e < 2, unrolled
  scope
    var pair1[4]: float32 value
    for w from 0 while w < 4, unrolled
      pair1[w] = part1[w][x + e]
    for w from 0 while w < 2, unrolled
      combine %1 pair1[w] with pair1[w + 2]
    for w from 0 while w < 1, unrolled
      combine %1 pair1[w] with pair1[w + 1]
    sum1[e] = pair1[0]
var k1[2]: float32 value
for e from 0 while e < 2, unrolled
  k1[e] = sum1[e]
)");
}

TEST_CASE("one thread combines many parts of a column for its block, between two barriers") {
  const std::string text = combined(operation::sum, 0, cuda_facts(), columns(32, 8, 4));
  CHECK(text.substr(text.find("barrier")) == R"(barrier of the block
for column from thread across * 32 + thread along while column < 128, by 256
  scope
    var pair1[8]: float32 value
    for w from 0 while w < 8, unrolled
      pair1[w] = part1[w][column]
    for w from 0 while w < 4, unrolled
      combine %1 pair1[w] with pair1[w + 4]
    for w from 0 while w < 2, unrolled
      combine %1 pair1[w] with pair1[w + 2]
    for w from 0 while w < 1, unrolled
      combine %1 pair1[w] with pair1[w + 1]
    part1[0][column] = pair1[0]
barrier of the block
for e from 0 while e < 4, unrolled
  sum1[e] = part1[0][x + e]
var k1[4]: float32 value
for e from 0 while e < 4, unrolled
  k1[e] = sum1[e]
)");
}

TEST_CASE("threads of a warp that share a column exchange at the distance of a strip's threads") {
  CHECK(combined(operation::sum, 0, cuda_facts(), columns(8, 8, 1))
            .starts_with(R"(for distance from 16 while distance >= 8, halved, unrolled
  for e from 0 while e < 1, unrolled
    let other1: float32 value = exchange(sum1[e], distance)
    combine %1 sum1[e] with other1
shared var part1[2][8]: float32 value
if thread across % 4 == 0
)"));
}

TEST_CASE("a CPU's lanes of columns are values of their own") {
  CHECK(combined(operation::sum, 0, cpu_facts(), columns(1, 1, 4)) == R"(var k1[4]: float32 value
for e from 0 while e < 4, vector
  k1[e] = sum1[e]
)");
}

}  // namespace
}  // namespace sinter::test
