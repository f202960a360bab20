// The first steps of the lowering pass: the nest of a call after normalisation.

#include <doctest/doctest.h>

#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/nest/normalise.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32;

shape extents_of(const nest& body) { return {body.extents.begin(), body.extents.begin() + body.rank}; }
shape strides_of(const nest& body, std::size_t access) {
  const auto& strides = body.accesses[access].strides;
  return {strides.begin(), strides.begin() + body.rank};
}
/// Accesses with the strides of the given array: reads of input `array`, or writes of it.
const access& read_of(const nest& body, std::uint32_t array) {
  return *std::find_if(body.accesses.begin(), body.accesses.end(),
                       [&](const access& at) { return at.what == access::kind::read && at.array == array; });
}

nest nest_of(const graph& recorded, const std::vector<layout>& inputs,
             const std::vector<layout>& outputs = {}) {
  return lower(recorded, inputs, cuda_facts(), outputs).stages[0].body;
}

graph identity(unsigned rank) {
  graph_builder builder;
  builder.output(builder.apply(operation::negative, {builder.input(f32, rank)}));
  return builder.recorded();
}

graph viewed(unsigned rank, const std::vector<view_item>& items) {
  graph_builder builder;
  builder.output(builder.apply(operation::negative, {builder.view(builder.input(f32, rank), items)}));
  return builder.recorded();
}

TEST_CASE("contiguous arrays of any rank become one axis") {
  for (unsigned rank = 1; rank <= 12; ++rank) {
    const nest body = nest_of(identity(rank), {contiguous(shape(rank, 3))});
    std::int64_t size = 1;
    for (unsigned axis = 0; axis < rank; ++axis) size *= 3;
    CHECK(extents_of(body) == shape{size});
    CHECK(strides_of(body, 0) == shape{1});
  }
}

TEST_CASE("nothing of a shape-generic nest vanishes, merges or is shared, whatever its extents are") {
  graph_builder builder;
  const graph_value x = builder.input(f32, 3);
  builder.output(builder.apply(operation::add, {x, builder.input(f32, 3)}));
  for (const shape& extents : {shape{1, 1, 1}, shape{4, 5, 6}, shape{2, 0, 3}}) {
    const nest body =
        lower_general(builder.recorded(), {contiguous(extents), contiguous(extents)}, cuda_facts())
            .stages[0]
            .body;
    REQUIRE(body.rank == 3);
    REQUIRE(body.accesses.size() == 3);
    for (std::uint32_t i = 0; i < body.accesses.size(); ++i) {
      CHECK(body.accesses[i].group == i);
      CHECK(body.accesses[i].base == i);
      for (unsigned axis = 0; axis < body.rank; ++axis)
        CHECK(body.accesses[i].pattern(axis) == step_pattern::strided);
    }
  }
}

TEST_CASE("axes of extent 1 vanish and a single element has no axis") {
  CHECK(nest_of(identity(3), {contiguous({1, 1, 1})}).rank == 0);
  CHECK(nest_of(identity(0), {contiguous({})}).rank == 0);
  CHECK(extents_of(nest_of(identity(3), {contiguous({1, 7, 1})})) == shape{7});
  CHECK(extents_of(nest_of(identity(3), {strided({5, 1, 7}, {7, 1000, 1})})) == shape{35});
}

TEST_CASE("a row broadcast keeps two axes and a scalar broadcast none") {
  const graph rows = sum_of({{f32, 2}, {f32, 1}});
  const nest body = nest_of(rows, {contiguous({5, 7}), contiguous({7})});
  CHECK(extents_of(body) == shape{7, 5});
  const access& row = read_of(body, 1);
  CHECK(row.strides[0] == 1);
  CHECK(row.strides[1] == 0);

  const graph scalar = sum_of({{f32, 2}, {f32, 0}});
  const nest flat = nest_of(scalar, {contiguous({5, 7}), contiguous({})});
  CHECK(extents_of(flat) == shape{35});
  CHECK(read_of(flat, 1).strides[0] == 0);
}

