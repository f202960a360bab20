// What shape-generic kernels compute, at every size and in every layout.

#include <doctest/doctest.h>

#include "../support/recorded.hpp"
#include "../support/shape_generic_cases.hpp"
#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>

#include <cmath>

namespace sinter::test {
namespace {

std::vector<bits> interpreted(const graph& recorded, const std::vector<bits>& values,
                              const std::vector<shape>& extents, std::span<const std::uint64_t> scalars) {
  std::vector<reference_array> inputs, results;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const element_type type = recorded.inputs[i].type;
    inputs.push_back(load_reference(type, extents[i], pack(type, values[i]).data()));
  }
  interpret(recorded, inputs, scalars, results, reference_precision::native);
  std::vector<bits> made;
  for (const reference_array& result : results) made.push_back(elements_of(result));
  return made;
}

/// Whether two elements are equal, or floating and approximately equal.
bool about_equal(element_type type, std::uint64_t a, std::uint64_t b, long double relative) {
  if (same_element(type, a, b)) return true;
  if (!is_floating(type)) return false;
  const long double left = load_reference(type, a).real, right = load_reference(type, b).real;
  return std::abs(left - right) <= relative * (std::abs(right) + 1);
}

void compare(const std::string& kind, const graph& recorded, const std::vector<bits>& expected,
             const std::vector<bits>& actual, long double relative, failure_list& failures) {
  for (std::size_t o = 0; o < expected.size(); ++o) {
    const element_type type = component_of(recorded.nodes[recorded.outputs[o]].type);
    if (expected[o].size() != actual[o].size()) {
      failures.add(kind, "result " + std::to_string(o) + " has " + std::to_string(actual[o].size()) +
                             " elements, not " + std::to_string(expected[o].size()));
      continue;
    }
    for (std::size_t i = 0; i < actual[o].size(); ++i)
      if (!about_equal(type, actual[o][i], expected[o][i], relative)) {
        failures.add(kind, "result " + std::to_string(o) + " element " + std::to_string(i) + " is " +
                               element_text(type, actual[o][i]) + ", not " +
                               element_text(type, expected[o][i]));
        break;
      }
  }
}

/// Runs the shape-generic kernels of a case on the CPU for arrays of these sizes and layouts.
void check_case(const general_case& at, std::int64_t rows, std::int64_t columns, std::size_t way,
                failure_list& failures) {
  constexpr placement places[] = {placement::contiguous, placement::unaligned, placement::strided,
                                  placement::padded,     placement::backwards, placement::transposed};
  const std::vector<shape> extents = at.shapes(rows, columns);
  std::vector<bits> values;
  std::vector<placed_array> arrays;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t rank = extents[i].size();
    values.push_back(whole_numbers(at.recorded.inputs[i].type, count_of(extents[i]), i + 1,
                                   [](std::int64_t drawn) { return drawn % 7 - 3; }));
    arrays.emplace_back(at.recorded.inputs[i].type, values[i], extents[i],
                        places[(way + i) % (rank < 2 ? 5 : 6)], device::cpu());
  }
  const std::string kind = at.name + " " + text_of({rows, columns});
  std::vector<bits> expected;
  try {
    expected = interpreted(at.recorded, values, extents, at.scalars);
  } catch (const shape_error&) {
    return;  // the maximum of no elements
  }
  compare(
      kind, at.recorded, expected,
      run(runtime::intern(at.recorded), arrays, at.scalars, device::cpu(), lowering_variant::shape_generic),
      2e-5L, failures);
}

}  // namespace

TEST_CASE("shape-generic kernels give what the interpreter gives, at every size and however arrays lie") {
  const std::vector<general_case> all = general_cases();
  sweep(all.size(), [&](std::size_t i, failure_list& failures) {
    std::size_t way = i;
    for (const std::int64_t rows : {0, 1, 2, 3, 4, 65})
      for (const std::int64_t columns : {0, 1, 2, 3, 4, 130})
        check_case(all[i], rows, columns, way++, failures);
    check_case(all[i], 2, 3001, way++, failures);
    check_case(all[i], 3001, 2, way, failures);
  });
}

