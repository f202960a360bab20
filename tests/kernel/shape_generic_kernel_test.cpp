// The shape-generic variant: one set of kernels for all extents, strides and alignments of a function's
// arrays.

#include <doctest/doctest.h>

#include "../support/nvrtc_is_missing.hpp"
#include "../support/recorded.hpp"
#include "../support/sweep_program.hpp"
#include "../support/sweep_reference.hpp"

#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>

#include <cmath>
#include <functional>
#include <set>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32;

using shapes_of_sizes = std::function<std::vector<shape>(std::int64_t rows, std::int64_t columns)>;

struct general_case {
  std::string name;
  graph recorded;
  shapes_of_sizes shapes;
  std::vector<runtime::scalar> scalars = {};
};

std::vector<shape> matrix(std::int64_t rows, std::int64_t columns) { return {{rows, columns}}; }
std::vector<shape> two_matrices(std::int64_t rows, std::int64_t columns) {
  return {{rows, columns}, {rows, columns}};
}
std::vector<shape> row(std::int64_t, std::int64_t columns) { return {{columns}}; }

template <class... Arguments, class Body>
graph simplified(const Body& body) {
  return simplify(record<Arguments...>(body));
}

/// A reversed view, a transposed one, and elements at the end: bounds that depend on extents.
graph views_from_the_end() {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(f32, 2);
  const std::vector<view_item> backwards{every(-1), all_of()}, last{at_index(-1), all_of()};
  builder.output(builder.apply(operation::add, {builder.view(x, backwards), builder.view(x, last)}));
  return builder.recorded();
}

graph positions() {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(f32, 2);
  const graph_value place = builder.apply(
      operation::add, {builder.coordinate(x, 0),
                       builder.apply(operation::multiply, {builder.coordinate(x, 1), builder.extent(x, 0)})});
  builder.output(place);
  builder.output(builder.reduce(operation::sum, place, 2u));
  return builder.recorded();
}

/// A reduction over no axis is the identity.
graph reduced_along_nothing() {
  graph_builder builder;
  builder.restart();
  builder.output(builder.reduce(operation::sum, builder.input(f32, 2), 0));
  return builder.recorded();
}

graph complex_sums() {
  graph_builder builder;
  builder.restart();
  const graph_value z = builder.input(element_type::complex64, 2);
  builder.output(builder.reduce(operation::sum, builder.apply(operation::multiply, {z, z}), 2u));
  builder.output(builder.scan(operation::cumsum, z, 1));
  return builder.recorded();
}