TEST_CASE("a broadcast over inner axes merges the axes that it spans") {
  // [2, 3, 4, 5] + [2, 3, 1, 1]: two axes remain
  const graph recorded = sum_of({{f32, 4}, {f32, 4}});
  const nest body = nest_of(recorded, {contiguous({2, 3, 4, 5}), contiguous({2, 3, 1, 1})});
  CHECK(extents_of(body) == shape{20, 6});
  CHECK(read_of(body, 1).strides[0] == 0);
  CHECK(read_of(body, 1).strides[1] == 1);
}

TEST_CASE("axes in any memory order come back into the order of memory") {
  // permute(2, 0, 1) of both input and result gives one axis
  const shape extents{4, 2, 3}, strides{1, 12, 4};
  const nest body = nest_of(identity(3), {strided(extents, strides)}, {strided(extents, strides)});
  CHECK(extents_of(body) == shape{24});
}

TEST_CASE("an array read backwards is traversed backwards from its last element") {
  const nest body = nest_of(viewed(1, {every(-1)}), {contiguous({10})});
  CHECK(extents_of(body) == shape{10});
  const access& read = read_of(body, 0);
  CHECK(read.strides[0] == -1);
  CHECK(read.offset == 9);
}

TEST_CASE("a result written backwards is traversed upward, and its operands backwards") {
  layout backwards = strided({10}, {-1});
  const nest body = nest_of(identity(1), {contiguous({10})}, {backwards});
  const access& read = read_of(body, 0);
  CHECK(read.strides[0] == -1);
  CHECK(read.offset == 9);
  const access& write = body.accesses[body.stores[0].target];
  CHECK(write.strides[0] == 1);
  CHECK(write.offset == -9);
}

TEST_CASE("flips of all axes of input and result merge to one axis") {
  const shape extents{4, 6}, strides{-6, -1};
  const nest body = nest_of(identity(2), {strided(extents, strides)}, {strided(extents, strides)});
  CHECK(extents_of(body) == shape{24});
  CHECK(read_of(body, 0).strides[0] == 1);
}

TEST_CASE("slices with steps and indices become offsets and strides") {
  // x[1:9:3, 2] of [10, 5]
  const nest body = nest_of(viewed(2, {slice(1, 9, 3), at_index(2)}), {contiguous({10, 5})});
  CHECK(extents_of(body) == shape{3});
  CHECK(read_of(body, 0).strides[0] == 15);
  CHECK(read_of(body, 0).offset == 7);
}

TEST_CASE("views of views compose") {
  graph_builder builder;
  const std::vector<view_item> first{slice(2, 20, 2)}, second{every(-1)}, third{slice(1, 4)};
  graph_value x = builder.input(f32, 1);
  x = builder.view(builder.view(builder.view(x, first), second), third);  // 18 16 14 … 2, then 16 14 12
  builder.output(builder.apply(operation::negative, {x}));
  const nest body = nest_of(builder.recorded(), {contiguous({30})});
  CHECK(extents_of(body) == shape{3});
  CHECK(read_of(body, 0).offset == 16);
  CHECK(read_of(body, 0).strides[0] == -2);
}

TEST_CASE("the five reads of a stencil are one stride group with offsets") {
  graph_builder builder;
  const graph_value u = builder.input(f32, 2);
  const auto part = [&](view_item rows, view_item columns) {
    const std::vector<view_item> items{rows, columns};
    return builder.view(u, items);
  };
  graph_value sum =
      builder.apply(operation::add, {part(slice(2, 100), slice(1, -1)), part(slice(0, -2), slice(1, -1))});
  sum = builder.apply(operation::add, {sum, part(slice(1, -1), slice(2, 100))});
  sum = builder.apply(operation::add, {sum, part(slice(1, -1), slice(0, -2))});
  sum = builder.apply(operation::add, {sum, part(slice(1, -1), slice(1, -1))});
  builder.output(sum);
  const nest body = nest_of(builder.recorded(), {contiguous({40, 50})});
  CHECK(extents_of(body) == shape{48, 38});
  std::vector<std::int64_t> offsets;
  for (const access& at : body.accesses)
    if (at.what == access::kind::read) {
      offsets.push_back(at.offset);
      CHECK(at.group == read_of(body, 0).group);
    }
  std::sort(offsets.begin(), offsets.end());
  CHECK(offsets == shape{1, 50, 51, 52, 101});
}

