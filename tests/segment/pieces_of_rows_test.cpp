// Reductions whose rows are split into pieces, along any axes, give the interpreter's results: on the CPU,
// and as kernels for a GPU with few multiprocessors, in the simulator.

#include <doctest/doctest.h>

#include "../support/cuda/cuda_simulator.hpp"
#include "../support/sweep/sweep.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/segment/pieces/split_rows.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>

namespace sinter::test {
namespace {

/// Random values in row-major order, in a layout with any strides.
struct array_in_layout {
  layout at;
  std::vector<std::byte> bytes;
  std::int64_t first = 0;
  bits values;

  array_in_layout(layout where, std::uint64_t seed) : at(std::move(where)) {
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < at.extents.size(); ++axis) {
      const std::int64_t reach = (at.extents[axis] - 1) * at.strides[axis];
      (reach < 0 ? first : last) += std::abs(reach);
    }
    const auto stored = static_cast<std::size_t>(first + last + 1);
    const bits all = random_values(at.type, stored, seed);
    bytes = pack(at.type, all);
    const auto count = static_cast<std::size_t>(
        std::accumulate(at.extents.begin(), at.extents.end(), std::int64_t{1}, std::multiplies<>()));
    for (std::size_t i = 0; i < count; ++i) values.push_back(all[position(i)]);
  }
  std::size_t position(std::size_t index) const {
    auto left = static_cast<std::int64_t>(index);
    std::int64_t found = first;
    for (std::size_t axis = at.extents.size(); axis-- > 0; left /= at.extents[axis])
      found += left % at.extents[axis] * at.strides[axis];
    return static_cast<std::size_t>(found);
  }
  runtime::operand operand() {
    return {.data = bytes.data() + first * static_cast<std::int64_t>(size_of(at.type)),
            .extents = at.extents.data(),
            .strides = at.strides.data(),
            .type = at.type,
            .rank = static_cast<std::uint8_t>(at.extents.size())};
  }
};

/// A reduction of whole numbers, which are the same in any order, or the position of one.
struct whole_number_reduction {
  graph recorded;
  std::vector<array_in_layout> arrays;
  std::string description;
};

/// Over random axes; over the innermost one and others if its extent is given.
whole_number_reduction draw(std::uint64_t seed, std::int64_t elements, std::int64_t innermost = 0) {
  constexpr element_type types[] = {element_type::boolean, element_type::int8,  element_type::uint16,
                                    element_type::int32,   element_type::int64, element_type::uint32};
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  const std::size_t rank = innermost == 0 ? 1 + below(4) : 3 + below(2);
  shape extents(rank, 1);
  if (innermost != 0) extents.back() = innermost;
  for (std::int64_t left = elements / std::max<std::int64_t>(1, innermost); left > 1;) {
    const auto factor = static_cast<std::int64_t>(2 + below(6));
    extents[below(innermost == 0 ? rank : rank - 1)] *= std::min(factor, left);
    left /= factor;
  }
  whole_number_reduction made;
  graph_builder builder;
  graph_value value{};
  const std::size_t operands = 1 + below(2);
  for (std::size_t i = 0; i < operands; ++i) {
    layout at{.type = types[below(std::size(types))], .extents = extents, .strides = shape(rank)};
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), 0u);
    if (below(3) != 0) std::shuffle(order.begin(), order.end(), random);
    std::int64_t stride = 1;
    for (std::size_t n = rank; n-- > 0;) {
      if (below(8) == 0) continue;  // broadcast
      const std::int64_t step = below(4) == 0 ? static_cast<std::int64_t>(1 + below(3)) : 1;
      at.strides[order[n]] = stride * step * (below(4) == 0 ? -1 : 1);
      stride *= extents[order[n]] * step;
    }
    const graph_value next = builder.input(at.type, static_cast<unsigned>(rank));
    value = i == 0 ? next : builder.apply(operation::add, {value, next});
    made.arrays.emplace_back(at, seed + i);
  }
  constexpr operation kinds[] = {operation::sum, operation::max,    operation::min,
                                 operation::any, operation::argmax, operation::argmin};
  auto axes = static_cast<std::uint32_t>(below(2) == 0 ? (1u << rank) - 1 : 1 + below((1u << rank) - 1));
  if (innermost != 0) axes = 1u << (rank - 1) | 1u << below(rank - 2);
  const operation op = kinds[below(std::size(kinds))];
  const graph_value reduced = builder.reduce(op, value, axes, true);
  made.description = std::string(facts_of(op).name) + " over " + std::to_string(axes);
  builder.output(below(3) == 0 ? builder.apply(operation::add, {value, reduced}) : reduced);
  made.recorded = builder.recorded();
  return made;
}

