// The number of kernels of a reduction over all sizes, and that prepare() over a range of extents compiles
// every one of them.

#include <doctest/doctest.h>

#include "../support/cuda/fake_cuda.hpp"
#include "../support/needs.hpp"
#include "../support/reduction_graphs.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/schedule/size_classes.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>

namespace sinter::test {
namespace {

/// A reduction of one contiguous (rows, columns) array, and the maximum number of kernels over all its sizes.
struct reduction_family {
  std::string name;
  graph recorded;
  std::size_t max_on_cuda, max_on_cpu;
};

/// On CUDA there is a kernel for each doubling of the rows, with whole vectors and without, because threads
/// and loads are in the text; a few resident rows are shared by two, four or eight blocks. Staged rows, of 3
/// to 32 elements, have one for each length, and rows past 2^15 grow by quarters. Sums of columns double in
/// two directions. Two, three and four elements have one kernel each, without a loop.
/// On the CPU rows of up to 16 elements have one for each length where there are enough for strips, and few
/// short rows one of eight lanes. Strips of columns have 8, 16, 32 or 64 lanes.
std::vector<reduction_family> families() {
  return {{"softmax of rows", softmax_over(2), 260, 26},
          {"sums of rows", reduction_of(operation::sum, 2), 80, 19},
          {"sums of columns", reduction_of(operation::sum, 1), 124, 13},
          {"sum of everything", reduction_of(operation::sum, 3), 44, 4},
          {"positions in rows", reduction_of(operation::argmax, 2), 84, 22}};
}

using signatures = std::set<std::string>;

void add_signatures(const graph& recorded, std::int64_t rows, std::int64_t columns,
                    const target_facts& target, signatures& to) {
  const lowered_call lowered = lower(recorded, {contiguous({rows, columns})}, target);
  for (std::size_t i = 0; i < lowered.stage_count; ++i)
    if (lowered.stages[i].tiles != 0) to.insert(lowered.stages[i].signature);
}

/// Extents from 1 to 2^24: all small ones, all near powers of two and three times those, and others drawn
/// uniformly on a logarithmic scale.
std::vector<std::int64_t> swept_extents() {
  std::vector<std::int64_t> all;
  for (std::int64_t extent = 1; extent <= 300; ++extent) all.push_back(extent);
  for (std::int64_t power = 256; power <= 1 << 24; power *= 2)
    for (const std::int64_t near : {power, power / 2 * 3})
      for (std::int64_t apart = -4; apart <= 4; ++apart)
        if (near + apart <= 1 << 24) all.push_back(near + apart);
  std::mt19937_64 random(11);
  for (int i = 0; i < 700; ++i)
    all.push_back(
        static_cast<std::int64_t>(std::exp2(8 + 16 * static_cast<double>(random() >> 11) * 0x1p-53)));
  return all;
}

}  // namespace

TEST_CASE("a reduction has few kernels for all sizes of a layout") {
  const std::vector<std::int64_t> extents = swept_extents();
  for (const reduction_family& at : families())
    for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
      signatures found;
      for (const std::int64_t extent : extents)
        for (const std::int64_t other : {2, 3, 100, 263, 264, 1000, 4096, 100000, 1 << 24}) {
          if (extent < 2 || extent * other > std::int64_t{1} << 32) continue;
          add_signatures(at.recorded, extent, other, target, found);
          add_signatures(at.recorded, other, extent, target, found);
        }
      INFO(at.name, ", target ", static_cast<int>(target.kind), ": ", found.size());
      CHECK(found.size() <= (target.kind == target_kind::cuda ? at.max_on_cuda : at.max_on_cpu));
    }
}

