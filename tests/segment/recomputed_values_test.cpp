// Values that a nest would compute at several positions are stored where that takes less time.

#include <doctest/doctest.h>

#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/schedule/size_classes.hpp>

#include <set>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32;

/// Long enough that storing a value saves more than a launch costs.
constexpr std::int64_t long_extent = 1 << 22;

graph_value slice_of(graph_builder& b, graph_value from, std::int64_t start, std::int64_t stop,
                     std::int64_t step = 1) {
  view_item item;
  item.what = view_item::kind::slice;
  item.start = literal_bound(start);
  item.stop = literal_bound(stop);
  item.step = literal_bound(step);
  return b.view(from, std::array{item});
}

graph_value applied(graph_builder& b, graph_value to, std::span<const operation> functions) {
  for (const operation function : functions) to = b.apply(function, std::array{to});
  return to;
}

/// x[0] + x[1] + x[2] for each element of a function of the operand, twice over if there are two.
graph stencil(std::span<const operation> inner, std::span<const operation> outer = {}) {
  graph_builder b;
  graph_value at = b.input(f32, 1);
  for (const auto functions : {inner, outer}) {
    if (functions.empty()) continue;
    at = applied(b, at, functions);
    graph_value sum = slice_of(b, at, 0, -2);
    sum = b.apply(operation::add, std::array{sum, slice_of(b, at, 1, -1)});
    at = b.apply(operation::add,
                 std::array{sum, slice_of(b, at, 2, std::numeric_limits<std::int64_t>::max())});
  }
  b.output(at);
  return b.recorded();
}

/// x(:, :, 0) + x(:, :, 1) + x(:, :, 2): the channels of a pixel lie beside each other.
graph_value grey_of(graph_builder& b, graph_value image) {
  graph_value sum;
  for (int channel = 0; channel < 3; ++channel) {
    view_item all, one;
    one.what = view_item::kind::index;
    one.start = literal_bound(channel);
    const graph_value plane = b.view(image, std::array{all, all, one});
    sum = channel == 0 ? plane : b.apply(operation::add, std::array{sum, plane});
  }
  return sum;
}

/// The values of rows at three neighbouring positions.
graph_value blurred(graph_builder& b, graph_value from) {
  const auto window = [&](std::int64_t start, std::int64_t stop) {
    view_item rows, along;
    along.start = literal_bound(start);
    along.stop = literal_bound(stop);
    return b.view(from, std::array{rows, along});
  };
  return b.apply(
      operation::add,
      std::array{window(0, -2),
                 b.apply(operation::add,
                         std::array{window(1, -1), window(2, std::numeric_limits<std::int64_t>::max())})});
}

std::size_t stages_of(const graph& made, std::vector<std::int64_t> extents, const target_facts& target) {
  return lower(made, {contiguous(extents, f32)}, target).stage_count;
}

constexpr operation functions[] = {operation::sin, operation::exp, operation::log1p, operation::tanh};

std::size_t stages_of(const graph& made, std::int64_t extent, const target_facts& target) {
  return lower(made, {contiguous({extent}, f32)}, target).stage_count;
}

}  // namespace

TEST_CASE("what a stencil reads at three positions is stored if computing it again takes longer") {
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    CHECK(stages_of(stencil(functions), long_extent, target) == 2);
    CHECK(stages_of(stencil(std::array{operation::square}), long_extent, target) == 1);
  }
  // a byte moved takes a CPU less time, beside its operations, than a GPU
  CHECK(stages_of(stencil(std::span(functions).last(1)), long_extent, cuda_facts()) == 1);
  CHECK(stages_of(stencil(std::span(functions).last(1)), long_extent, cpu_facts()) == 2);
}

TEST_CASE("what is read from interleaved channels is stored where a stencil reads it") {
  graph_builder b;
  b.output(blurred(b, blurred(b, grey_of(b, b.input(f32, 3)))));
  for (const target_facts& target : {cuda_facts(), cpu_facts()})
    CHECK(stages_of(b.recorded(), {1080, 1920, 3}, target) == 2);
}

TEST_CASE("on a GPU nothing is stored if computing it again takes less time than a launch") {
  graph_builder b;
  b.output(blurred(b, blurred(b, grey_of(b, b.input(f32, 3)))));
  CHECK(stages_of(b.recorded(), {108, 192, 3}, cuda_facts()) == 1);
  CHECK(stages_of(b.recorded(), {108, 192, 3}, cpu_facts()) == 2);
}

TEST_CASE("on the CPU contiguous channels are read again by a stencil") {
  graph_builder b;
  const graph_value one = b.input(f32, 2);
  b.output(blurred(b, b.apply(operation::add, std::array{one, one})));
  CHECK(stages_of(b.recorded(), {1080, 1920}, cpu_facts()) == 1);
}

