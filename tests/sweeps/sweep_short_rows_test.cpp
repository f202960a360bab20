// Reductions, scans and what meets the rows again, of every length that is short on some target, whose rows
// lie side by side, apart, backwards or across: beside the reference interpreter, and into results that lie
// so.

#include <doctest/doctest.h>

#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>

#include <array>

namespace sinter::test {
namespace {

/// What a row becomes: one number, as many as it has, or both.
graph rows_with(std::string_view what, element_type type) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(type, 2);
  const auto reduced = [&](operation op, bool keepdims = false) {
    return builder.reduce(op, x, 2, keepdims);
  };
  if (what == "sum") builder.output(reduced(operation::sum));
  if (what == "argmin") builder.output(reduced(operation::argmin));
  if (what == "cumsum") builder.output(builder.scan(operation::cumsum, x, 1));
  if (what == "cumsum beside complex numbers") {
    const graph_value sums = builder.scan(operation::cumsum, x, 1);
    builder.output(sums);
    builder.output(builder.apply(operation::absolute,
                                 {builder.apply(operation::make_complex, {sums, builder.literal(0)})}));
  }
  if (what == "x where it is the largest")
    builder.output(builder.apply(
        operation::where,
        {builder.apply(operation::equal, {x, reduced(operation::max, true)}), x, builder.coordinate(x, 1)}));
  if (what == "bounds and elements above the least") {
    builder.output(reduced(operation::max));
    builder.output(builder.apply(operation::greater, {x, reduced(operation::min, true)}));
  }
  return builder.recorded();
}

constexpr std::array<std::string_view, 6> functions{
    "cumsum beside complex numbers",      "sum", "argmin", "cumsum", "x where it is the largest",
    "bounds and elements above the least"};
constexpr element_type types[] = {element_type::boolean, element_type::int8,    element_type::int64,
                                  element_type::float16, element_type::float32, element_type::float64};
constexpr placement placements[] = {placement::contiguous, placement::unaligned, placement::strided,
                                    placement::padded,     placement::backwards, placement::transposed};

/// Few are not 0, so that a half type represents each sum.
bits drawn_rows(element_type type, const shape& extents) {
  return whole_numbers(type, count_of(extents), static_cast<std::uint64_t>(extents[1]),
                       [](std::int64_t drawn) -> std::int64_t { return drawn % 4 == 0 ? drawn % 5 - 2 : 0; });
}

}  // namespace

TEST_CASE("short rows of every length are reduced, scanned and met again, however they lie") {
  sweep(std::size(functions) * std::size(types), [&](std::size_t i, failure_list& failures) {
    const std::string_view what = functions[i % std::size(functions)];
    const element_type type = types[i / std::size(functions)];
    const graph recorded = rows_with(what, type);
    for (const std::int64_t length : {2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 25, 32, 33, 48, 63, 64})
      for (const std::int64_t rows : {128, 195})  // strips that are whole, and one that is not
        for (const placement where : placements)
          for (const device on : sweep_devices()) {
            if (!on.is_cpu() && (rows != 195 || length % 8 > 1)) continue;  // they have no strips
            const shape extents{rows, length};
            check_against_reference(std::string(what) + " " + std::string(facts_of(type).name) + " of " +
                                        text_of(extents) + " " + std::string(to_string(where)),
                                    recorded, {drawn_rows(type, extents)}, {extents}, where, on, {},
                                    failures);
          }
  });
}

TEST_CASE("scans of short rows write their own elements alone, however results lie") {
  failure_list failures;
  for (const element_type type : {element_type::int8, element_type::float32, element_type::float64}) {
    const graph recorded = rows_with("cumsum", type);
    const runtime::function_handle called = runtime::intern(recorded);
    for (const std::int64_t length : {2, 3, 4, 5, 6, 7, 8, 11, 16, 31, 40})
      for (const placement where : placements)
        for (const device on : sweep_devices()) {
          const shape extents{195, length};
          std::vector<placed_array> arrays;
          arrays.emplace_back(type, drawn_rows(type, extents), extents, placement::contiguous, on);
          bool untouched = true;
          const std::string name = on.to_string() + " " + std::string(facts_of(type).name) + " of " +
                                   text_of(extents) + " " + std::string(to_string(where));
          if (run_into(called, arrays, {}, on, extents, where, untouched) != run(called, arrays, {}, on))
            failures.add(name, "other elements where results lie so");
          if (!untouched) failures.add(name, "wrote between its results");
        }
  }
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace sinter::test