TEST_CASE("representative extents meet every kernel of a reduction in their range") {
  struct range {
    std::int64_t low, high;
  };
  struct pair_of_ranges {
    range rows, columns;
  };
  const pair_of_ranges all[] = {
      {{1, 40}, {1, 300}},        {{1, 300}, {1, 40}},      {{60, 70}, {225, 260}},
      {{3, 3}, {1, 3000}},        {{1, 3000}, {5, 5}},      {{1000, 1000}, {1, 40000}},
      {{1, 40000}, {1000, 1000}}, {{1, 1}, {1, 1 << 24}},   {{1, 1 << 24}, {1, 1}},
      {{1, 1 << 24}, {12, 12}},   {{96, 96}, {1, 1 << 22}}, {{1, 100000}, {1, 100000}}};
  std::mt19937_64 random(3);
  for (const reduction_family& at : families())
    for (const target_facts& target : {cuda_facts(), cpu_facts()})
      for (const auto& [rows, columns] : all) {
        const auto extents_of = [&](const range& of, const range& other) {
          std::vector<std::int64_t> beside;
          if (other.low == other.high) beside.push_back(other.low);
          return representative_extents(at.recorded, {}, of.low, of.high, target, beside);
        };
        signatures prepared, missed;
        const auto row_extents = extents_of(rows, columns), column_extents = extents_of(columns, rows);
        CHECK(row_extents.size() * column_extents.size() <= 1 << 19);
        for (const std::int64_t r : row_extents)
          for (const std::int64_t c : column_extents) add_signatures(at.recorded, r, c, target, prepared);
        // all of a small range; of others a uniform sample on a logarithmic scale
        const auto drawn = [&](const range& of) {
          const double low = std::log2(static_cast<double>(of.low)),
                       high = std::log2(static_cast<double>(of.high));
          const double at_random = static_cast<double>(random() >> 11) * 0x1p-53;
          return std::clamp(static_cast<std::int64_t>(std::exp2(low + (high - low) * at_random)), of.low,
                            of.high);
        };
        const std::int64_t count = (rows.high - rows.low + 1) * (columns.high - columns.low + 1);
        std::string example;
        const auto meet = [&](std::int64_t r, std::int64_t c) {
          signatures met;
          add_signatures(at.recorded, r, c, target, met);
          for (const std::string& each : met)
            if (!prepared.contains(each) && missed.insert(each).second)
              example += std::to_string(r) + " x " + std::to_string(c) + "  ";
        };
        if (count <= 12000)
          for (std::int64_t r = rows.low; r <= rows.high; ++r)
            for (std::int64_t c = columns.low; c <= columns.high; ++c) meet(r, c);
        else
          for (int i = 0; i < 4000; ++i) meet(drawn(rows), drawn(columns));
        INFO(at.name, ", target ", static_cast<int>(target.kind), ", rows ", rows.low, " to ", rows.high,
             ", columns ", columns.low, " to ", columns.high, ", missed: ", example);
        CHECK(missed.empty());
      }
}

namespace {

std::size_t compiled() { return runtime::kernel_table_statistics().compiled; }

/// Prepares a function for ranges and then calls it with many extents in them; counts the kernels, and those
/// compiled by the calls, which must be none.
template <class Function>
std::pair<std::size_t, std::size_t> prepare_and_ask(const Function& function, extent_range rows,
                                                    extent_range columns, device on) {
  const std::size_t before = compiled();
  function.prepare(described<float, 2>({rows, columns}, on));
  const std::size_t prepared = compiled();
  std::mt19937_64 random(7);
  for (int i = 0; i < 600; ++i) {
    const auto drawn = [&](const extent_range& of) {
      const auto low = static_cast<double>(of.low()), high = static_cast<double>(of.high());
      const double logarithmic = low * std::pow(high / low, static_cast<double>(random() >> 11) * 0x1p-53);
      return std::clamp(static_cast<std::int64_t>(logarithmic), of.low(), of.high());
    };
    function.prepare(described<float, 2>({drawn(rows), drawn(columns)}, on));
  }
  return {prepared - before, compiled() - prepared};
}

const auto ask_softmax = [](auto x) { return softmax(x, axis<1>); };
const auto ask_rows = [](auto x) { return sum(x, axis<1>); };
const auto ask_columns = [](auto x) { return sum(x, axis<0>); };
const auto ask_everything = [](auto x) { return sum(x); };
const auto ask_scans = [](auto x) { return cumsum(x, axis<0>); };
const auto ask_positions = [](auto x) { return argmax(x, axis<1>); };

}  // namespace

TEST_CASE("after preparing a reduction for ranges no call in them compiles") {
  const device cpu = device::cpu();
  const auto expect_all = [&](const char* name, const auto& body, std::size_t most) {
    const auto [prepared, more] =
        prepare_and_ask(fuse(name, body), extent_range(1, 5000), extent_range(1, 1 << 20), cpu);
    CHECK(prepared >= 1);
    CHECK_MESSAGE(prepared <= most, name);
    CHECK(more == 0);
  };
  expect_all("classes_of_softmax", ask_softmax, 36);
  expect_all("classes_of_rows", ask_rows, 26);
  expect_all("classes_of_columns", ask_columns, 17);
  expect_all("classes_of_everything", ask_everything, 7);
  expect_all("classes_of_positions", ask_positions, 27);
  expect_all("classes_of_scanned_columns", ask_scans, 40);
}

TEST_CASE("on CUDA, too, no call compiles after preparing a reduction for ranges") {
  if (test::lacks_nvrtc()) return;
  const fake_cuda fake;
  const device cuda = device::cuda(0);
  const auto expect_few = [&](const char* name, const auto& body, extent_range rows, extent_range columns) {
    const auto [prepared, more] = prepare_and_ask(fuse(name, body), rows, columns, cuda);
    CHECK(prepared >= 1);
    CHECK(prepared <= 16);
    CHECK(more == 0);
  };
  expect_few("classes_of_softmax", ask_softmax, extent_range(1000, 1000000), extent_range(1000, 4096));
  expect_few("classes_of_rows", ask_rows, extent_range(5000, 1000000), extent_range(100, 4000));
  expect_few("classes_of_columns", ask_columns, extent_range(300, 5000), extent_range(4000, 20000));
}

}  // namespace sinter::test
