// Calls that the CPU's compiler inserts. Kernels are linked without a C library: the functions that Clang
// calls for comparisons of half types, for wide copies and for missing instructions must exist, at every
// processor level.

#include <doctest/doctest.h>

#include "../clang/cpu_compiler_fixture.hpp"
#include "../support/sweep/sweep.hpp"

#include <cmath>
#include <limits>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/codegen/target/cpu_levels.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/runtime/compile/compile.hpp>

namespace sinter::test {
namespace {

/// Operations of a half type on an array, and on an array and a literal; selections by a comparison with one,
/// which compilers turn into maxima.
graph with_literals(const operation_group& group) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(group.type, 1), y = builder.input(group.type, 1);
  const graph_value m = builder.input(element_type::boolean, 1);
  const graph_value bound = builder.literal(group.type, 0);
  for (const operation op : group.operations) {
    const std::array<graph_value, 3> with_bound{x, bound, y}, of_where{m, x, bound};
    const auto operands = std::span(op == operation::where ? of_where : with_bound).first(facts_of(op).arity);
    builder.output(builder.apply(op, operands));
  }
  for (const operation op : {operation::greater, operation::less, operation::greater_equal})
    for (const bool turned : {false, true}) {
      const graph_value chosen = builder.apply(op, {x, bound});
      builder.output(turned ? builder.apply(operation::where, {chosen, bound, x})
                            : builder.apply(operation::where, {chosen, x, bound}));
    }
  return builder.recorded();
}

}  // namespace

TEST_CASE("every operation on half types links at every level of processors, however its operands lie") {
  std::vector<operation_group> groups;
  for (const element_type type : {element_type::float16, element_type::bfloat16})
    for (operation_group& group : groups_of(type, 8)) groups.push_back(std::move(group));
  const std::vector<std::pair<std::string, layout>> layouts{{"contiguous", contiguous({1000})},
                                                            {"strided", strided({1000}, {3})},
                                                            {"one element", contiguous({1})}};
  const std::span<const cpu_level> levels = cpu_levels();
  failure_list failures;
  in_parallel(groups.size() * levels.size() * layouts.size(), failures, [&](std::size_t i) {
    const operation_group& group = groups[i % groups.size()];
    const auto& [how, lies] = layouts[i / groups.size() % layouts.size()];
    const cpu_level& level = levels[i / groups.size() / layouts.size()];
    const graph recorded = simplify(with_literals(group));
    std::vector<layout> arrays(recorded.inputs.size(), lies);
    for (std::size_t a = 0; a < arrays.size(); ++a) arrays[a].type = recorded.inputs[a].type;
    target_facts target = cpu_facts();
    target.vector_bytes = level.vector_bytes;
    const lowered_call lowered = lower(recorded, arrays, target);
    try {
      runtime::compile_kernel(emit(lowered.stages[0]), target, runtime::compile_effort::optimised,
                              level.name);
    } catch (const std::exception& failure) {
      failures.add(std::string(level.name) + " " + how, std::string(facts_of(group.type).name) + " " +
                                                            std::string(facts_of(group.operations[0]).name) +
                                                            " …: " + failure.what());
    }
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

TEST_CASE("the compiler's own maxima and minima ignore NaN") {
  using cpu_compiler_test::compile, cpu_compiler_test::loaded;
  const cpu_compiler_test::compiled code = compile(
      "extern \"C\" float fmaxf(float, float); extern \"C\" float fminf(float, float);"
      "extern \"C\" double fmax(double, double); extern \"C\" double fmin(double, double);"
      "extern \"C\" float a(float x, float y) { return fmaxf(x, y); }"
      "extern \"C\" float b(float x, float y) { return fminf(x, y); }"
      "extern \"C\" double c(double x, double y) { return fmax(x, y); }"
      "extern \"C\" double d(double x, double y) { return fmin(x, y); }");
  REQUIRE_MESSAGE(code.status == SINTER_CPU_COMPILER_OK, code.log);
  const loaded kernel(code.object);
  const auto check = [&]<class T>(T, const char* largest, const char* least) {
    auto* most = kernel.get<T(T, T)>(largest);
    auto* fewest = kernel.get<T(T, T)>(least);
    const T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
    for (const T x : {T(0), T(1), T(-2), inf, -inf, nan})
      for (const T y : {T(0), T(1), T(-2), inf, -inf, nan}) {
        CHECK((most(x, y) == std::fmax(x, y) || (x != x && y != y && std::isnan(most(x, y)))));
        CHECK((fewest(x, y) == std::fmin(x, y) || (x != x && y != y && std::isnan(fewest(x, y)))));
      }
    CHECK(std::signbit(most(T(-0.0), T(0))) == false);
    CHECK(std::signbit(fewest(T(0), T(-0.0))) == true);
  };
  check(float{}, "a", "b");
  check(double{}, "c", "d");
}

}  // namespace sinter::test