TEST_CASE("one set of kernels serves every size of a function") {
  for (const general_case& at : general_cases()) {
    if (at.name != "softmax" && at.name != "stencil") continue;
    failure_list failures;
    check_case(at, 33, 65, 0, failures);
    const std::size_t before = runtime::kernel_table_statistics().compiled;
    for (const std::int64_t extent : {5, 128, 1024, 20000}) check_case(at, 7, extent, 2, failures);
    CHECK(runtime::kernel_table_statistics().compiled == before);
    CHECK_MESSAGE(failures.count() == 0, failures.text());
  }
}

TEST_CASE("the shape-generic kernels of random programs give what the interpreter gives") {
  sweep(36, [&](std::size_t i, failure_list& failures) {
    const random_program program = make_program(7001 + i, general_program(i % 2 == 0));
    const std::string kind = "seed " + std::to_string(7001 + i);
    compare(kind, program.recorded,
            interpreted(program.recorded, program.values, program.extents, program.scalars),
            run(runtime::intern(program.recorded), place(program, device::cpu()), program.scalars,
                device::cpu(), lowering_variant::shape_generic),
            0, failures);
  });
}

TEST_CASE("every reduction and scan of every type has right shape-generic kernels") {
  constexpr operation reductions[] = {operation::sum, operation::prod,   operation::max,   operation::min,
                                      operation::all, operation::argmax, operation::argmin};
  constexpr element_type types[] = {element_type::boolean, element_type::int8,    element_type::int64,
                                    element_type::uint32,  element_type::float16, element_type::float64};
  sweep(std::size(types), [&](std::size_t t, failure_list& failures) {
    const element_type type = types[t];
    const auto add = [&](const std::string& name, graph_builder& builder) {
      const general_case made{name + " of " + std::string(facts_of(type).name), builder.recorded(),
                              one_matrix};
      std::size_t way = 0;
      for (const auto& [rows, columns] :
           {std::pair(0, 3), std::pair(3, 0), std::pair(1, 1), std::pair(5, 37)})
        check_case(made, rows, columns, way++, failures);
    };
    for (const operation op : reductions) {
      graph_builder builder;
      builder.restart();
      builder.output(builder.reduce(op, builder.input(type, 2), 2u));
      add(std::string(facts_of(op).name), builder);
    }
    graph_builder builder;
    builder.restart();
    builder.output(builder.scan(operation::cumsum, builder.input(type, 2), 1));
    add("cumsum", builder);
  });
}

TEST_CASE("a result of shape-generic kernels may be one of its operands") {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::float32, 1), y = builder.input(element_type::float32, 1);
  builder.output(builder.apply(operation::add, {x, builder.apply(operation::multiply, {y, y})}));
  const runtime::function_handle called = runtime::intern(builder.recorded());
  std::vector<float> memory(301);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i % 9);
  const std::int64_t extent = 300, stride = 1;
  const auto from = [&](std::size_t first) {
    return runtime::operand{.data = &memory[first],
                            .extents = &extent,
                            .strides = &stride,
                            .type = element_type::float32,
                            .rank = 1};
  };
  const std::vector<float> before = memory;
  runtime::call_options options;
  options.variant = lowering_variant::shape_generic;
  SUBCASE("the same elements") {
    const runtime::operand operands[] = {from(0), from(0)}, into[] = {from(0)};
    runtime::call(called, operands, {}, into, {}, options);
    for (std::size_t i = 0; i < 300; ++i) CHECK(memory[i] == before[i] + before[i] * before[i]);
  }
  SUBCASE("elements that overlap") {
    const runtime::operand operands[] = {from(0), from(1)}, into[] = {from(1)};
    runtime::call(called, operands, {}, into, {}, options);
    for (std::size_t i = 0; i < 300; ++i) CHECK(memory[i + 1] == before[i] + before[i + 1] * before[i + 1]);
  }
}

}  // namespace sinter::test
