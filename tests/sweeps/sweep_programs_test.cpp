// Random programs: one fused call, compared with the reference interpreter and with one kernel per operation.

#include <doctest/doctest.h>

#include "../support/sweep/sweep.hpp"
#include "../support/sweep/sweep_program.hpp"

#include <sinter/codegen/types/scalar.hpp>

namespace sinter::test {
namespace {

void expect_equal(const random_program& program, const std::vector<bits>& expected,
                  const std::vector<bits>& actual, const std::string& kind, failure_list& failures) {
  for (std::size_t o = 0; o < expected.size(); ++o) {
    const element_type type = component_of(program.recorded.nodes[program.recorded.outputs[o]].type);
    if (expected[o].size() != actual[o].size()) {
      failures.add(kind,
                   "result " + std::to_string(o) + " has " + std::to_string(actual[o].size()) + " elements");
      continue;
    }
    for (std::size_t i = 0; i < actual[o].size(); ++i)
      if (!same_element(type, expected[o][i], actual[o][i])) {
        failures.add(kind, "result " + std::to_string(o) + ", element " + std::to_string(i) + " is " +
                               element_text(type, expected[o][i]) + ", got " +
                               element_text(type, actual[o][i]) + "\n" + to_string(program.recorded));
        return;
      }
  }
}

std::vector<bits> interpreted(const random_program& program) {
  std::vector<reference_array> inputs, results;
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    const element_type type = program.recorded.inputs[i].type;
    inputs.push_back(load_reference(type, program.extents[i], pack(type, program.values[i]).data()));
  }
  interpret(program.recorded, inputs, program.scalars, results, reference_precision::native);
  std::vector<bits> made;
  for (const reference_array& result : results) made.push_back(elements_of(result));
  return made;
}

void hold_against_interpreter(const program_options& base, std::uint64_t first, std::size_t count) {
  failure_list failures;
  in_parallel(count, failures, [&](std::size_t i) {
    program_options options = base;
    if (options.nodes == 0) options.nodes = 20 + (first + i) % 41;
    const random_program program = make_program(first + i, options);
    const std::vector<bits> expected = interpreted(program);
    const runtime::function_handle called = runtime::intern(program.recorded);
    for (const device on : sweep_devices())
      expect_equal(program, expected, run(called, place(program, on), program.scalars, on),
                   on.to_string() + " seed " + std::to_string(first + i), failures);
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

void hold_against_single_nodes(const program_options& base, std::uint64_t first, std::size_t count) {
  failure_list failures;
  in_parallel(count, failures, [&](std::size_t i) {
    program_options options = base;
    options.nodes = 20 + i % 20;
    const random_program program = make_program(first + i, options);
    for (const device on : sweep_devices())
      expect_equal(program, run_node_by_node(program, on),
                   run(runtime::intern(program.recorded), place(program, on), program.scalars, on),
                   on.to_string() + " seed " + std::to_string(first + i), failures);
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace

TEST_CASE("random strict programs are bit for bit what the interpreter makes of them") {
  hold_against_interpreter({.nodes = 0, .mode = arithmetic_mode::strict, .types = {}}, 1, 80);
}

TEST_CASE("random programs without fusible products are bit for bit what the interpreter makes of them") {
  hold_against_interpreter({.nodes = 0, .mode = arithmetic_mode::standard, .types = {}}, 1001, 50);
}

TEST_CASE("random programs that reduce are bit for bit what the interpreter makes of them") {
  hold_against_interpreter(
      {.nodes = 0, .mode = arithmetic_mode::strict, .types = {}, .reductions = true, .max_elements = 6000},
      3001, 70);
  hold_against_interpreter({.nodes = 14, .mode = arithmetic_mode::standard, .types = {}, .reductions = true},
                           4001, 40);
}

TEST_CASE("random programs that reduce few long rows are bit for bit what the interpreter makes of them") {
  // rows that are split into pieces, on both targets
  hold_against_interpreter({.nodes = 12,
                            .mode = arithmetic_mode::strict,
                            .types = {element_type::float32, element_type::int32, element_type::boolean},
                            .reductions = true,
                            .max_rows = 3,
                            .max_columns = 90000,
                            .max_elements = 400000},
                           5001, 24);
}

TEST_CASE("random programs that reduce are bit for bit the same one operation at a time") {
  hold_against_single_nodes({.mode = arithmetic_mode::strict, .types = {}, .reductions = true}, 6001, 25);
}

TEST_CASE("a random strict program with functions is bit for bit the same one operation at a time") {
  hold_against_single_nodes(
      {.mode = arithmetic_mode::strict,
       .rounded_functions = true,
       .types = {element_type::float32, element_type::int32, element_type::boolean, element_type::float16}},
      2001, 20);
}

}  // namespace sinter::test
