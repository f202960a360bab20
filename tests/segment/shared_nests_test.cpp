// Results that one nest stores: of one shape, or of shapes that differ by axes of one element alone.

#include <doctest/doctest.h>

#include "../support/sweep/sweep_reference.hpp"

#include <functional>

namespace sinter::test {
namespace {

constexpr element_type f64 = element_type::float64;

/// Sums, and largest elements, along some axes; axes that are reduced stay in some of the results.
graph two_reductions(unsigned rank, std::uint32_t axes, bool first_keeps, bool second_keeps) {
  graph_builder b;
  const graph_value x = b.input(f64, rank);
  b.output(b.reduce(operation::sum, x, axes, first_keeps));
  b.output(b.reduce(operation::max, x, axes, second_keeps));
  return b.recorded();
}

}  // namespace

TEST_CASE("reductions that differ in keepdims are one nest, which reads its operand once") {
  for (const bool keeps : {false, true})
    for (const target_facts& target : {cuda_facts(), cpu_facts()})
      for (const std::uint32_t axes : {1u, 2u, 4u, 3u, 5u, 6u}) {
        const lowered_call lowered =
            lower(two_reductions(3, axes, keeps, !keeps), {contiguous({300, 200, 100}, f64)}, target);
        INFO("axes ", axes, ", the first keeps them: ", keeps);
        std::int64_t reads = 0;
        for (std::size_t i = 0; i < lowered.stage_count; ++i)
          for (const access& at : lowered.stages[i].body.accesses)
            reads += at.what == access::kind::read && at.place == access::where::argument ? 1 : 0;
        CHECK(reads == 1);
      }
}

TEST_CASE("a shape-generic kernel has one result: axes of one element are not known") {
  const lowered_call lowered =
      lower_general(two_reductions(2, 2, false, true), {contiguous({300, 200}, f64)}, cuda_facts());
  CHECK(lowered.stage_count == 2);
}

TEST_CASE("results that differ by axes of one element have the interpreter's values") {
  const std::vector<shape> shapes = {{4, 5, 6},   {1, 5, 1}, {3, 1, 700},
                                     {40, 33, 2}, {1, 1, 1}, {2, 300, 129}};
  sweep(shapes.size() * 7 * 4, [&](std::size_t i, failure_list& failures) {
    const shape& extents = shapes[i % shapes.size()];
    const auto axes = static_cast<std::uint32_t>(1 + i / shapes.size() % 7);
    const std::size_t keeps = i / shapes.size() / 7;
    const graph made = two_reductions(3, axes, (keeps & 1) != 0, (keeps & 2) != 0);
    const bits values =
        whole_numbers(f64, count_of(extents), i, [](std::int64_t drawn) { return drawn % 9 - 4; });
    for (const device on : sweep_devices())
      check_against_reference(text_of(extents) + ", axes " + std::to_string(axes), made, {values}, {extents},
                              placement::contiguous, on, {}, failures);
  });
}

TEST_CASE("elementwise results with and without an axis of one element are one nest") {
  graph_builder b;
  const graph_value x = b.input(f64, 2);
  view_item items[3];
  items[1].what = view_item::kind::newaxis;
  const graph_value doubled = b.apply(operation::add, {x, x});
  b.output(doubled);
  b.output(b.view(b.apply(operation::multiply, {doubled, x}), items));
  const lowered_call lowered = lower(b.recorded(), {contiguous({64, 32}, f64)}, cpu_facts());
  CHECK(lowered.stage_count == 1);
  CHECK(lowered.stages[0].body.stores.size() == 2);
}

}  // namespace sinter::test
