// Scans of a chunk: lanes of a thread, threads of a warp, warps, steps; `carry` goes on to the next chunk.

#include <doctest/doctest.h>

#include "../bodies/body_graphs.hpp"
#include "../support/lowered_statement.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/loops/passes/lower/lower_scans.hpp>
#include <sinter/codegen/loops/passes/lower/lower_scans_in_lanes.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

using namespace codegen;

graph running_sums(unsigned axis) {
  graph_builder b;
  b.output(b.scan(operation::cumsum, b.input(element_type::float32, 2), axis));
  return b.recorded();
}
/// What the scan of a chunk becomes along axis 1, a row, or axis 0, a column. Of the CPU's lanes, those below
/// `left` are elements.
std::string scanned(unsigned axis, const target_facts& target, const schedule& chosen,
                    bool exclusive = false) {
  kernel_description kernel = kernel_of(running_sums(axis), {5000, 4096}, target, chosen);
  REQUIRE(is_scan(kernel.body.body[1].op));
  kernel.body.body[1].exclusive = exclusive;
  return lowered_by(is_gpu(target.kind) ? lower_scans : lower_scans_in_lanes, kernel, [&](loop_writer& out) {
    out.add({.kind = statement_kind::scan, .scope = scope_of_row(kernel), .instruction = 1}).value =
        out.name("left");
  });
}
schedule rows_of(std::uint16_t threads, std::uint16_t vector, std::uint16_t steps) {
  schedule made;
  made.order = loop_order::row_reduction;
  made.vector = vector;
  made.steps = steps;
  made.threads_along = threads;
  return made;
}
schedule columns_of(std::uint16_t across, std::uint16_t vector, std::uint16_t steps) {
  schedule made = rows_of(32, vector, steps);
  made.order = loop_order::column_reduction;
  made.threads_across = across;
  return made;
}

TEST_CASE("one thread scans its lanes, and adds what earlier chunks came to") {
  CHECK(scanned(1, cuda_facts(), rows_of(1, 4, 1)) == R"(scope
  var total[1]: float32 value
  var before[1]: float32 value
  for s from 0 while s < 1, unrolled
    for e from 1 while e < 4, unrolled
      v1[s][e] = %1 of (v1[s][e - 1], v1[s][e])
    total[s] = v1[s][3]
    before[s] = start of %1
  for s from 0 while s < 1, unrolled
    let here: float32 value = %1 of (carry1, before[s])
    for e from 0 while e < 4, unrolled
      v1[s][e] = %1 of (here, v1[s][e])
    carry1 = %1 of (carry1, total[s])
)");
}

TEST_CASE("threads of a warp take what lies below them, at doubled distances, for all steps side by side") {
  CHECK(scanned(1, cuda_facts(), rows_of(8, 2, 2)) == R"(scope
  var total[2]: float32 value
  var before[2]: float32 value
  for s from 0 while s < 2, unrolled
    for e from 1 while e < 2, unrolled
      v1[s][e] = %1 of (v1[s][e - 1], v1[s][e])
    total[s] = v1[s][1]
    before[s] = start of %1
  let thread_in_warp: int32 = thread along % 8
  for distance from 1 while distance < 8, doubled, unrolled
    for s from 0 while s < 2, unrolled
      let other: float32 value = from_below(total[s], distance)
      if thread_in_warp >= distance
        total[s] = %1 of (other, total[s])
  for s from 0 while s < 2, unrolled
    let other: float32 value = from_below(total[s], 1)
    if thread_in_warp > 0
      before[s] = other
  for s from 0 while s < 2, unrolled
    let here: float32 value = %1 of (carry1, before[s])
    for e from 0 while e < 2, unrolled
      v1[s][e] = %1 of (here, v1[s][e])
    carry1 = %1 of (carry1, from_thread(total[s], int32(thread across * 8 + 7) % 32))
)");
}