std::vector<bits> interpreted(const whole_number_reduction& program) {
  std::vector<reference_array> inputs, results;
  for (const array_in_layout& at : program.arrays)
    inputs.push_back(load_reference(at.at.type, at.at.extents, pack(at.at.type, at.values).data()));
  interpret(program.recorded, inputs, {}, results, reference_precision::native);
  std::vector<bits> made;
  for (const reference_array& result : results) made.push_back(elements_of(result));
  return made;
}

std::vector<bits> run_on_cpu(const graph& recorded, const std::vector<runtime::operand>& operands) {
  const runtime::function_handle called = runtime::intern(recorded);
  std::vector<runtime::result> results(recorded.outputs.size());
  const stream order = stream::default_of(device::cpu());
  runtime::call(called, operands, {}, {}, results, {.on = &order});
  order.synchronize();
  std::vector<bits> made;
  for (const runtime::result& at : results) {
    std::size_t count = 1;
    for (unsigned axis = 0; axis < at.rank; ++axis) count *= static_cast<std::size_t>(at.extents[axis]);
    made.push_back(unpack(at.type, static_cast<const std::byte*>(at.storage.data()), count));
  }
  return made;
}

std::uint64_t first_seed() {
  const char* chosen = std::getenv("SINTER_SEED");
  return chosen == nullptr ? 1 : std::strtoull(chosen, nullptr, 10);
}

/// The number of stages that reduce pieces, in a call with these arrays; of those for a reason, if one is
/// given.
std::size_t stages_of_pieces(const whole_number_reduction& program, const target_facts& target,
                             std::optional<stage_reason> reason = {}) {
  std::vector<layout> inputs;
  for (const array_in_layout& at : program.arrays) inputs.push_back(at.at);
  const lowered_call lowered = lower(program.recorded, inputs, target);
  std::size_t found = 0;
  for (std::size_t i = 0; i < lowered.stage_count; ++i)
    found += lowered.stages[i].purpose.part == stage_part::pieces &&
                     (!reason || lowered.stages[i].purpose.reason == *reason)
                 ? 1
                 : 0;
  return found;
}

}  // namespace

TEST_CASE("pieces have about as many elements as were asked for, and whole inner axes") {
  nest rows;
  rows.rank = 4;
  rows.extents = {64, 5, 3000, 7};
  rows.reduced = 0b1101;
  const row_cut cut = cut_into(rows, 2048);
  CHECK(cut.piece_axes == 0b1000);
  CHECK(cut.length == 32);
  CHECK(cut_into(rows, 64).piece_axes == 0b1100);
  CHECK(cut_into(rows, 64).length == 0);
  CHECK(cut_into(rows, 16).length == 16);
  CHECK(cut_into(rows, 16).piece_axes == 0b1100);
  CHECK_FALSE(cut_into(rows, std::int64_t{64} * 3000 * 7).cuts());
}

