// Preparation for ranges of extents: afterwards no call in the range compiles.
#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/schedule/size_classes.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/sinter.hpp>

#include "../support/cuda/fake_cuda.hpp"
#include "../support/sweep/sweep_layout.hpp"

using namespace sinter;
using test::contiguous;

namespace {

constexpr element_type f32 = element_type::float32;

std::size_t compiled() { return runtime::kernel_table_statistics().compiled; }

// A function and its row-major arrays, for any two extents.
struct family {
  std::string name;
  graph recorded;
  std::function<std::vector<test::layout>(std::int64_t rows, std::int64_t columns)> arrays;
};

// x(items…) + x(items…) and so on, of one array.
graph sum_of_views(element_type type, const std::vector<std::vector<view_item>>& views) {
  graph_builder builder;
  const graph_value x = builder.input(type, 2);
  graph_value total = builder.view(x, views[0]);
  for (std::size_t i = 1; i < views.size(); ++i)
    total = builder.apply(operation::add, {total, builder.view(x, views[i])});
  builder.output(total);
  return builder.recorded();
}

std::vector<family> families() {
  std::vector<family> all;
  const auto one = [](element_type type) {
    return [type](std::int64_t rows, std::int64_t columns) {
      return std::vector{contiguous({rows, columns}, type)};
    };
  };
  for (const element_type type :
       {element_type::boolean, element_type::bfloat16, f32, element_type::float64}) {
    const std::string name(facts_of(type).name);
    all.push_back({name + " pair", test::sum_of({{type, 2}, {type, 2}}), [type](auto rows, auto columns) {
                     return std::vector{contiguous({rows, columns}, type), contiguous({rows, columns}, type)};
                   }});
    all.push_back({name + " row", test::sum_of({{type, 2}, {type, 1}}), [type](auto rows, auto columns) {
                     return std::vector{contiguous({rows, columns}, type), contiguous({columns}, type)};
                   }});
    all.push_back({name + " column", test::sum_of({{type, 2}, {type, 2}}), [type](auto rows, auto columns) {
                     return std::vector{contiguous({rows, columns}, type), contiguous({rows, 1}, type)};
                   }});
    all.push_back({name + " outer", test::sum_of({{type, 2}, {type, 1}}), [type](auto rows, auto columns) {
                     return std::vector{contiguous({rows, 1}, type), contiguous({columns}, type)};
                   }});
    all.push_back({name + " turned", sum_of_views(type, {test::permutation({1, 0})}), one(type)});
  }
  using test::slice;
  const auto middle = slice(1, -1);
  all.push_back({"stencil",
                 sum_of_views(f32, {{slice(2, 1 << 30), middle},
                                    {slice(0, -2), middle},
                                    {middle, slice(2, 1 << 30)},
                                    {middle, slice(0, -2)},
                                    {middle, middle}}),
                 one(f32)});
  all.push_back(
      {"without the first four", sum_of_views(f32, {{test::all_of(), slice(4, 1 << 30)}}), one(f32)});
  all.push_back(
      {"without the last hundred", sum_of_views(f32, {{test::all_of(), slice(0, -100)}}), one(f32)});
  all.push_back({"every third", sum_of_views(f32, {{test::every(3), test::every(2)}}), one(f32)});
  return all;
}

using signatures = std::set<std::string>;
void add_signatures(const family& at, std::int64_t rows, std::int64_t columns, const target_facts& target,
                    signatures& to) {
  const lowered_call lowered = test::lower(at.recorded, at.arrays(rows, columns), target);
  for (std::size_t i = 0; i < lowered.stage_count; ++i)
    if (lowered.stages[i].tiles != 0) to.insert(lowered.stages[i].signature);
}

// Whether the representatives of both ranges yield every kernel that all their extents yield.
bool representatives_suffice(const family& at, extent_range rows, extent_range columns,
                             const target_facts& target) {
  signatures of_all, of_representatives;
  for (std::int64_t r = rows.low(); r <= rows.high(); ++r)
    for (std::int64_t c = columns.low(); c <= columns.high(); ++c) add_signatures(at, r, c, target, of_all);
  for (const std::int64_t r : representative_extents(at.recorded, {}, rows.low(), rows.high(), target))
    for (const std::int64_t c :
         representative_extents(at.recorded, {}, columns.low(), columns.high(), target))
      add_signatures(at, r, c, target, of_representatives);
  return of_all == of_representatives;
}

}  // namespace

TEST_CASE("representative extents meet every kernel of their range") {
  const std::pair<extent_range, extent_range> ranges[] = {{{1, 40}, {1, 300}},  {{1, 300}, {1, 40}},
                                                          {{20, 24}, {17, 90}}, {{60, 70}, {225, 260}},
                                                          {{3, 3}, {1, 2000}},  {{1000, 1003}, {500, 517}}};
  for (const family& at : families())
    for (const target_facts& target : {test::cuda_facts(), test::cpu_facts()})
      for (const auto& [rows, columns] : ranges) {
        INFO(at.name, ", target ", static_cast<int>(target.kind), ", rows ", rows.low(), " to ", rows.high(),
             ", columns ", columns.low(), " to ", columns.high());
        CHECK(representatives_suffice(at, rows, columns, target));
      }
}

TEST_CASE("representative extents are few, ascending, inside the range and at every threshold in it") {
  const graph recorded = test::sum_of({{f32, 1}, {f32, 1}});
  for (const auto& [low, high] : {std::pair<std::int64_t, std::int64_t>{0, 0},
                                  {1, 1},
                                  {5, 5},
                                  {0, 100},
                                  {1, 4096},
                                  {1, std::int64_t{1} << 40},
                                  {1000, INT64_MAX}}) {
    const std::vector<std::int64_t> made =
        representative_extents(recorded, {}, low, high, test::cuda_facts());
    REQUIRE_FALSE(made.empty());
    CHECK(made.front() == low);
    CHECK(made.back() <= high);
    CHECK(std::is_sorted(made.begin(), made.end()));
    CHECK(made.size() <= 48);
    for (const std::int64_t threshold : extent_thresholds())
      if (threshold >= low && threshold <= high)
        CHECK(std::find(made.begin(), made.end(), threshold) != made.end());
  }
}