std::vector<general_case> cases() {
  std::vector<general_case> made;
  made.push_back({"axpy",
                  simplified<float, floats<1>, floats<1>>([](auto a, auto x, auto y) { return a * x + y; }),
                  [](std::int64_t, std::int64_t columns) { return std::vector<shape>{{columns}, {columns}}; },
                  {0x40200000}});
  made.push_back(
      {"operands of one element or all",
       simplified<floats<2>, floats<2>, floats<1>>([](auto x, auto y, auto z) { return x * y + z; }),
       [](std::int64_t rows, std::int64_t columns) {
         return std::vector<shape>{{rows, columns}, {rows, 1}, {columns}};
       }});
  made.push_back(
      {"outer sum",
       simplified<floats<1>, floats<1>>([](auto x, auto y) { return x(all(), newaxis) + y(newaxis, all()); }),
       [](std::int64_t rows, std::int64_t columns) { return std::vector<shape>{{rows}, {columns}}; }});
  made.push_back({"stencil", simplified<floats<2>>([](auto u) {
                    const auto inner = sinter::slice(1, -1);
                    return u(inner, inner) +
                           0.5f * (u(sinter::slice(2, end), inner) + u(inner, sinter::slice(0, -2)));
                  }),
                  matrix});
  made.push_back({"stencil of stencils", simplified<floats<1>>([](auto u) {
                    const auto step = [](auto v) {
                      return v(sinter::slice(0, -2)) + v(sinter::slice(1, -1)) + v(sinter::slice(2, end));
                    };
                    return step(step(step(step(u))));
                  }),
                  row});
  made.push_back({"views from the end", views_from_the_end(), matrix});
  made.push_back({"positions", positions(), matrix});
  made.push_back({"reduced along nothing", reduced_along_nothing(), matrix});
  made.push_back({"sums of complex numbers", complex_sums(), matrix});
  made.push_back({"transposed",
                  simplified<floats<2>, floats<2>>([](auto x, auto y) { return transpose(x) - y; }),
                  [](std::int64_t rows, std::int64_t columns) {
                    return std::vector<shape>{{rows, columns}, {columns, rows}};
                  }});
  made.push_back({"sums of rows, columns and all", simplified<floats<2>>([](auto x) {
                    return std::tuple{sum(x * x, axis<1>), sum(x, axis<0>), sum(x),
                                      prod(x, axis<1>, keepdims)};
                  }),
                  matrix});
  made.push_back({"means of one element each or many",
                  simplified<floats<2>, floats<2>>([](auto x, auto y) { return mean(x + y, axis<1>); }),
                  [](std::int64_t rows, std::int64_t columns) {
                    return std::vector<shape>{{rows, columns}, {1, columns}};
                  }});
  made.push_back({"softmax", simplified<floats<2>>([](auto x) { return softmax(x, axis<1>); }), matrix});
  made.push_back({"centred by columns, then by all", simplified<floats<2>>([](auto x) {
                    const auto d = x - mean(x, axis<0>, keepdims);
                    return d - mean(d);
                  }),
                  matrix});
  made.push_back({"variances", simplified<floats<2>>([](auto x) { return var(x, axis<1>); }), matrix});
  made.push_back({"greatest and where it is", simplified<floats<2>>([](auto x) {
                    return std::tuple{argmax(x, axis<1>), argmin(x), max(x, axis<0>)};
                  }),
                  matrix});
  made.push_back({"scans along both axes", simplified<floats<2>>([](auto x) {
                    return std::tuple{cumsum(x, axis<1>), cumsum(x, axis<0>) + sum(x, axis<0>)};
                  }),
                  matrix});
  made.push_back(
      {"nearest of all points", simplified<floats<2>, floats<2>>([](auto x, auto y) {
         auto d = x(all(), newaxis, all()) - y(newaxis);
         return min(sum(d * d, axis<2>), axis<1>);
       }),
       [](std::int64_t rows, std::int64_t columns) { return std::vector<shape>{{rows, 3}, {columns, 3}}; }});
  made.push_back({"results of one array twice", simplified<floats<2>, floats<2>>([](auto x, auto y) {
                    return std::tuple{x + y, x * 2.0f};
                  }),
                  two_matrices});
  return made;
}

std::vector<std::string> signatures_of(const lowered_call& lowered) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < lowered.stage_count; ++i) found.push_back(lowered.stages[i].signature);
  return found;
}

/// Arrays of the same shapes in many layouts.
std::vector<std::vector<layout>> ways_to_lie(const graph& recorded, const std::vector<shape>& extents) {
  std::vector<std::vector<layout>> made(6);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const element_type type = recorded.inputs[i].type;
    const layout plain = contiguous(extents[i], type);
    made[0].push_back(plain);
    made[1].push_back(unaligned(plain));
    layout backwards = plain, apart = plain, repeated = plain;
    for (std::int64_t& stride : backwards.strides) stride = -stride;
    for (std::int64_t& stride : apart.strides) stride *= 3;
    for (std::int64_t& stride : repeated.strides) stride = 0;
    made[2].push_back(backwards);
    made[3].push_back(apart);
    made[4].push_back(repeated);
    made[5].push_back(extents[i].size() < 2 ? plain : transposed(extents[i], type));
  }
  return made;
}

lowered_call lower_same_arrays(const graph& recorded, const std::vector<layout>& inputs,
                               const target_facts& target, std::span<const std::uint64_t> scalars) {
  std::vector<array_layout> same = views(inputs);
  for (array_layout& at : same) at.identity = 0;
  lowered_call lowered;
  sinter::lower({.recorded = recorded,
                 .inputs = same,
                 .scalars = scalars,
                 .target = target,
                 .variant = lowering_variant::shape_generic},
                lowered);
  return lowered;
}

/// The call with results that are not contiguous.
lowered_call lower_into(const graph& recorded, const std::vector<layout>& inputs, const target_facts& target,
                        std::span<const std::uint64_t> scalars) {
  std::vector<result_layout> results;
  infer_results(recorded, views(inputs), scalars, results);
  std::vector<layout> outputs;
  for (const result_layout& at : results) {
    outputs.push_back(unaligned(contiguous(at.extents, at.type)));
    for (std::int64_t& stride : outputs.back().strides) stride *= -2;
  }
  return lower_general(recorded, inputs, target, outputs, scalars);
}