TEST_CASE("a value that a reduction ahead and the rest have in common is stored once") {
  graph_builder b;
  const graph_value grey = grey_of(b, b.input(f32, 3));
  const graph_value mean = b.reduce(operation::sum, grey, 3u, true);
  b.output(blurred(b, b.apply(operation::subtract, std::array{grey, mean})));
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    const lowered_call lowered = lower(b.recorded(), {contiguous({1080, 1920, 3}, f32)}, target);
    CHECK(lowered.stages[0].purpose.reason == stage_reason::recomputed);
    for (std::size_t i = 1; i < lowered.stage_count; ++i)
      for (const access& at : lowered.stages[i].body.accesses)
        CHECK((at.what != access::kind::read || at.place != access::where::argument));
  }
}

TEST_CASE("on the CPU a value is stored that several loops over long columns would compute") {
  graph_builder b;
  const graph_value grey = grey_of(b, b.input(f32, 3));
  const graph_value centred =
      b.apply(operation::subtract, std::array{grey, b.reduce(operation::max, grey, 1u, true)});
  b.output(b.apply(operation::true_divide, std::array{centred, b.reduce(operation::sum, centred, 1u, true)}));
  CHECK(lower(b.recorded(), {contiguous({4096, 300, 3}, f32)}, cpu_facts()).stages[0].purpose.reason ==
        stage_reason::recomputed);
}

TEST_CASE("of a stencil of a stencil as much is stored as pays") {
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    CHECK(stages_of(stencil(functions, functions), long_extent, target) == 3);
    constexpr operation cheap[] = {operation::square};
    CHECK(stages_of(stencil(std::span(functions).last(3), cheap), long_extent, target) == 2);
  }
}

TEST_CASE("explain() says that a value is stored so as not to be computed again") {
  const lowered_call lowered = lower(stencil(functions), {contiguous({long_extent}, f32)}, cuda_facts());
  REQUIRE(lowered.stage_count == 2);
  CHECK(lowered.stages[0].purpose.reason == stage_reason::recomputed);
  CHECK(describe(lowered.stages[0].purpose, cuda_facts()).find("at several positions") != std::string::npos);
}

TEST_CASE("a value of which few elements are needed is not stored whole") {
  graph_builder b;
  const graph_value at = applied(b, b.input(f32, 1), functions);
  const auto every = [&](std::int64_t start) {
    return slice_of(b, at, start, std::numeric_limits<std::int64_t>::max(), 8);
  };
  b.output(
      b.apply(operation::add, std::array{every(0), b.apply(operation::add, std::array{every(1), every(2)})}));
  for (const target_facts& target : {cuda_facts(), cpu_facts()})
    CHECK(stages_of(b.recorded(), 80000, target) == 1);
}

TEST_CASE(
    "the number of stages is the same for all extents on the CPU, and for two ranges of them on a GPU") {
  for (const std::int64_t extent : {33, 100, 1000, 1 << 16, 1 << 22, 1 << 24}) {
    CHECK(stages_of(stencil(functions), extent, cpu_facts()) == 2);
    CHECK(stages_of(stencil(functions), extent, cuda_facts()) == (extent < 1 << 22 ? 1 : 2));
  }
}

TEST_CASE("the extents that represent a range have every number of stages that an extent of it has") {
  for (const target_facts& target : {cuda_facts(), cpu_facts()})
    for (const graph& made : {stencil(functions), stencil(functions, functions)}) {
      std::set<std::size_t> represented;
      for (const std::int64_t extent : representative_extents(made, {}, 33, 1 << 26, target))
        represented.insert(stages_of(made, extent, target));
      for (std::int64_t extent = 33; extent <= 1 << 26; extent += extent / 8)
        CHECK(represented.contains(stages_of(made, extent, target)));
    }
}

TEST_CASE("stencils of functions have the interpreter's values, stored or not") {
  constexpr operation exact[] = {operation::square,   operation::trunc,   operation::sign,
                                 operation::rint,     operation::floor,   operation::ceil,
                                 operation::negative, operation::absolute};
  std::vector<operation> many;
  for (int i = 0; i < 6; ++i) many.insert(many.end(), std::begin(exact), std::end(exact));
  const std::size_t lengths[] = {1, many.size() / 2, many.size()};
  sweep(18, [&](std::size_t i, failure_list& failures) {
    const graph made =
        stencil(std::span(many).first(lengths[i % 3]), std::span(many).first(lengths[i / 3 % 3]));
    const std::int64_t extent =
        i < 9 ? 9 + static_cast<std::int64_t>(i) : 5000 + static_cast<std::int64_t>(i);
    const bits values =
        whole_numbers(f32, static_cast<std::size_t>(extent), i, [](std::int64_t drawn) { return drawn % 3; });
    for (const device on : sweep_devices())
      check_against_reference(std::to_string(extent) + " elements", made, {values}, {{extent}},
                              placement::contiguous, on, {}, failures);
  });
}

}  // namespace sinter::test