TEST_CASE("after preparing for ranges no call in them compiles") {
  const device cpu = device::cpu();
  const auto shifted =
      fuse("prepare_ranges_shifted", [](auto x, auto y, auto a) { return a * x + y(newaxis, all()); });
  const extent_range rows(1, 90), columns(1, 400);
  const std::size_t before = compiled();
  shifted.prepare(described<float, 2>({rows, columns}, cpu), described<float, 1>({columns}, cpu), 2.5f);
  const std::size_t prepared = compiled();
  CHECK(prepared > before);
  CHECK(prepared - before <= 6);
  for (std::int64_t r = 1; r <= 90; r += 7)
    for (std::int64_t c = 1; c <= 400; c += 3) {
      const array<float, 2> x({r, c}, cpu);
      const array<float, 1> y({c}, cpu);
      shifted.prepare(x, y, 1.5f);
    }
  CHECK(compiled() == prepared);
  const array<float, 2> x = ones<float>({3, 5}, cpu);
  const array<float, 1> y = ones<float>({5}, cpu);
  CHECK(shifted(x, y, 2.0f).to_vector() == std::vector<float>(15, 3));
}

TEST_CASE("a description stands beside arrays, numbers and captures, and may have no range at all") {
  const device cpu = device::cpu();
  const array<float, 1> bias = ones<float>({64}, cpu);
  const float alpha = 3;
  const auto scaled = fuse("prepare_ranges_captured", [&](auto x) { return alpha * x + bias; });
  scaled.prepare(described<float, 2>({extent_range(1, 1000), 64}, cpu));
  const std::size_t prepared = compiled();
  CHECK(scaled(ones<float>({10, 64}, cpu)).to_vector() == std::vector<float>(640, 4));
  scaled.prepare(ones<float>({1000, 64}, cpu));
  scaled.prepare(ones<float>({1, 64}, cpu));
  CHECK(compiled() == prepared);
  const auto sum = fuse("prepare_ranges_fixed", [](auto x, auto y) { return x + y; });
  sum.prepare(described<double, 1>({100}, cpu), array<double, 1>({100}, cpu));
  CHECK(compiled() == prepared + 1);
  sum.prepare(array<double, 1>({100}, cpu), array<double, 1>({100}, cpu));
  CHECK(compiled() == prepared + 1);
}

TEST_CASE("ranges that vary apart are prepared wherever they go together") {
  const device cpu = device::cpu();
  const auto sum = fuse("prepare_ranges_apart", [](auto x, auto y) { return x + y; });
  sum.prepare(described<float, 2>({extent_range(1, 40), 8}, cpu),
              described<float, 2>({extent_range(1, 33), 8}, cpu));
  const std::size_t prepared = compiled();
  for (std::int64_t n = 1; n <= 33; ++n) {
    const array<float, 2> many({n, 8}, cpu), one({1, 8}, cpu);
    sum.prepare(many, many.copy());
    sum.prepare(many, one);
    sum.prepare(one, many);
  }
  CHECK(compiled() == prepared);
}

TEST_CASE("what no call can have is refused, and says what to write") {
  const auto sum = fuse("prepare_ranges_refused", [](auto x, auto y) { return x + y; });
  const device cpu = device::cpu();
  CHECK_THROWS_AS(extent_range(5, 4), shape_error);
  CHECK_THROWS_AS(extent_range(-1, 4), shape_error);
  const std::size_t before = compiled();
  CHECK_THROWS_AS(sum.prepare(described<float, 1>({extent_range(2, 9)}, cpu), described<float, 1>({30}, cpu)),
                  shape_error);
  CHECK(compiled() == before);
  const auto wide = [&] {
    return described<float, 3>({extent_range(1, 4096), extent_range(1, 4096), extent_range(1, 4096)}, cpu);
  };
  try {
    sum.prepare(wide(), wide());
    FAIL("nothing was thrown");
  } catch (const shape_error& thrown) {
    CHECK(std::string(thrown.what()).find("prepare_ranges_refused") != std::string::npos);
    CHECK(std::string(thrown.what()).find("one extent_range object") != std::string::npos);
  }
  CHECK(compiled() == before);
}

TEST_CASE("on CUDA what is prepared is also loaded") {
  if (runtime::nvrtc() == nullptr) return;
  fake_cuda fake;
  const device cuda = device::cuda(0);
  const auto doubled = fuse("prepare_ranges_loaded", [](auto x) { return x + x; });
  const extent_range rows(1, 4096);
  const std::size_t before = compiled();
  doubled.prepare(described<float, 2>({rows, 3}, cuda));
  const std::size_t made = compiled() - before;
  CHECK(made >= 1);
  CHECK(made <= 3);
  CHECK(fake.calls("cuLibraryLoadData") == static_cast<int>(made));
  CHECK(fake.calls("cuMemAllocFromPoolAsync") == 0);
  CHECK(fake.calls("cuLaunchKernel") == 0);
  for (const std::int64_t n : {1, 2, 5, 100, 341, 1000, 4096}) {
    const array<float, 2> x({n, 3}, cuda);
    const array<float, 2> y = doubled(x);
  }
  CHECK(compiled() - before == made);
  CHECK(fake.calls("cuLibraryLoadData") == static_cast<int>(made));
  CHECK(fake.calls("cuLaunchKernel") == 7);
}
