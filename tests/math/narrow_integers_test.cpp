// Integers of 8 and 16 bits: every result of every operation wraps to its type before it is widened. All
// values are tested, on every device, in the GPU simulator, and in NVRTC's output.

#include <doctest/doctest.h>

#include "../support/cuda/cuda_simulator.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/sweep/sweep.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>

namespace sinter::test {
namespace {

constexpr element_type narrow_types[] = {element_type::int8, element_type::uint8, element_type::int16,
                                         element_type::uint16};

/// Operations of one type whose results are narrow integers.
std::vector<operation> narrow_operations(element_type type) {
  std::vector<operation> made;
  for (const operation_group& group : groups_of(type, 1)) {
    graph_builder builder;
    builder.restart();
    const operation op = group.operations[0];
    if (op == operation::where) continue;
    const std::array<graph_value, 3> in{builder.input(type, 1), builder.input(type, 1),
                                        builder.input(type, 1)};
    const element_type result = builder.apply(op, std::span(in).first(facts_of(op).arity)).type.type;
    if (is_integer(result) && size_of(result) <= 2) made.push_back(op);
  }
  return made;
}

/// Uses of a narrow result: wider integers, a number, a comparison; and the same for its cast.
graph widened(operation op, element_type type) {
  graph_builder builder;
  builder.restart();
  const std::array<graph_value, 3> in{builder.input(type, 1), builder.input(type, 1), builder.input(type, 1)};
  const graph_value narrow = builder.apply(op, std::span(in).first(facts_of(op).arity));
  const graph_value again =
      builder.cast(builder.apply(operation::negative, {builder.cast(narrow, element_type::int32)}), type);
  for (const graph_value at : {narrow, again}) {
    builder.output(builder.cast(at, element_type::uint64));
    builder.output(builder.cast(at, element_type::int32));
    builder.output(builder.cast(at, element_type::float32));
    builder.output(builder.apply(operation::less, {at, builder.literal(at.type.type, 5)}));
  }
  return builder.recorded();
}

/// Every value as the first operand, with special and random values as the second.
std::vector<bits> all_values(element_type type, operation op) {
  const std::size_t values = std::size_t{1} << 8 * size_of(type);
  const bits corners{0xffff, 0x8000, 3};
  const std::size_t rounds = facts_of(op).arity == 1 ? 1 : size_of(type) == 1 ? values : corners.size();
  const bits random = random_values(type, values * rounds, 7);
  std::vector<bits> made(3);
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < values; ++i) {
      made[0].push_back(canonical_bits(type, i));
      made[1].push_back(size_of(type) == 1 ? canonical_bits(type, round)
                                           : canonical_bits(type, corners[round]));
      made[2].push_back(random[made[0].size() - 1]);
    }
  return made;
}

}  // namespace

TEST_CASE("results of 8 and 16 bits wrap before anything wider is made of them") {
  failure_list failures;
  for (const element_type type : narrow_types) {
    const std::vector<operation> operations = narrow_operations(type);
    in_parallel(operations.size(), failures, [&](std::size_t i) {
      const operation op = operations[i];
      const graph recorded = widened(op, type);
      const std::vector<bits> values = all_values(type, op);
      const shape extents{static_cast<std::int64_t>(values[0].size())};
      const std::vector<reference_array> expected =
          reference_of(recorded, values, extents, reference_precision::native);
      const auto compare = [&](const std::vector<bits>& made, const std::string& where) {
        for (std::size_t o = 0; o < made.size(); ++o) {
          const bits wanted = elements_of(expected[o]);
          for (std::size_t at = 0; at < wanted.size(); ++at)
            if (wanted[at] != made[o][at]) {
              failures.add(
                  std::string(facts_of(op).name) + " of " + std::string(facts_of(type).name) + " on " + where,
                  "result " + std::to_string(o) + " of " + element_text(type, values[0][at]) + ", " +
                      element_text(type, values[1][at]) + " is " +
                      element_text(expected[o].type, wanted[at]) + ", got " +
                      element_text(expected[o].type, made[o][at]));
              return;
            }
        }
      };
      for (const device on : sweep_devices()) {
        std::vector<placed_array> arrays;
        for (const bits& operand : values)
          arrays.emplace_back(type, operand, extents, placement::contiguous, on);
        compare(run(runtime::intern(recorded), arrays, {}, on), on.to_string());
        if (on.is_cuda()) continue;
        std::vector<runtime::operand> operands;
        for (const placed_array& array : arrays) operands.push_back(array.operand());
        compare(simulate(recorded, operands, {}), "a simulated GPU");
      }
    });
  }
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

// ptxas 13.0 leaves 32768 for both on -32768 if it widens the result.
TEST_CASE("no 16-bit negation or magnitude of a signed integer reaches the assembler") {
  if (nvrtc_is_missing()) return;
  failure_list failures;
  const std::vector<operation> operations = narrow_operations(element_type::int16);
  in_parallel(operations.size(), failures, [&](std::size_t i) {
    const graph recorded = widened(operations[i], element_type::int16);
    const target_facts target = cuda_facts();
    const layout array = contiguous({1 << 20}, element_type::int16);
    const lowered_call lowered = lower(recorded, {array, array, array}, target);
    const runtime::nvrtc_result made =
        runtime::compile_cuda(text_of(lowered.stages[0]), "narrow.cu", "sinter_kernel",
                              {.number = target.architecture, .code = runtime::cuda_code::ptx});
    for (const char* instruction : {"neg.s16", "abs.s16"})
      if (made.code.find(instruction) != std::string::npos)
        failures.add(instruction, std::string(facts_of(operations[i]).name));
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace sinter::test