TEST_CASE("warps share their totals of a chunk, and each scans them for all steps that it has threads for") {
  const std::string text = scanned(1, cuda_facts(), rows_of(128, 1, 2));
  CHECK(text.substr(text.find("  shared var")) == R"(  shared var part1[2][1][8]: float32 value
  let warp: int32 = thread along / 32
  if thread_in_warp == 31
    for s from 0 while s < 2, unrolled
      part1[parity][thread across][s * 4 + warp] = total[s]
  barrier of the block
  for first from 0 while first < 2, by 2, unrolled
    var upto: float32 value = thread_in_warp < 8 ? part1[parity][thread across][first * 4 + thread_in_warp] : start of %1
    for distance from 1 while distance < 8, doubled, unrolled
      let other: float32 value = from_below(upto, distance)
      if thread_in_warp >= distance
        upto = %1 of (other, upto)
    for s from first while s < first + 2, unrolled
      let place: int32 = (s - first) * 4 + warp
      let below: float32 value = from_thread(upto, place - 1)
      let base: float32 value = place == 0 ? carry1 : %1 of (carry1, below)
      let here: float32 value = %1 of (base, before[s])
      for e from 0 while e < 1, unrolled
        v1[s][e] = %1 of (here, v1[s][e])
    carry1 = %1 of (carry1, from_thread(upto, 7))
)");
}

TEST_CASE("totals that fill a warp are read by each of its threads, and more of them in several rounds") {
  const std::string text = scanned(1, cuda_facts(), rows_of(512, 1, 4));
  CHECK(text.find("  shared var part1[2][1][64]: float32 value\n") != std::string::npos);
  CHECK(text.find(
            "  for first from 0 while first < 4, by 2, unrolled\n"
            "    var upto: float32 value = part1[parity][thread across][first * 16 + thread_in_warp]\n") !=
        std::string::npos);
}

TEST_CASE("an exclusive scan gives each lane what comes before it, from the last lane down") {
  const std::string text = scanned(1, cuda_facts(), rows_of(8, 2, 1), true);
  CHECK(text.substr(text.find("    let here")) == R"(    let here: float32 value = %1 of (carry1, before[s])
    for e from 1 while e >= 1, down, unrolled
      v1[s][e] = %1 of (here, v1[s][e - 1])
    v1[s][0] = here
    carry1 = %1 of (carry1, from_thread(total[s], int32(thread across * 8 + 7) % 32))
)");
}

TEST_CASE("a thread scans the steps of a column for each of its lanes") {
  CHECK(scanned(0, cuda_facts(), columns_of(1, 2, 4)) == R"(scope
  var base[2]: float32 value
  for e from 0 while e < 2, unrolled
    for s from 1 while s < 4, unrolled
      v1[s][e] = %1 of (v1[s - 1][e], v1[s][e])
    base[e] = carry1[e]
    carry1[e] = %1 of (carry1[e], v1[3][e])
    for s from 3 while s >= 0, down, unrolled
      v1[s][e] = %1 of (base[e], v1[s][e])
)");
}

TEST_CASE("threads across a column take the totals of those before them, after one barrier") {
  CHECK(scanned(0, cuda_facts(), columns_of(4, 2, 4), true) == R"(scope
  var base[2]: float32 value
  shared aligned var part1[2][4][64]: float32 value
  for e from 0 while e < 2, unrolled
    for s from 1 while s < 4, unrolled
      v1[s][e] = %1 of (v1[s - 1][e], v1[s][e])
    part1[parity][thread across][x + e] = v1[3][e]
  barrier of the block
  for e from 0 while e < 2, unrolled
    base[e] = carry1[e]
    for w from 0 while w < 4, unrolled
      if w == thread across
        base[e] = carry1[e]
      carry1[e] = %1 of (carry1[e], part1[parity][w][x + e])
    for s from 3 while s >= 1, down, unrolled
      v1[s][e] = %1 of (base[e], v1[s - 1][e])
    v1[0][e] = base[e]
)");
}

TEST_CASE("the CPU scans lines of lanes by vectors; lanes past the row's end begin as the scan does") {
  CHECK(scanned(1, cpu_facts(), rows_of(1, 32, 1)) == R"(for e from left while e < 32
  v1[e] = start of %1
scan_by_add<false>(float32 value*(v1) + 0, float32 value(start of %1), float32 value&(carry1))
scan_by_add<false>(float32 value*(v1) + 16, float32 value(start of %1), float32 value&(carry1))
)");
}