/// Adds to `found` the shape-generic signatures of a call for arrays of these shapes in all layouts; false if
/// no call has such shapes.
bool collect_signatures(const graph& recorded, const std::vector<shape>& extents,
                        std::span<const std::uint64_t> scalars, const target_facts& target,
                        std::set<std::vector<std::string>>& found) {
  try {
    for (const std::vector<layout>& arrays : ways_to_lie(recorded, extents)) {
      found.insert(signatures_of(lower_general(recorded, arrays, target, {}, scalars)));
      found.insert(signatures_of(lower_same_arrays(recorded, arrays, target, scalars)));
      found.insert(signatures_of(lower_into(recorded, arrays, target, scalars)));
    }
    return true;
  } catch (const shape_error&) {
    return false;
  }
}

const target_facts& facts_of(target_kind kind) {
  static const target_facts host = cpu_facts(), cuda = cuda_facts();
  return kind == target_kind::cpu ? host : cuda;
}
constexpr target_kind targets[] = {target_kind::cpu, target_kind::cuda};

/// The shapes of a program's inputs with other extents for its rows and columns; a broadcast input may get
/// all elements.
std::vector<shape> resized(const random_program& program, std::int64_t rows, std::int64_t columns,
                           bool whole) {
  std::vector<shape> made = program.extents;
  for (shape& extents : made) {
    if (extents.empty()) continue;
    const bool is_row = extents.size() == 1 || (extents.size() == 2 && extents[0] == 1);
    const bool is_column = extents.size() == 2 && extents[1] == 1;
    extents.back() = is_column && !whole ? 1 : columns;
    if (extents.size() > 1) extents[extents.size() - 2] = is_row && !whole ? 1 : rows;
  }
  return made;
}

program_options program_of(bool reductions) {
  program_options options;
  options.nodes = reductions ? 16 : 24;
  options.reductions = reductions;
  return options;
}

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

/// Runs the shape-generic variant of a case on the CPU for arrays of these sizes and layouts.
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

TEST_CASE("the general variant of a function has the same signatures for all arrays") {
  for (const general_case& at : cases())
    for (const target_kind target : targets) {
      std::set<std::vector<std::string>> found;
      std::size_t shapes = 0;
      for (const std::int64_t rows : {0, 1, 2, 3, 4, 33, 5000})
        for (const std::int64_t columns : {0, 1, 2, 3, 4, 130, 70000})
          shapes +=
              collect_signatures(at.recorded, at.shapes(rows, columns), at.scalars, facts_of(target), found);
      CHECK_MESSAGE(found.size() == 1, at.name, ": ", found.size());
      CHECK_MESSAGE(shapes >= 30, at.name, ": ", shapes);
    }
}

TEST_CASE("the general variants of random programs have the same signatures for all arrays") {
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const random_program program = make_program(seed, program_of(seed % 2 == 0));
    const graph recorded = simplify(program.recorded);
    for (const target_kind target : targets) {
      std::set<std::vector<std::string>> found;
      std::size_t shapes =
          collect_signatures(recorded, program.extents, program.scalars, facts_of(target), found);
      for (const std::int64_t rows : {1, 2, 3, 7, 40, 1000})
        for (const std::int64_t columns : {1, 2, 4, 9, 70, 3000})
          for (const bool whole : {false, true})
            shapes += collect_signatures(recorded, resized(program, rows, columns, whole), program.scalars,
                                         facts_of(target), found);
      CHECK_MESSAGE(found.size() == 1, seed, ": ", found.size(), "\n", to_string(recorded));
      compared += shapes;
    }
  }
  CHECK(compared > 2000);
}

TEST_CASE("equal signatures of general variants have byte-equal texts") {
  for (const general_case& at : cases())
    for (const target_kind target : targets) {
      const auto texts = [&](std::int64_t rows, std::int64_t columns, std::size_t way) {
        const std::vector<layout> arrays = ways_to_lie(at.recorded, at.shapes(rows, columns))[way];
        const lowered_call lowered = lower_general(at.recorded, arrays, facts_of(target), {}, at.scalars);
        std::string all;
        for (std::size_t i = 0; i < lowered.stage_count; ++i) all += text_of(lowered.stages[i]);
        return all;
      };
      const std::string first = texts(33, 130, 0);
      CHECK(texts(1, 1, 4) == first);
      CHECK(texts(5000, 2, 2) == first);
      CHECK(texts(2, 70000, 5) == first);
    }
}

TEST_CASE("general variants give what the interpreter gives, at every size and however arrays lie") {
  const std::vector<general_case> all = cases();
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
  for (const general_case& at : cases()) {
    if (at.name != "softmax" && at.name != "stencil") continue;
    failure_list failures;
    check_case(at, 33, 65, 0, failures);
    const std::size_t before = runtime::kernel_table_statistics().compiled;
    for (const std::int64_t extent : {5, 128, 1024, 20000}) check_case(at, 7, extent, 2, failures);
    CHECK(runtime::kernel_table_statistics().compiled == before);
    CHECK_MESSAGE(failures.count() == 0, failures.text());
  }
}

