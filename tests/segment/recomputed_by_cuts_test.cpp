// What cuts of long graphs compute again: values that are live across a cut are stored by the stage that
// computes them, not each by a stage that starts from the inputs.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <string>
#include <vector>

#include "../support/seeds.hpp"
#include "../support/sweep/sweep_reference.hpp"

namespace sinter::test {
namespace {

constexpr element_type i64 = element_type::int64;
/// What may be computed again, of the graph's operations.
constexpr double max_again = 1.3;

graph_value number(graph_builder& b, std::uint64_t value) { return b.literal(i64, value); }

/// A loop of random steps over 1 to 64 states. A step makes one state of itself and another, which is one of
/// its `reach` neighbours, or of itself and a number. Either the states or their sum are the results.
graph random_states(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t end) { return std::size_t(random() % end); };
  constexpr std::array counts{1u, 2u, 3u, 5u, 8u, 16u, 33u, 64u};
  constexpr std::array operations{operation::add, operation::multiply, operation::subtract,
                                  operation::bitwise_xor};
  const std::size_t count = counts[below(counts.size())], steps = 600 + below(4000), reach = 1 + below(count);
  const bool in_turns = below(2) == 0, are_summed = below(3) == 0;
  graph_builder b;
  const graph_value x = b.input(i64, 2);
  std::vector<graph_value> states;
  for (std::size_t i = 0; i < count; ++i) states.push_back(b.apply(operation::add, {x, number(b, i)}));
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t own = in_turns ? step % count : below(count);
    const graph_value other =
        below(4) == 0 ? number(b, 3 + below(90)) : states[(own + 1 + below(reach)) % count];
    states[own] = b.apply(operations[below(operations.size())], {states[own], other});
  }
  for (std::size_t i = 1; are_summed && i < count; ++i)
    states[0] = b.apply(operation::add, {states[0], states[i]});
  if (are_summed) states.resize(1);
  for (const graph_value& state : states) b.output(state);
  return b.recorded();
}

/// `count` states of `steps` steps each, of themselves and the next one, as in a system of equations.
graph coupled_states(std::size_t count, std::size_t steps) {
  graph_builder b;
  const graph_value x = b.input(i64, 2);
  std::vector<graph_value> states;
  for (std::size_t i = 0; i < count; ++i) states.push_back(b.apply(operation::add, {x, number(b, i)}));
  for (std::size_t step = 0; step < steps; ++step)
    states[step % count] = b.apply(operation::multiply, {states[step % count], states[(step + 1) % count]});
  for (std::size_t i = 1; i < count; ++i) states[0] = b.apply(operation::add, {states[0], states[i]});
  b.output(states[0]);
  return b.recorded();
}

bool is_operation(operation op) { return facts_of(op).arity > 1; }

struct work {
  std::size_t operations = 0, stages = 0;
};

work work_of(const graph& recorded) {
  const lowered_call lowered = lower(recorded, {contiguous({300, 700}, i64)}, cpu_facts());
  work done;
  done.stages = lowered.stage_count;
  for (std::size_t i = 0; i < lowered.stage_count; ++i)
    for (const instruction& at : lowered.stages[i].body.body) done.operations += is_operation(at.op);
  return done;
}

/// Operations that the stages have, as a share of those of the graph, which are reachable from its results.
double share_of(const graph& recorded, const work& done) {
  std::size_t operations = 0;
  for (const node& at : recorded.nodes) operations += is_operation(at.op);
  return static_cast<double>(done.operations) / static_cast<double>(operations);
}

}  // namespace

TEST_SUITE("recomputed by cuts") {
  TEST_CASE("loops of 1 to 64 states are cut with at most 1.3 times their operations") {
    const seed_range range = seeds(120);
    sweep(range.count, [&](std::size_t i, failure_list& failures) {
      const graph recorded = simplify(random_states(range.first + i));
      const work done = work_of(recorded);
      if (const double share = share_of(recorded, done); share > max_again)
        failures.add("computed again", "seed " + std::to_string(range.first + i) + ": " +
                                           std::to_string(recorded.nodes.size()) + " nodes are computed " +
                                           std::to_string(share) + " times in " +
                                           std::to_string(done.stages) + " stages");
    });
  }

  TEST_CASE("loops that are cut give what the interpreter gives") {
    const seed_range range = seeds(8);
    const shape extents{3, 7};
    const std::vector<bits> values{
        whole_numbers(i64, count_of(extents), 5, [](std::int64_t drawn) { return drawn % 1000 - 500; })};
    sweep(range.count, [&](std::size_t i, failure_list& failures) {
      for (const device on : sweep_devices())
        check_against_reference("seed " + std::to_string(range.first + i), random_states(range.first + i),
                                values, {extents}, placement::contiguous, on, {}, failures);
    });
  }

  TEST_CASE("eight coupled states of 1,200 steps are two stages") {
    const graph recorded = simplify(coupled_states(8, 1200));
    const work done = work_of(recorded);
    CHECK(done.stages == 2);
    CHECK(share_of(recorded, done) < 1.05);
  }
}

}  // namespace sinter::test
