// Reductions over all pairs of two arrays, whose elements have a short axis of their own: beside the
// reference interpreter, for each length of that axis, and into results that lie apart.

#include <doctest/doctest.h>

#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>

namespace sinter::test {
namespace {

/// The distances of all pairs, x[i, newaxis, :] to y[newaxis, j, :], as sums of squares or of absolute
/// values.
struct pairs {
  explicit pairs(element_type type) {
    builder.restart();
    x = builder.view(builder.input(type, 2), std::vector{all_of(), new_axis(), all_of()});
    y = builder.input(type, 2);
    apart = builder.apply(operation::subtract, {y, x});
  }
  graph_value distances(bool keepdims) {
    return builder.reduce(operation::sum, builder.apply(operation::multiply, {apart, apart}), 4, keepdims);
  }
  graph_builder builder;
  graph_value x, y, apart;
};

graph nearest(element_type type) {
  pairs all(type);
  const graph_value distances = all.distances(false);
  all.builder.output(all.builder.reduce(operation::argmin, distances, 2));
  all.builder.output(all.builder.reduce(operation::min, distances, 2));
  return all.builder.recorded();
}

/// Each coordinate is weighed by whether the pair is near: what the coordinates share.
graph near_sums(element_type type) {
  pairs all(type);
  const graph_value far =
      all.builder.apply(operation::minimum, {all.distances(true), all.builder.literal(3)});
  const graph_value weighed = all.builder.apply(operation::multiply, {all.apart, far});
  all.builder.output(all.builder.reduce(operation::sum, weighed, 2));
  all.builder.output(all.builder.reduce(operation::max, weighed, 2));
  return all.builder.recorded();
}

bits small_numbers(element_type type, const shape& extents, std::uint64_t seed) {
  return whole_numbers(type, count_of(extents), seed, [](std::int64_t drawn) { return drawn % 3; });
}

constexpr element_type types[] = {element_type::int8, element_type::int32, element_type::float32,
                                  element_type::float64};

}  // namespace

TEST_CASE("reductions over pairs agree with the reference for every length of the short axis") {
  sweep(std::size(types) * 2, [&](std::size_t i, failure_list& failures) {
    const element_type type = types[i / 2];
    const graph recorded = i % 2 == 0 ? nearest(type) : near_sums(type);
    for (const std::int64_t length : {1, 2, 3, 4, 5, 8, 16, 17})
      for (const shape& counts : {shape{70, 9}, shape{3, 40}, shape{130, 65}})
        for (const placement where :
             {placement::contiguous, placement::padded, placement::backwards, placement::transposed})
          for (const device on : sweep_devices()) {
            const shape x{counts[0], length}, y{counts[1], length};
            check_against_reference(std::string(i % 2 == 0 ? "nearest " : "near sums ") +
                                        std::string(facts_of(type).name) + " of " + text_of(x) + " and " +
                                        text_of(y) + " " + std::string(to_string(where)),
                                    recorded, {small_numbers(type, x, 1), small_numbers(type, y, 2)}, {x, y},
                                    where, on, {1e-6, 0}, failures);
          }
  });
}

TEST_CASE("sums of coordinates that are stored side by side may lie anywhere") {
  failure_list failures;
  pairs all(element_type::float32);
  const graph_value far =
      all.builder.apply(operation::minimum, {all.distances(true), all.builder.literal(3.f)});
  all.builder.output(
      all.builder.reduce(operation::sum, all.builder.apply(operation::multiply, {all.apart, far}), 2));
  const graph recorded = all.builder.recorded();
  const runtime::function_handle called = runtime::intern(recorded);
  for (const std::int64_t length : {2, 3, 4})
    for (const placement where : {placement::unaligned, placement::strided, placement::padded,
                                  placement::backwards, placement::transposed})
      for (const device on : sweep_devices()) {
        const shape x{130, length}, y{40, length};
        std::vector<placed_array> arrays;
        arrays.emplace_back(element_type::float32, small_numbers(element_type::float32, x, 1), x,
                            placement::contiguous, on);
        arrays.emplace_back(element_type::float32, small_numbers(element_type::float32, y, 2), y,
                            placement::contiguous, on);
        bool untouched = true;
        const std::string name = on.to_string() + " " + text_of(x) + " " + std::string(to_string(where));
        if (run_into(called, arrays, {}, on, x, where, untouched) != run(called, arrays, {}, on))
          failures.add(name, "other elements where results lie so");
        if (!untouched) failures.add(name, "wrote between its results");
      }
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace sinter::test
