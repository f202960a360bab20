// What an operand's stride costs on the CPU: an operation on a strided operand beside the same on a
// contiguous one, for elements that stay in the second-level cache. One thread does the work, so that other
// processes matter little. Reports the minimum of many runs.

#include <fmt/format.h>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/call.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

using namespace sinter;

constexpr std::int64_t rows = 16, columns = 1000;

struct workload {
  const char* name;
  graph (*make)(element_type);
};

graph add(element_type type) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(type, 2);
  builder.output(builder.apply(operation::add, {x, x}));
  return builder.recorded();
}
graph square_root(element_type type) {
  graph_builder builder;
  builder.restart();
  builder.output(builder.apply(operation::sqrt, {builder.input(type, 2)}));
  return builder.recorded();
}
graph exponential(element_type type) {
  graph_builder builder;
  builder.restart();
  builder.output(builder.apply(operation::exp, {builder.input(type, 2)}));
  return builder.recorded();
}
template <operation Op, std::uint32_t Axes>
graph reduced(element_type type) {
  graph_builder builder;
  builder.restart();
  builder.output(builder.reduce(Op, builder.input(type, 2), Axes));
  return builder.recorded();
}
graph distances(element_type type) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(type, 2);
  builder.output(builder.apply(operation::subtract, {x, builder.reduce(operation::max, x, 2, true)}));
  return builder.recorded();
}

constexpr workload workloads[] = {{"x + x", add},
                                  {"sqrt(x)", square_root},
                                  {"exp(x)", exponential},
                                  {"sum(x, axis<1>)", reduced<operation::sum, 2>},
                                  {"max(x, axis<1>)", reduced<operation::max, 2>},
                                  {"argmax(x, axis<1>)", reduced<operation::argmax, 2>},
                                  {"sum(x, axis<0>)", reduced<operation::sum, 1>},
                                  {"x - max(x, axis<1>)", distances}};

/// Nanoseconds per element.
double measure(runtime::function_handle called, const runtime::operand& x,
               std::vector<runtime::result>& results) {
  double least = 1e9;
  for (int run = 0; run < 60; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 4; ++i) runtime::call(called, std::span(&x, 1), {}, {}, results, {});
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count() / (4.0 * rows * columns));
  }
  return least;
}

}  // namespace

int main() {
  constexpr std::int64_t strides[] = {1, -1, 2, -2, 3, 7};
  fmt::print("| operation | type |");
  for (const std::int64_t stride : strides) fmt::print(" {} |", stride);
  fmt::print("\n|---|---|---|---|---|---|---|---|\n");
  for (const workload& work : workloads)
    for (const element_type type : {element_type::float32, element_type::float64, element_type::float16,
                                    element_type::int8, element_type::int32}) {
      if (!is_floating(type) && (work.make == exponential || work.make == square_root)) continue;
      const runtime::function_handle called = runtime::intern(work.make(type));
      std::vector<runtime::result> results(1);
      fmt::print("| {} | {} |", work.name, facts_of(type).name);
      for (const std::int64_t stride : strides) {
        const std::int64_t step = std::abs(stride);
        std::vector<std::byte> memory(static_cast<std::size_t>(rows * columns * step) * size_of(type),
                                      std::byte{0x3c});
        const std::int64_t extents[] = {rows, columns}, how_far[] = {columns * step, stride};
        runtime::operand x;
        x.data =
            memory.data() + (stride < 0 ? static_cast<std::size_t>((columns - 1) * step) * size_of(type) : 0);
        x.extents = extents;
        x.strides = how_far;
        x.type = type;
        x.rank = 2;
        fmt::print(" {:.3f} |", measure(called, x, results));
      }
      fmt::print("\n");
    }
}