TEST_CASE("the CPU scans by a body in blocks side by side, each a lane, but for a row's first group") {
  const graph product = body_of({declared{element_type::float32}, declared{element_type::float32}},
                                [](graph_builder& b, const values& given) -> values {
                                  return {b.apply(operation::multiply, {given[0], given[1]})};
                                });
  graph_builder b;
  b.restart(arithmetic_mode::strict);
  const graph_value x = b.input(element_type::float32, 2);
  b.output(b.scan(values{b.literal(1.0f, element_type::float32)}, values{x}, {}, product, 1u)[0]);
  const kernel_description kernel = kernel_of(b.recorded(), {5000, 4096}, cpu_facts(), rows_of(1, 32, 1));
  const auto scan =
      std::ranges::find_if(kernel.body.body, [](const instruction& at) { return is_scan(at.op); });
  REQUIRE(scan != kernel.body.body.end());
  CHECK(lowered_by(lower_scans_in_lanes, kernel, [&](loop_writer& out) {
          statement made{.kind = statement_kind::scan, .scope = scope_of_row(kernel)};
          made.instruction = static_cast<std::uint32_t>(scan - kernel.body.body.begin());
          made.value = out.integer(32);
          out.add(made);
        }) == R"(if x > 0
  var dealt5[32]: float32 value
  deal<8>(v5, dealt5)
  for i from 1 while i < 4, unrolled
    for b from 0 while b < 8, vector
      scope
        let v2: float32 value = dealt5[(i - 1) * 8 + b]
        let v3: float32 value = dealt5[i * 8 + b]
        let v4: float32 value = %4(v2, v3)
        dealt5[i * 8 + b] = v4
  var base5[8]: float32 value
  for b from 0 while b < 8, unrolled
    base5[b] = carry5
    scope
      let v2: float32 value = carry5
      let v3: float32 value = dealt5[3 * 8 + b]
      let v4: float32 value = %4(v2, v3)
      carry5 = v4
  for i from 0 while i < 4, unrolled
    for b from 0 while b < 8, vector
      scope
        let v2: float32 value = base5[b]
        let v3: float32 value = dealt5[i * 8 + b]
        let v4: float32 value = %4(v2, v3)
        dealt5[i * 8 + b] = v4
  deal<4>(dealt5, v5)
else
  for e from 0 while e < 32
    var next5: float32 value
    if x > 0 || e > 0
      let v2: float32 value = carry5
      let v3: float32 value = v5[e]
      let v4: float32 value = %4(v2, v3)
      next5 = v4
    else
      next5 = v5[e]
    v5[e] = next5
    carry5 = next5
)");
}

TEST_CASE("the CPU scans complex numbers one after the other") {
  graph_builder b;
  b.output(b.scan(operation::cumsum, b.input(element_type::complex64, 1), 0));
  const lowered_call lowered =
      lower(b.recorded(), {contiguous({1000}, element_type::complex64)}, cpu_facts());
  kernel_description kernel = read_signature(lowered.stages[0].signature).value();
  kernel.chosen = rows_of(1, 4, 1);
  CHECK(lowered_by(lower_scans_in_lanes, kernel, [](loop_writer& out) {
          out.add({.kind = statement_kind::scan, .instruction = 1}).value = out.name("left");
        }) == R"(for e from left while e < 4
  v1[e] = start of %1
for e from 0 while e < 4
  let next: complex64 value = %1 of (carry1, v1[e])
  v1[e] = next
  carry1 = next
)");
}

TEST_CASE("a tree without scans is left as it is") {
  const kernel_description kernel = kernel_of(running_sums(1), {5000, 4096}, cuda_facts(), rows_of(8, 2, 1));
  CHECK(lowered_by(lower_scans, kernel, [](loop_writer& out) { out.barrier(thread_scope::block); }) ==
        "barrier of the block\n");
}

}  // namespace
}  // namespace sinter::test