TEST_CASE("simulated reductions in pieces along any axes give what the interpreter does") {
  target_facts small = cuda_facts();
  small.multiprocessors = 3;
  failure_list failures;
  std::atomic<std::size_t> cut = 0;
  in_parallel(70, failures, [&](std::size_t i) {
    whole_number_reduction program = draw(first_seed() + i, 20000);
    if (stages_of_pieces(program, small) != 0) ++cut;
    std::vector<runtime::operand> operands;
    for (array_in_layout& at : program.arrays) operands.push_back(at.operand());
    const std::string kind = "seed " + std::to_string(first_seed() + i);
    try {
      simulation_options how;
      how.target = small;
      how.order = i % 2 == 0 ? thread_order::upward : thread_order::downward;
      if (simulate(program.recorded, operands, {}, how) != interpreted(program))
        failures.add(kind, "another result: " + program.description + "\n" + to_string(program.recorded));
    } catch (const simulated_fault& fault) {
      failures.add(kind, fault.what());
    }
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
  CHECK(cut > 20 / sweep_share());
}

TEST_CASE("on the CPU reductions in pieces along any axes give what the interpreter does") {
  failure_list failures;
  std::atomic<std::size_t> cut = 0;
  in_parallel(60, failures, [&](std::size_t i) {
    whole_number_reduction program = draw(first_seed() + 1000 + i, 200000);
    if (stages_of_pieces(program, cpu_facts()) != 0) ++cut;
    std::vector<runtime::operand> operands;
    for (array_in_layout& at : program.arrays) operands.push_back(at.operand());
    const std::vector<bits> expected = interpreted(program);
    if (run_on_cpu(program.recorded, operands) != expected)
      failures.add("seed " + std::to_string(first_seed() + 1000 + i),
                   "another result: " + program.description + "\n" + to_string(program.recorded));
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
  CHECK(cut > 10 / sweep_share());
}

TEST_CASE("pieces have one position along given axes, and are cut along the others") {
  nest rows;
  rows.rank = 4;
  rows.extents = {16, 5, 3000, 7};
  rows.reduced = 0b1101;
  CHECK(cut_into(rows, 1000, 0b1).piece_axes == 0b1001);
  CHECK(cut_into(rows, 1000, 0b1).length == 1000);
  CHECK(cut_into(rows, 3000, 0b1).piece_axes == 0b1001);
  CHECK(cut_into(rows, 3000, 0b1).length == 0);
  CHECK(cut_into(rows, 3000 * 7, 0b1).piece_axes == 0b1);
}

TEST_CASE("on the CPU the elements of a short innermost axis are lanes of columns, and combined afterwards") {
  failure_list failures;
  std::atomic<std::size_t> across = 0;
  in_parallel(60, failures, [&](std::size_t i) {
    const auto innermost = static_cast<std::int64_t>(2 + i % 30);
    whole_number_reduction program = draw(first_seed() + 2000 + i, 100000, innermost);
    if (stages_of_pieces(program, cpu_facts(), stage_reason::short_axis) != 0) ++across;
    std::vector<runtime::operand> operands;
    for (array_in_layout& at : program.arrays) operands.push_back(at.operand());
    if (run_on_cpu(program.recorded, operands) != interpreted(program))
      failures.add("seed " + std::to_string(first_seed() + 2000 + i),
                   "another result: " + program.description + "\n" + to_string(program.recorded));
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
  CHECK(across > 10 / sweep_share());
}

TEST_CASE("deviations along a short innermost axis are found in one loop over its lanes") {
  const auto values_of = [](std::int64_t outer, std::int64_t middle, std::int64_t innermost) {
    graph_builder b;
    const graph_value x = b.cast(b.input(element_type::int16, 3), element_type::float64);
    const double count = static_cast<double>(outer * innermost);
    const graph_value mean = b.apply(operation::true_divide,
                                     {b.reduce(operation::sum, x, 0b101, true),
                                      b.literal(element_type::float64, std::bit_cast<std::uint64_t>(count))});
    const graph_value apart = b.apply(operation::subtract, {x, mean});
    b.output(b.reduce(operation::sum, b.apply(operation::square, {apart}), 0b101, true));
    whole_number_reduction program{b.recorded(), {}, "squared deviations"};
    program.arrays.emplace_back(contiguous({outer, middle, innermost}, element_type::int16), 7);
    return program;
  };
  for (const auto& [outer, middle, innermost] :
       {std::array<std::int64_t, 3>{200, 50, 3}, {64, 40, 8}, {5000, 3, 5}, {100, 7, 31}}) {
    whole_number_reduction program = values_of(outer, middle, innermost);
    INFO(outer, " x ", middle, " x ", innermost);
    CHECK(stages_of_pieces(program, cpu_facts(), stage_reason::short_axis) == 1);
    const std::vector<bits> made = run_on_cpu(program.recorded, {program.arrays[0].operand()}),
                            expected = interpreted(program);
    for (std::size_t i = 0; i < expected[0].size(); ++i)
      CHECK(std::bit_cast<double>(made[0][i]) ==
            doctest::Approx(std::bit_cast<double>(expected[0][i])).epsilon(1e-12));
  }
}

TEST_CASE("softmax over a short innermost axis and another puts its reductions ahead and says why") {
  graph_builder b;
  const graph_value x = b.input(element_type::float32, 3);
  const graph_value power =
      b.apply(operation::exp, {b.apply(operation::subtract, {x, b.reduce(operation::max, x, 0b101, true)})});
  b.output(b.apply(operation::true_divide, {power, b.reduce(operation::sum, power, 0b101, true)}));
  const auto reasons = [&](const layout& at) {
    const lowered_call lowered = lower(b.recorded(), {at}, cpu_facts());
    std::size_t short_axes = 0;
    for (std::size_t i = 0; i < lowered.stage_count; ++i)
      short_axes += lowered.stages[i].purpose.reason == stage_reason::short_axis ? 1 : 0;
    return std::pair(lowered.stage_count, short_axes);
  };
  CHECK(reasons(contiguous({64, 400, 4})) == std::pair<std::size_t, std::size_t>{5, 4});
  // where one stage finds the rows in the cache again
  CHECK(reasons(contiguous({4, 2, 4})) == std::pair<std::size_t, std::size_t>{1, 0});
  CHECK(reasons(contiguous({8, 4000, 4})).second == 0);
}

TEST_CASE("lanes lie along a kept axis outside only where an operand has them near each other") {
  const auto order_of = [](std::int64_t stride) {
    graph_builder b;
    b.output(b.reduce(
        operation::sum,
        b.apply(operation::add, {b.input(element_type::float32, 3), b.input(element_type::float32, 3)}),
        0b101, true));
    layout x = contiguous({64, 400, 2}), y = x;
    x.strides = {800 * stride, 2 * stride, 1};
    y.strides = {2, 128, 1};
    return lower(b.recorded(), {x, y}, cpu_facts()).stages[0].chosen.order;
  };
  CHECK(order_of(1) == loop_order::column_reduction);
  CHECK(order_of(16) == loop_order::row_reduction);
}

TEST_CASE("rows stay whole where an operand's elements are far from each other along the lanes") {
  const auto reason_of = [](const layout& other) {
    graph_builder b;
    b.output(b.reduce(
        operation::sum,
        b.apply(operation::add, {b.input(element_type::float64, 3), b.input(element_type::uint8, 3)}), 0b101,
        true));
    const layout x = contiguous({64, 400, 8}, element_type::float64);
    return lower(b.recorded(), {x, other}, cpu_facts()).stages[0].purpose.reason;
  };
  layout other = contiguous({64, 400, 8}, element_type::uint8);
  CHECK(reason_of(other) == stage_reason::short_axis);
  other.strides = {400, 1, 64 * 400};
  CHECK(reason_of(other) == stage_reason::results);
}

TEST_CASE("rows of many short runs are cut along the innermost axis only where their lanes are adjacent") {
  const auto reason_of = [](const graph& recorded, const layout& at) {
    const lowered_call lowered = lower(recorded, {at}, cpu_facts());
    return lowered.stages[0].purpose.reason;
  };
  graph_builder builder;
  builder.output(builder.reduce(operation::sum, builder.input(element_type::float32, 3), 0b101));
  const graph outer_and_inner = builder.recorded();
  CHECK(reason_of(outer_and_inner, contiguous({64, 400, 4})) == stage_reason::short_axis);
  CHECK(reason_of(outer_and_inner, contiguous({64, 400, 32})) == stage_reason::results);
  CHECK(reason_of(outer_and_inner, contiguous({2, 40000, 4})) == stage_reason::results);
  layout apart = contiguous({64, 400, 8});
  apart.extents[1] = 200;
  apart.extents[2] = 4;
  apart.strides[1] = 16;
  CHECK(reason_of(outer_and_inner, apart) == stage_reason::results);
}

}  // namespace sinter::test
