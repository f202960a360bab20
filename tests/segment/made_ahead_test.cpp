// Reductions and scans that one nest cannot hold are computed first, in stages of their own. For every graph
// each of those computes less than the stage it serves, so lowering terminates.

#include <doctest/doctest.h>

#include "../support/drawn/random_rows.hpp"
#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/simplify/simplify.hpp>

#include <functional>

namespace sinter::test {
namespace {

constexpr element_type f64 = element_type::float64;

/// Results of two operands, x and y.
graph of_two(const std::function<void(graph_builder& b, graph_value x, graph_value y)>& body) {
  graph_builder b;
  b.restart();
  const graph_value x = b.input(f64, 2), y = b.input(f64, 2);
  body(b, x, y);
  return b.recorded();
}

std::vector<std::pair<std::string, graph>> tuples() {
  const auto less = [](graph_builder& b, graph_value x, operation op, std::uint32_t axes) {
    return b.apply(operation::subtract, {x, b.reduce(op, x, axes, true)});
  };
  std::vector<std::pair<std::string, graph>> all;
  all.emplace_back("sums of rows, one of which are shares of all",
                   of_two([&](graph_builder& b, graph_value x, graph_value y) {
                     b.output(b.reduce(operation::sum, less(b, x, operation::sum, 3u), 2u));
                     b.output(b.reduce(operation::sum, y, 2u));
                   }));
  all.emplace_back("scans of columns, one of which is less the largest of all",
                   of_two([&](graph_builder& b, graph_value x, graph_value y) {
                     b.output(b.scan(operation::cumsum, less(b, x, operation::max, 3u), 0));
                     b.output(b.scan(operation::cumsum, y, 0));
                   }));
  all.emplace_back("a scan and its operand", of_two([&](graph_builder& b, graph_value x, graph_value y) {
                     const graph_value apart = less(b, x, operation::max, 3u);
                     b.output(apart);
                     b.output(b.scan(operation::cumsum, apart, 1));
                     b.output(y);
                   }));
  all.emplace_back(
      "reductions of each other", of_two([&](graph_builder& b, graph_value x, graph_value y) {
        const graph_value rows = b.reduce(operation::sum, less(b, x, operation::max, 1u), 2u, true);
        const graph_value others = b.reduce(operation::sum, less(b, y, operation::sum, 2u), 2u, true);
        b.output(b.reduce(operation::max, b.apply(operation::add, {rows, others}), 1u));
        b.output(b.reduce(operation::max, b.apply(operation::subtract, {rows, others}), 1u));
      }));
  return all;
}

bits small_numbers(const shape& extents, std::uint64_t seed) {
  return whole_numbers(f64, count_of(extents), seed, [](std::int64_t drawn) { return drawn % 5 - 2; });
}

}  // namespace

TEST_CASE("tuples of reductions that need others first give what the interpreter gives") {
  const std::vector<std::pair<std::string, graph>> all = tuples();
  const std::vector<shape> shapes{{50, 40}, {3, 1000}, {2, 3}};
  sweep(all.size() * shapes.size(), [&](std::size_t i, failure_list& failures) {
    const auto& [name, recorded] = all[i / shapes.size()];
    const shape& extents = shapes[i % shapes.size()];
    for (const device on : sweep_devices())
      check_against_reference(name + " " + text_of(extents), recorded,
                              {small_numbers(extents, i), small_numbers(extents, i + 1)}, {extents, extents},
                              placement::contiguous, on, {}, failures);
  });
}

TEST_CASE("every tuple of reductions and scans is lowered, in few stages") {
  const std::vector<shape> shapes{{50, 40},     {7, 300},     {64, 3}, {3, 70000}, {1, 1 << 22},
                                  {5000, 5000}, {1 << 21, 2}, {1, 1},  {6, 7, 8},  {40, 3, 20000}};
  sweep(1500, [&](std::size_t seed, failure_list& failures) {
    const shape& extents = shapes[seed % shapes.size()];
    const graph made =
        simplify(random_rows(seed, static_cast<unsigned>(extents.size()), 1 + seed % 3, 3 + seed % 25));
    std::size_t reductions = 0;
    for (const node& at : made.nodes) reductions += is_reduction(at.op) || is_scan(at.op) ? 1 : 0;
    const std::vector<layout> arrays(made.inputs.size(), contiguous(extents, f64));
    for (const target_facts& target : {cuda_facts(), cpu_facts()})
      for (const bool general : {false, true}) {
        const lowered_call lowered =
            general ? lower_general(made, arrays, target) : lower(made, arrays, target);
        // a reduction or scan takes at most three stages, and so does each result
        if (lowered.stage_count > 3 * (reductions + made.outputs.size()) + (general ? made.nodes.size() : 0))
          failures.add("stages", "seed " + std::to_string(seed) + " has " +
                                     std::to_string(lowered.stage_count) + " for " +
                                     std::to_string(reductions) + " reductions");
      }
  });
}

TEST_CASE("reductions that follow each other along every axis in turn are lowered") {
  graph_builder b;
  b.restart();
  graph_value x = b.input(f64, 2);
  for (unsigned i = 0; i < 60; ++i)
    x = b.apply(operation::subtract, {x, b.reduce(operation::max, x, 1u << i % 2, true)});
  b.output(x);
  for (const target_facts& target : {cuda_facts(), cpu_facts()})
    CHECK(lower(b.recorded(), {contiguous({300, 200}, f64)}, target).stage_count >= 60);
}

TEST_CASE("a reduction of another operand is made once, not for each element that it meets") {
  for (const target_facts& target : {cuda_facts(), cpu_facts()})
    for (const bool standardises : {false, true}) {
      graph_builder builder;
      const graph_value x = builder.input(element_type::float32, 1),
                        y = builder.input(element_type::float32, 1);
      graph_value result = builder.apply(operation::add, {x, builder.reduce(operation::sum, y, 1)});
      if (standardises) {
        const graph_value apart =
            builder.apply(operation::subtract, {y, builder.reduce(operation::sum, y, 1, true)});
        const graph_value spread =
            builder.reduce(operation::sum, builder.apply(operation::multiply, {apart, apart}), 1);
        result = builder.apply(operation::true_divide, {result, spread});
      }
      builder.output(result);
      const lowered_call lowered =
          lower(builder.recorded(), {contiguous({400000}), contiguous({100000})}, target);
      std::int64_t visited = 0;
      for (std::size_t i = 0; i < lowered.stage_count; ++i) {
        const nest& body = lowered.stages[i].body;
        std::int64_t positions = body.phases;
        for (unsigned axis = 0; axis < body.rank; ++axis) positions *= body.extents[axis];
        visited += positions;
      }
      INFO("target ", static_cast<int>(target.kind), ", ", visited, " positions");
      CHECK(visited < 1000000);
    }
}

}  // namespace sinter::test