TEST_CASE("reads of one array a few elements and rows apart are one window") {
  graph_builder builder;
  const graph_value u = builder.input(f32, 2);
  const auto part = [&](std::int64_t row, std::int64_t column) {
    const std::vector<view_item> items{slice(row, row + 30), slice(column, column + 80)};
    return builder.view(u, items);
  };
  graph_value sum = builder.apply(operation::add, {part(5, 7), part(7, 3)});
  sum = builder.apply(operation::add, {sum, part(4, 9)});
  sum = builder.apply(operation::add, {sum, part(5, 16)});  // nine elements from the first
  sum = builder.apply(operation::add, {sum, part(14, 7)});  // too many rows from the others
  builder.output(sum);
  const nest body = nest_of(builder.recorded(), {contiguous({50, 100})});
  const auto placed = [&](std::int64_t offset) {
    const auto at = std::find_if(body.accesses.begin(), body.accesses.end(), [&](const access& other) {
      return other.what == access::kind::read && other.offset == offset;
    });
    return shape{body.accesses[at->base].offset, at->row_shift, at->shift, corner_offset(*at)};
  };
  CHECK(placed(507)[0] == placed(703)[0]);
  CHECK(placed(507)[0] == placed(409)[0]);
  CHECK(placed(507) == shape{placed(507)[0], 1, 4, 403});
  CHECK(placed(703) == shape{placed(507)[0], 3, 0, 403});
  CHECK(placed(409) == shape{placed(507)[0], 0, 6, 403});
  CHECK(placed(1407) == shape{1407, 0, 0, 1407});
}

TEST_CASE("reads are no window where a row is so short that a distance could be either") {
  graph_builder builder;
  const graph_value u = builder.input(f32, 2);
  const auto part = [&](std::int64_t column) {
    const std::vector<view_item> items{slice(0, 30), slice(column, column + 20)};
    return builder.view(u, items);
  };
  builder.output(builder.apply(operation::add, {part(0), part(1)}));
  const nest body = nest_of(builder.recorded(), {contiguous({30, 40})});
  for (std::uint32_t i = 0; i < body.accesses.size(); ++i) CHECK(body.accesses[i].base == i);
}

TEST_CASE("coordinates of points, which are not contiguous, share a pointer all the same") {
  graph_builder builder;
  const graph_value x = builder.input(f32, 2), y = builder.input(f32, 2);
  const std::vector<view_item> down{all_of(), new_axis(), all_of()}, across{new_axis(), all_of(), all_of()};
  const graph_value both =
      builder.apply(operation::multiply, {builder.view(x, down), builder.view(y, across)});
  builder.output(builder.reduce(operation::sum, both, 4u));
  const nest body = nest_of(builder.recorded(), {contiguous({300, 3}), contiguous({400, 3})});
  std::vector<std::uint16_t> shifts[2];
  for (const access& at : body.accesses)
    if (at.what == access::kind::read) {
      CHECK(body.accesses[at.base].array == at.array);
      CHECK(body.accesses[at.base].base == at.base);
      shifts[at.array].push_back(at.shift);
    }
  for (std::vector<std::uint16_t>& found : shifts) {
    std::sort(found.begin(), found.end());
    CHECK(found == std::vector<std::uint16_t>{0, 1, 2});
  }
}

TEST_CASE("two operands that are one array are read once") {
  const graph recorded = sum_of({{f32, 1}, {f32, 1}});
  std::vector<layout> arrays{contiguous({100}), contiguous({100})};
  std::vector<array_layout> same = views(arrays);
  same[1].identity = 0;
  lowered_call lowered;
  sinter::lower({.recorded = recorded, .inputs = same, .target = cuda_facts()}, lowered);
  CHECK(lowered.stages[0].body.accesses.size() == 2);
  CHECK(nest_of(recorded, arrays).accesses.size() == 3);
}

