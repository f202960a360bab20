// Stencils: several views of one array a few elements and rows apart, fused, compared with the same sum in
// plain loops.

#include <doctest/doctest.h>

#include "../support/sweep/sweep.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/scalars/scalar_operations.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

namespace sinter::test {
namespace {

/// Offsets of the neighbours along each axis, outermost first; each has its own weight.
struct stencil {
  const char* name;
  std::vector<shape> neighbours;
};

const std::vector<stencil>& stencils() {
  static const std::vector<stencil> all = {
      {"three points", {{-1}, {0}, {1}}},
      {"points on one side", {{0}, {7}}},
      {"points too far to share a window", {{0}, {40}, {3}}},
      {"five points", {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {0, 0}}},
      {"nine points", {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 0}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}},
      {"a wide cross", {{0, -4}, {0, 3}, {-4, 0}, {3, 0}}},
      {"two rows", {{0, 0}, {1, 0}}},
      {"rows too far to share a window", {{0, 0}, {20, 1}, {1, 1}}},
      {"seven points", {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}, {0, 0, 0}}},
  };
  return all;
}

/// A stencil on an array of `extents`, with the interior in which every neighbour exists.
struct problem {
  const stencil& of;
  shape extents;
  shape low, interior;  ///< reach of neighbours below; extents of the result
  bool possible = true;

  problem(const stencil& what, const shape& whole)
      : of(what), extents(whole), low(whole.size(), 0), interior(whole) {
    shape high(whole.size(), 0);
    for (const shape& neighbour : what.neighbours)
      for (std::size_t axis = 0; axis < whole.size(); ++axis) {
        low[axis] = std::min(low[axis], neighbour[axis]);
        high[axis] = std::max(high[axis], neighbour[axis]);
      }
    for (std::size_t axis = 0; axis < whole.size(); ++axis) {
      interior[axis] -= high[axis] - low[axis];
      possible = possible && interior[axis] > 0;
    }
  }
};

graph graph_of(const problem& what, element_type type) {
  graph_builder builder;
  builder.restart();
  const auto rank = static_cast<unsigned>(what.extents.size());
  const graph_value whole = builder.input(type, rank);
  graph_value sum;
  for (std::size_t n = 0; n < what.of.neighbours.size(); ++n) {
    std::vector<view_item> items(rank);
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::int64_t start = what.of.neighbours[n][axis] - what.low[axis];
      items[axis].start = literal_bound(start);
      items[axis].stop = literal_bound(start + what.interior[axis]);
    }
    const graph_value part = builder.view(whole, items);
    const graph_value weighted =
        builder.apply(operation::multiply, {part, builder.literal(element_type::int64, n + 1, true)});
    sum = n == 0 ? weighted : builder.apply(operation::add, {sum, weighted});
  }
  builder.output(sum);
  return builder.recorded();
}

/// Small whole numbers, so that sums are exact in every type, including half types.
std::int64_t element_of(std::size_t position) { return static_cast<std::int64_t>(position * 7 % 5) - 2; }

std::vector<std::int64_t> expected_of(const problem& what) {
  const std::size_t rank = what.extents.size();
  const auto count = static_cast<std::size_t>(
      std::accumulate(what.interior.begin(), what.interior.end(), std::int64_t{1}, std::multiplies<>()));
  std::vector<std::int64_t> sums(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t n = 0; n < what.of.neighbours.size(); ++n) {
      std::int64_t position = 0, stride = 1;
      auto rest = static_cast<std::int64_t>(i);
      for (std::size_t axis = rank; axis-- > 0;) {
        position += (rest % what.interior[axis] + what.of.neighbours[n][axis] - what.low[axis]) * stride;
        rest /= what.interior[axis];
        stride *= what.extents[axis];
      }
      sums[i] += static_cast<std::int64_t>(n + 1) * element_of(static_cast<std::size_t>(position));
    }
  return sums;
}

std::uint64_t bits_of_whole(element_type type, std::int64_t value) {
  return store_reference(
      type, {.real = static_cast<long double>(value), .integer = static_cast<std::uint64_t>(value)});
}

void check(const problem& what, element_type type, placement into, device on, failure_list& failures) {
  const auto count = static_cast<std::size_t>(
      std::accumulate(what.extents.begin(), what.extents.end(), std::int64_t{1}, std::multiplies<>()));
  bits values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = bits_of_whole(type, element_of(i));
  const runtime::function_handle called = runtime::intern(graph_of(what, type));
  std::vector<placed_array> arrays;
  arrays.emplace_back(type, values, what.extents, placement::contiguous, on);
  bool untouched = true;
  const bits actual = run_into(called, arrays, {}, on, what.interior, into, untouched).at(0);
  const std::vector<std::int64_t> expected = expected_of(what);
  std::string kind = std::string(what.of.name) + " of " + std::string(facts_of(type).name) + " on " +
                     on.to_string() + " into " + std::string(to_string(into));
  for (const std::int64_t extent : what.extents) kind += " " + std::to_string(extent);
  if (!untouched) failures.add(kind, "elements beside the result were written");
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!same_element(type, actual[i], bits_of_whole(type, expected[i])))
      failures.add(kind, "element " + std::to_string(i) + " is " + element_text(type, actual[i]) + ", not " +
                             std::to_string(expected[i]));
}

std::vector<shape> extents_for(std::size_t rank) {
  switch (rank) {
    case 1:
      return {{9}, {64}, {1023}, {4097}, {20000}};
    case 2:
      return {{9, 300}, {6, 1027}, {67, 515}, {130, 258}, {34, 66}, {300, 40}, {19, 2050}};
    default:
      return {{5, 9, 300}, {4, 11, 261}, {9, 8, 70}};
  }
}

}  // namespace

TEST_CASE("a stencil in one kernel is the sum of its neighbours at every size around a block") {
  failure_list failures;
  in_parallel(stencils().size(), failures, [&](std::size_t s) {
    for (const shape& extents : extents_for(stencils()[s].neighbours.front().size())) {
      const problem what(stencils()[s], extents);
      if (!what.possible) continue;
      for (const device on : sweep_devices())
        for (const placement into : {placement::contiguous, placement::unaligned, placement::padded})
          check(what, element_type::float32, into, on, failures);
    }
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

TEST_CASE("a stencil of every width of element is the sum of its neighbours") {
  failure_list failures;
  in_parallel(stencils().size(), failures, [&](std::size_t s) {
    const std::vector<shape> extents = extents_for(stencils()[s].neighbours.front().size());
    const problem what(stencils()[s], extents[0]), larger(stencils()[s], extents[2]);
    for (const device on : sweep_devices())
      for (const element_type type : {element_type::int8, element_type::bfloat16, element_type::int32,
                                      element_type::float64, element_type::int64})
        for (const problem* at : {&what, &larger})
          if (at->possible) check(*at, type, placement::contiguous, on, failures);
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace sinter::test
