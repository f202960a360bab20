// The passes that make stages, as lower() shows them: in which order they run, what each changes, and how
// stages are put off or split.

#include <doctest/doctest.h>

#include "../support/count_allocations.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/nest/nest_text.hpp>
#include <sinter/codegen/segment/planned_stage.hpp>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32;
constexpr std::int64_t million = 1 << 20;

graph negated(unsigned rank) {
  graph_builder b;
  b.output(b.apply(operation::negative, {b.input(f32, rank)}));
  return b.recorded();
}

graph sum_of_rows() {
  graph_builder b;
  b.output(b.reduce(operation::sum, b.input(f32, 2), 2u));
  return b.recorded();
}

/// The maximum of sums of rows: reductions along different axes.
graph largest_sum() {
  graph_builder b;
  b.output(b.reduce(operation::max, b.reduce(operation::sum, b.input(f32, 2), 2u), 1u));
  return b.recorded();
}

/// One line for each pass, with the stage's number, and a mark where the stage does not go on.
std::string passes_of(const graph& recorded, const shape& extents) {
  const layout x = contiguous(extents);
  const std::vector<array_layout> inputs{x.view(0)};
  const target_facts target = cuda_facts();
  std::string text;
  lowered_call lowered;
  lower({.recorded = recorded, .inputs = inputs, .target = target}, lowered, [&](const shown_pass& pass) {
    text += std::to_string(pass.stage) + " " + std::string(pass.name) + (pass.goes_on ? "\n" : " -\n");
  });
  return text;
}

/// What a pass leaves of the first stage that goes on after it.
std::string nest_after(std::string_view name, const graph& recorded, const layout& x) {
  const std::vector<array_layout> inputs{x.view(0)};
  const target_facts target = cuda_facts();
  std::string text;
  lowered_call lowered;
  lower({.recorded = recorded, .inputs = inputs, .target = target}, lowered, [&](const shown_pass& pass) {
    if (pass.name == name && pass.goes_on && text.empty()) text = to_string(pass.made.body);
  });
  return text;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

TEST_CASE("a stage that needs no other passes each pass once") {
  CHECK(passes_of(negated(1), {1000}) ==
        "0 build_nest\n0 normalise\n0 order_axes\n0 choose_schedule\n0 compute_ahead\n0 "
        "take_given_schedule\n0 split\n"
        "0 rank_candidates\n0 tile_columns\n0 choose_next_schedule\n0 choose_cache_hints\n0 "
        "take_tuned_schedule\n");
}

TEST_CASE("a nest is built with the axes of its result, and normalised to those that differ") {
  const layout cube = contiguous({3, 1, 5, 7});
  CHECK(first_line(nest_after("build_nest", negated(4), cube)) ==
        "nest, axes from the innermost: 7 kept, 5 kept, 1 kept, 3 kept");
  CHECK(first_line(nest_after("normalise", negated(4), cube)) == "nest, axes from the innermost: 105 kept");
  CHECK(nest_after("normalise", negated(4), cube) == nest_after("choose_cache_hints", negated(4), cube));
}

TEST_CASE("the tiled loop order exchanges axes before the schedule is chosen") {
  const layout x = strided({1024, 40, 1024}, {1, 1025 * 1024, 1024});
  CHECK(first_line(nest_after("normalise", negated(3), x)) ==
        "nest, axes from the innermost: 1024 kept, 40 kept, 1024 kept");
  CHECK(first_line(nest_after("order_axes", negated(3), x)) ==
        "nest, axes from the innermost: 1024 kept, 1024 kept, 40 kept");
}

TEST_CASE("a stage that a nest cannot hold is put off, and begins again after the one that comes first") {
  CHECK(passes_of(largest_sum(), {5000, 300}) ==
        "0 build_nest -\n"
        "0 build_nest\n0 normalise\n0 order_axes\n0 choose_schedule\n0 compute_ahead\n0 "
        "take_given_schedule\n0 split\n"
        "0 rank_candidates\n0 tile_columns\n0 choose_next_schedule\n0 choose_cache_hints\n0 "
        "take_tuned_schedule\n"
        "1 build_nest\n1 normalise\n1 order_axes\n1 choose_schedule\n1 compute_ahead\n1 "
        "take_given_schedule\n1 split\n"
        "1 rank_candidates\n1 tile_columns\n1 choose_next_schedule\n1 choose_cache_hints\n1 "
        "take_tuned_schedule\n");
}

TEST_CASE("the parts of a split stage take its place, without the passes that make a nest") {
  CHECK(
      passes_of(sum_of_rows(), {3, 4 * million}) ==
      "0 build_nest\n0 normalise\n0 order_axes\n0 choose_schedule\n0 compute_ahead\n0 "
      "take_given_schedule\n0 split -\n"
      "0 order_axes\n0 choose_schedule\n0 take_given_schedule\n0 split\n0 rank_candidates\n0 tile_columns\n0 "
      "choose_next_schedule\n0 "
      "choose_cache_hints\n0 take_tuned_schedule\n"
      "1 order_axes\n1 choose_schedule\n1 take_given_schedule\n1 split\n1 rank_candidates\n1 tile_columns\n1 "
      "choose_next_schedule\n1 "
      "choose_cache_hints\n1 take_tuned_schedule\n");
}

TEST_CASE("a layout of one stage that is lowered again allocates nothing") {
  struct row {
    graph recorded;
    shape extents;
  };
  for (const row& each : {row{negated(1), {1000}}, row{sum_of_rows(), {1000, 4096}}}) {
    const layout x = contiguous(each.extents);
    const std::vector<array_layout> inputs{x.view(0)};
    for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
      lowered_call lowered;
      const lowering_request asked{.recorded = each.recorded, .inputs = inputs, .target = target};
      for (int warm = 0; warm < 2; ++warm) lower(asked, lowered);
      const allocation_counter counter;
      lower(asked, lowered);
      CHECK(counter.count() == 0);
    }
  }
}

}  // namespace sinter::test