TEST_CASE("a transposed operand keeps two axes and its contiguous one is axis 1") {
  const graph recorded = sum_of({{f32, 2}, {f32, 2}});
  const stage made = lower(recorded, {contiguous({64, 96}), transposed({64, 96})}, cuda_facts()).stages[0];
  CHECK(made.chosen.order == loop_order::tiled);
  CHECK(extents_of(made.body) == shape{96, 64});
  CHECK(read_of(made.body, 1).strides[0] == 64);
  CHECK(read_of(made.body, 1).strides[1] == 1);
}

TEST_CASE("a transposed operand wider than the result is tiled all the same") {
  graph_builder builder;
  builder.output(builder.cast(builder.input(element_type::float64, 2), f32));
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    const stage made =
        lower(builder.recorded(), {transposed({640, 960}, element_type::float64)}, target).stages[0];
    CHECK(made.chosen.order == loop_order::tiled);
    CHECK(made.body.accesses[made.body.stores[0].target].strides[0] == 1);
  }
}

TEST_CASE("the transposed pair of a batch is tiled with the batch as an outer axis") {
  const graph recorded = sum_of({{f32, 3}, {f32, 3}});
  const stage made =
      lower(recorded, {contiguous({6, 64, 96}), transposed({6, 64, 96})}, cuda_facts()).stages[0];
  CHECK(made.chosen.order == loop_order::tiled);
  CHECK(extents_of(made.body) == shape{96, 64, 6});
}

TEST_CASE("axes that merge are one, and those that do not stay, up to as many as an array has") {
  // every second element along every axis: nothing merges
  const auto spread = [](unsigned rank) {
    shape extents(rank, 2), strides(rank, 2);
    for (unsigned axis = rank - 1; axis-- > 0;) strides[axis] = strides[axis + 1] * 4;
    return strided(extents, strides);
  };
  for (const unsigned rank : {8u, 9u, 20u, 31u}) CHECK(nest_of(identity(rank), {spread(rank)}).rank == rank);
  CHECK(nest_of(identity(12), {contiguous(shape(12, 2))}).rank == 1);
  // pairs of axes that merge: of 12 axes, 6 remain
  shape extents(12, 2), strides(12);
  std::int64_t stride = 2;
  for (unsigned pair = 6; pair-- > 0; stride *= 8) {
    strides[2 * pair + 1] = stride;
    strides[2 * pair] = 2 * stride;
  }
  CHECK(nest_of(identity(12), {strided(extents, strides)}).rank == 6);
}

TEST_CASE("an empty array has nothing to do whatever its rank") {
  for (const target_facts& target : {cuda_facts(), cpu_facts()})
    for (unsigned rank = 1; rank <= 12; ++rank) {
      shape extents(rank, 3);
      extents[rank / 2] = 0;
      const lowered_call lowered = lower(identity(rank), {contiguous(extents)}, target);
      CHECK(lowered.stages[0].tiles == 0);
      CHECK(lowered.results[0].extents == extents);
    }
}

TEST_CASE("a coordinate is a linear function of the position whatever views lie between") {
  graph_builder builder;
  const graph_value x = builder.input(f32, 2);
  const std::vector<view_item> items{every(-1), slice(1, 6, 2)};
  builder.output(builder.view(builder.coordinate(x, 1), items));
  const nest body = nest_of(builder.recorded(), {contiguous({4, 9})});
  const auto position = std::find_if(body.accesses.begin(), body.accesses.end(),
                                     [](const access& at) { return at.what == access::kind::position; });
  REQUIRE(position != body.accesses.end());
  CHECK(position->offset == 1);
  CHECK(position->strides[0] == 2);
  CHECK(position->strides[1] == 0);
}

}  // namespace
}  // namespace sinter::test