TEST_CASE("the general variants of random programs give what the interpreter gives") {
  sweep(36, [&](std::size_t i, failure_list& failures) {
    const random_program program = make_program(7001 + i, program_of(i % 2 == 0));
    const std::string kind = "seed " + std::to_string(7001 + i);
    compare(kind, program.recorded,
            interpreted(program.recorded, program.values, program.extents, program.scalars),
            run(runtime::intern(program.recorded), place(program, device::cpu()), program.scalars,
                device::cpu(), lowering_variant::shape_generic),
            0, failures);
  });
}

TEST_CASE("every reduction and scan of every type has a right general variant") {
  constexpr operation reductions[] = {operation::sum, operation::prod,   operation::max,   operation::min,
                                      operation::all, operation::argmax, operation::argmin};
  constexpr element_type types[] = {element_type::boolean, element_type::int8,    element_type::int64,
                                    element_type::uint32,  element_type::float16, element_type::float64};
  sweep(std::size(types), [&](std::size_t t, failure_list& failures) {
    const element_type type = types[t];
    const auto add = [&](const std::string& name, graph_builder& builder) {
      const general_case made{name + " of " + std::string(facts(type).name), builder.recorded(), matrix};
      std::size_t way = 0;
      for (const auto& [rows, columns] :
           {std::pair(0, 3), std::pair(3, 0), std::pair(1, 1), std::pair(5, 37)})
        check_case(made, rows, columns, way++, failures);
    };
    for (const operation op : reductions) {
      graph_builder builder;
      builder.restart();
      builder.output(builder.reduce(op, builder.input(type, 2), 2u));
      add(std::string(facts(op).name), builder);
    }
    graph_builder builder;
    builder.restart();
    builder.output(builder.scan(operation::cumsum, builder.input(type, 2), 1));
    add("cumsum", builder);
  });
}

TEST_CASE("a result of the general variant may be one of its operands") {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(f32, 1), y = builder.input(f32, 1);
  builder.output(builder.apply(operation::add, {x, builder.apply(operation::multiply, {y, y})}));
  const runtime::function_handle called = runtime::intern(builder.recorded());
  std::vector<float> memory(301);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i % 9);
  const std::int64_t extent = 300, stride = 1;
  const auto from = [&](std::size_t first) {
    return runtime::operand{
        .data = &memory[first], .extents = &extent, .strides = &stride, .type = f32, .rank = 1};
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

TEST_CASE("the texts of general variants compile for GPUs") {
  if (nvrtc_is_missing()) return;
  const auto compile_all = [](const std::string& name, const graph& recorded,
                              const std::vector<shape>& extents, std::span<const std::uint64_t> scalars,
                              failure_list& failures) {
    const target_facts& target = facts_of(target_kind::cuda);
    const lowered_call lowered =
        lower_general(recorded, ways_to_lie(recorded, extents)[0], target, {}, scalars);
    for (std::size_t i = 0; i < lowered.stage_count; ++i) {
      const kernel_text text = emit(lowered.stages[i]);
      const runtime::nvrtc_result made =
          runtime::compile_cuda(text.source, "kernel.cu", text.entry, {90, runtime::cuda_code::cubin});
      if (made.code.empty()) failures.add(name, "no code");
    }
  };
  const std::vector<general_case> all = cases();
  sweep(all.size() + 8, [&](std::size_t i, failure_list& failures) {
    if (i < all.size())
      return compile_all(all[i].name, all[i].recorded, all[i].shapes(5, 7), all[i].scalars, failures);
    const random_program program = make_program(i, program_of(i % 2 == 0));
    compile_all("seed " + std::to_string(i), simplify(program.recorded), program.extents, program.scalars,
                failures);
  });
}

TEST_CASE("the general variant takes no schedule of the caller's") {
  const auto doubled = fuse([](auto x) { return x * 2.0f; });
  const auto x = array<float, 1>::from(std::vector<float>{1, 2, 3}, {3}, device::cpu());
  CHECK_THROWS_AS(doubled.with(schedule{}).general()(x), type_error);
  CHECK(doubled.general()(x).to_vector() == std::vector<float>{2, 4, 6});
  CHECK(doubled.general().explain(x).find("variant: general") != std::string::npos);
  CHECK(doubled.explain(x).find("variant: general") == std::string::npos);
}

}  // namespace sinter::test
