// Where the sums of a scan overflow, and where they round, its results depend on the order in which elements
// are combined. That is a function of graph, shape, layout, device model and mode (docs/guide.md).

#include <doctest/doctest.h>

#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <oneapi/tbb/task_arena.h>

#include <cmath>

namespace sinter::test {
namespace {

graph scanned(operation op, arithmetic_mode mode, std::size_t rank, unsigned axis) {
  graph_builder builder;
  builder.restart(mode);
  builder.output(builder.scan(op, builder.input(element_type::float32, static_cast<unsigned>(rank)), axis));
  return builder.recorded();
}

/// Elements of both signs whose sums overflow in some orders, and round in all.
bits overflowing(std::size_t count) {
  bits made(count);
  for (std::size_t i = 0; i < count; ++i) {
    const long double magnitude =
        i % 7 == 3 ? 3.0e38L : 1.0e30L * static_cast<long double>(1 + i * 7919 % 1009);
    made[i] = real_bits(element_type::float32, i / 3 % 2 == 0 ? magnitude : -magnitude);
  }
  return made;
}

}  // namespace

TEST_CASE("a scan that overflows has the same bits at every alignment, with every number of threads") {
  const std::vector<shape> shapes{{5},       {63},       {1000},     {40000},    {300000},
                                  {2000000}, {3, 70000}, {70000, 3}, {4000, 100}};
  bool overflows = false;
  failure_list failures;
  for (const shape& extents : shapes)
    for (unsigned axis = 0; axis < extents.size(); ++axis)
      for (const operation op : {operation::cumsum, operation::cumprod})
        for (const arithmetic_mode mode : {arithmetic_mode::standard, arithmetic_mode::strict}) {
          const graph recorded = scanned(op, mode, extents.size(), axis);
          const bits values = overflowing(count_of(extents));
          const std::string name =
              std::string(facts_of(op).name) + " of " + text_of(extents) + " along " + std::to_string(axis);
          for (const device on : sweep_devices()) {
            check_same_bits(name, recorded, values, extents, on, failures);
            std::vector<placed_array> arrays;
            arrays.emplace_back(element_type::float32, values, extents, placement::contiguous, on);
            const bits first = run(runtime::intern(recorded), arrays, {}, on).at(0);
            for (const std::uint64_t each : first)
              overflows = overflows || !std::isfinite(real_of(element_type::float32, each));
            for (const int threads : {1, 2, 3, 7}) {
              oneapi::tbb::task_arena arena(threads);
              arena.execute([&] {
                if (run(runtime::intern(recorded), arrays, {}, on).at(0) != first)
                  failures.add(on.to_string() + " " + name,
                               "other bits with " + std::to_string(threads) + " threads");
              });
            }
          }
        }
  CHECK(overflows);
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace sinter::test
