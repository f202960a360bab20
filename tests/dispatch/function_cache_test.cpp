// Functions and kernels are found by content, never by name, address or location.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/object_code.hpp>

#include "../support/host_array.hpp"

using namespace sinter;
using namespace sinter::runtime;

namespace {

graph recorded_literal(double value, arithmetic_mode mode = arithmetic_mode::standard,
                       const char* name = "") {
  graph_builder builder;
  builder.restart(mode);
  const auto x = builder.input(element_type::float64, 1);
  builder.output(
      builder.apply(operation::multiply, {x, builder.literal(element_type::float64, bits_of(value))}));
  builder.recorded().name = name;
  return builder.recorded();
}

double run(function_handle called, double value) {
  std::int64_t extent = 1, stride = 1;
  const operand input{&value, &extent, &stride, element_type::float64, 1, device::cpu()};
  result made;
  call(called, {&input, 1}, {}, {}, {&made, 1});
  return values_of<double>(made)[0];
}

}  // namespace

TEST_CASE("equal content is one function, unequal content another") {
  const function_handle first = intern(recorded_literal(0.1));
  CHECK(intern(recorded_literal(0.1)) == first);
  const double above = 0.1 + 0x1p-56;
  REQUIRE(above != 0.1);
  CHECK(intern(recorded_literal(above)) != first);
  CHECK(intern(recorded_literal(0.1, arithmetic_mode::strict)) != first);
  CHECK(intern(recorded_literal(0.1, arithmetic_mode::standard, "named")) != first);
  CHECK(recorded_graph(first).same_content(recorded_literal(0.1)));
}

TEST_CASE("literals that differ in the last bit are different kernels") {
  const double above = 0.1 + 0x1p-56;
  CHECK(run(intern(recorded_literal(0.1)), 1.0) == 0.1);
  CHECK(run(intern(recorded_literal(above)), 1.0) == above);
  CHECK(run(intern(recorded_literal(0.1)), 1.0) == 0.1);
}

TEST_CASE("the graph is read, not kept") {
  graph content = recorded_literal(7.0);
  const function_handle handle = intern(content);
  content.clear();
  CHECK(run(handle, 2.0) == 14.0);
}

TEST_CASE("functions recorded at different places share kernels and keep their own places") {
  const auto make = [](const std::source_location& where) {
    graph_builder builder;
    builder.restart();
    const auto x = builder.input(element_type::float64, 1);
    builder.output(builder.apply(operation::negative, {x}, where));
    builder.recorded().defined_at = where;
    builder.recorded().name = "function_cache_places";
    return intern(builder.recorded());
  };
  const auto here = std::source_location::current();
  const auto there = std::source_location::current();
  const function_handle first = make(here), second = make(there);
  CHECK(first != second);
  CHECK(make(here) == first);
  CHECK(recorded_graph(second).defined_at.line() == there.line());
  const std::size_t before = kernel_table_statistics().compiled;
  CHECK(run(first, 3.0) == -3.0);
  CHECK(run(second, 4.0) == -4.0);
  CHECK(kernel_table_statistics().compiled == before + 1);
}

TEST_CASE("many functions stay apart") {
  std::vector<function_handle> handles;
  for (int i = 0; i < 2000; ++i) handles.push_back(intern(recorded_literal(i)));
  for (int i = 0; i < 2000; ++i) REQUIRE(intern(recorded_literal(i)) == handles[static_cast<std::size_t>(i)]);
  CHECK(run(handles[1234], 2.0) == 2468.0);
}

TEST_CASE("a failed compile is told to all who wait, and the next who asks tries again") {
  int tries = 0;
  const auto refuse = [&]() -> made_kernel {
    ++tries;
    throw compile_error("refused", "text", "log");
  };
  CHECK_THROWS_AS(find_or_make_kernel("function_cache_refused", refuse), compile_error);
  CHECK_THROWS_AS(find_or_make_kernel("function_cache_refused", refuse), compile_error);
  CHECK(tries == 2);
  CHECK(find_kernel("function_cache_refused") == nullptr);
}
