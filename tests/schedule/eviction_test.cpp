// Cache hints for what a kernel reads, in the GPU's second-level cache: kernels with much traffic use them.

#include <doctest/doctest.h>

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/reduction_graphs.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/schedule/choose/eviction.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>

#include <algorithm>
#include <string>

namespace sinter::test {
namespace {

using runtime::compile_cuda;
using runtime::cuda_code;

constexpr element_type f32 = element_type::float32;
constexpr std::int64_t much = 1 << 20, little = 1 << 10;  ///< rows of 256 float32

graph scaled_by_row() {
  graph_builder builder;
  builder.restart();
  builder.output(builder.apply(operation::multiply, {builder.input(f32, 2), builder.input(f32, 1)}));
  return builder.recorded();
}

graph less_mean() {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(f32, 2);
  builder.output(builder.apply(operation::subtract, {x, builder.reduce(operation::sum, x, 2u, true)}));
  return builder.recorded();
}

eviction reads_of(const graph& recorded, const std::vector<layout>& arrays) {
  return lower(recorded, arrays, cuda_facts()).stages[0].chosen.reads;
}

/// The number of a text's loads from memory, and of those with a hint.
struct load_count {
  std::size_t all = 0, hinted = 0;
};
load_count loads_of(const graph& recorded, const std::vector<layout>& arrays, int architecture) {
  target_facts target = cuda_facts();
  target.architecture = architecture;
  const lowered_call lowered = lower(recorded, arrays, target);
  const kernel_text text = emit(lowered.stages[0]);
  const std::string ptx =
      compile_cuda(text.source, "loads.cu", text.entry, {architecture, cuda_code::ptx}).code;
  load_count found;
  for (const std::string_view load : {"ld.global", "cp.async.cg.shared.global"})
    for (std::size_t at = ptx.find(load); at != std::string::npos; at = ptx.find(load, at + 1)) {
      ++found.all;
      found.hinted += ptx.compare(at + load.size(), 15, ".L2::cache_hint") == 0;
    }
  return found;
}

}  // namespace

TEST_CASE(
    "what is read beside as many results goes last, what is only reduced first, of small arrays neither") {
  const std::vector<layout> matrix{contiguous({much, 256})}, small{contiguous({little, 256})};
  CHECK(reads_of(scaled_by_row(), {matrix[0], contiguous({256})}) == eviction::last);
  CHECK(reads_of(less_mean(), matrix) == eviction::last);
  CHECK(reads_of(reduction_of(operation::sum, 2), matrix) == eviction::first);
  CHECK(reads_of(reduction_of(operation::sum, 1), matrix) == eviction::first);
  CHECK(reads_of(reduction_of(operation::sum, 2), {contiguous({much * 16, 8})}) == eviction::normal);
  CHECK(reads_of(reduction_of(operation::sum, 2), {contiguous({much * 16, 64})}) == eviction::first);
  CHECK(reads_of(scaled_by_row(), {small[0], contiguous({256})}) == eviction::normal);
  CHECK(reads_of(less_mean(), small) == eviction::normal);
  CHECK(reads_of(reduction_of(operation::sum, 2), small) == eviction::normal);
}

TEST_CASE("rows that no chip keeps are read again, and go last") {
  target_facts small = cuda_facts();
  small.cluster_blocks = 1;
  const lowered_call lowered = lower(less_mean(), {contiguous({512, 1 << 20})}, small);
  CHECK_FALSE(lowered.stages[0].chosen.resident);
  CHECK(lowered.stages[0].chosen.reads == eviction::last);
}

TEST_CASE("the size of arrays changes no text: what the cache does is an argument") {
  const lowered_call large =
      lower(scaled_by_row(), {contiguous({much, 256}), contiguous({256})}, cuda_facts());
  const lowered_call small =
      lower(scaled_by_row(), {contiguous({much / 8, 256}), contiguous({256})}, cuda_facts());
  CHECK(large.stages[0].signature == small.stages[0].signature);
  CHECK(large.stages[0].chosen != small.stages[0].chosen);
}

TEST_CASE("what several elements read is never the first to go") {
  CHECK(access_property(eviction::first, true) != access_property(eviction::normal, true));
  CHECK(access_property(eviction::first, false) == access_property(eviction::normal, false));
  CHECK(access_property(eviction::last, false) == access_property(eviction::last, true));
}

TEST_CASE("pieces of a row are read once, windows and what is broadcast again") {
  const auto mentions = [](const graph& recorded, const std::vector<layout>& arrays, std::string_view what) {
    const lowered_call lowered = lower(recorded, arrays, cuda_facts());
    return text_of(lowered.stages[0]).find(what) != std::string::npos;
  };
  const graph all = reduction_of(operation::sum, 3);
  CHECK(lower(all, {contiguous({much, 256})}, cuda_facts()).stage_count == 2);
  CHECK(mentions(all, {contiguous({much, 256})}, "a.read_once"));
  CHECK_FALSE(mentions(all, {contiguous({much, 256})}, "a.read_again"));
  CHECK(mentions(scaled_by_row(), {contiguous({much, 256}), contiguous({256})}, "a.read_again"));
  graph_builder steps;
  steps.restart();
  const graph_value x = steps.input(f32, 1);
  const graph_value apart = steps.apply(
      operation::subtract,
      {steps.view(x, std::vector{slice(1, 1 << 28)}), steps.view(x, std::vector{slice(0, (1 << 28) - 1)})});
  steps.output(apart);
  CHECK_FALSE(mentions(steps.recorded(), {contiguous({1 << 28})}, "a.read_once"));
  CHECK(mentions(steps.recorded(), {contiguous({1 << 28})}, "a.read_again"));
}

TEST_CASE(
    "every load of every loop order carries the hint on compute capabilities 8 and 9, and none on later "
    "ones") {
  if (nvrtc_is_missing()) return;
  const layout matrix = contiguous({4096, 4096}), row = contiguous({4096});
  for (const auto& [recorded, arrays] : std::vector<std::pair<graph, std::vector<layout>>>{
           {scaled_by_row(), {matrix, row}},
           {scaled_by_row(), {transposed({4096, 4096}), row}},
           {scaled_by_row(), {contiguous({much, 3}), contiguous({3})}},
           {reduction_of(operation::sum, 2), {matrix}},
           {reduction_of(operation::sum, 1), {matrix}},
           {reduction_of(operation::argmax, 2), {matrix}},
           {less_mean(), {matrix}},
           {less_mean(), {contiguous({much, 7})}},
           {less_mean(), {contiguous({4096, 1 << 17})}}}) {
    const load_count known = loads_of(recorded, arrays, 90), unknown = loads_of(recorded, arrays, 120);
    CHECK(known.all > 0);
    CHECK(known.hinted == known.all);
    CHECK(unknown.all > 0);
    CHECK(unknown.hinted == 0);
  }
}

}  // namespace sinter::test
