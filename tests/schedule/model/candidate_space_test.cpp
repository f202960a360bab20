// The schedules that the cost model chooses among.

#include <doctest/doctest.h>

#include "../../support/drawn/random_kernels.hpp"
#include "../../support/reduction_graphs.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/schedule/choose/check_schedule.hpp>
#include <sinter/codegen/schedule/model/candidate_space.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

std::vector<schedule> candidates_of(const stage& at, const target_facts& target) {
  std::vector<schedule> made;
  list_candidates(at.body, at.chosen, target, made);
  return made;
}

}  // namespace

TEST_CASE("candidates can run: a nest refuses one for the alignment of its arrays alone") {
  std::size_t candidates = 0, refused = 0;
  for (std::uint64_t seed = 1; seed < 300; ++seed) {
    const random_kernel kernel = make_kernel(seed, 16 + static_cast<unsigned>(seed % 10));
    const lowered_call lowered = lower(kernel.recorded, kernel.inputs, cuda_facts());
    const std::vector<array_layout> inputs = views(kernel.inputs);
    for (std::size_t i = 0; i < lowered.stage_count; ++i) {
      const stage& at = lowered.stages[i];
      for (const schedule& each : candidates_of(at, cuda_facts())) {
        const schedule loading = with_loads(each, at.body, inputs, {});
        const char* fault = fault_of_schedule(loading, at.body, inputs, {}, cuda_facts());
        INFO("seed ", seed, ": ", kernel.description, ", ", to_string(loading), ": ",
             fault == nullptr ? "" : fault);
        CHECK((fault == nullptr || (each.vector > 1 && at.body.reduced == 0)));
        ++candidates;
        refused += fault != nullptr ? 1 : 0;
      }
    }
  }
  CHECK(candidates > 10'000);
  CHECK(refused < candidates / 4);
}

TEST_CASE("no candidate is listed twice, and the list is the same each time") {
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    const random_kernel kernel = make_kernel(seed, 22);
    const lowered_call lowered = lower(kernel.recorded, kernel.inputs, cuda_facts());
    for (std::size_t i = 0; i < lowered.stage_count; ++i) {
      const std::vector<schedule> all = candidates_of(lowered.stages[i], cuda_facts());
      CHECK(all == candidates_of(lowered.stages[i], cuda_facts()));
      for (std::size_t a = 0; a < all.size(); ++a) {
        INFO(kernel.description, ", ", to_string(all[a]));
        CHECK(std::find(all.begin() + static_cast<std::ptrdiff_t>(a) + 1, all.end(), all[a]) == all.end());
      }
    }
  }
}

TEST_CASE("elements of a thread are bounded by the weight of what is done with each") {
  graph_builder builder;
  graph_value x = builder.input(element_type::float32, 1);
  for (int i = 0; i < 200; ++i) x = builder.apply(operation::sin, {x});
  builder.output(x);
  const lowered_call lowered = lower(builder.recorded(), {contiguous({1 << 24})}, cuda_facts());
  for (const schedule& at : candidates_of(lowered.stages[0], cuda_facts()))
    CHECK(at.vector * at.steps * at.rows_per_thread == 1);
}

TEST_CASE("shape-generic kernels are not ranked") {
  const graph sum = sum_of({{element_type::float32, 2}, {element_type::float32, 2}});
  const std::vector<layout> arrays{contiguous({512, 512}), contiguous({512, 512})};
  CHECK(candidates_of(lower_general(sum, arrays, cuda_facts()).stages[0], cuda_facts()).empty());
  CHECK(!candidates_of(lower(sum, arrays, cuda_facts()).stages[0], cuda_facts()).empty());
}

namespace {

std::vector<schedule> candidates_of_rows(const graph& recorded, std::int64_t rows, std::int64_t length,
                                         const target_facts& target = cuda_facts()) {
  return candidates_of(lower(recorded, {contiguous({rows, length})}, target).stages[0], target);
}

std::size_t count_of(const std::vector<schedule>& all, bool (*is)(const schedule&)) {
  return static_cast<std::size_t>(std::ranges::count_if(all, is));
}
bool is_staged(const schedule& at) { return at.staged; }
bool is_cluster(const schedule& at) { return at.cluster > 1; }
bool is_in_shared_memory(const schedule& at) { return at.shared_steps > 0; }
bool is_loaded(const schedule& at) { return !at.resident; }

}  // namespace

TEST_CASE("short rows that several loops read can be staged, by several blocks and rows of a thread") {
  for (const std::int64_t length : {3, 5, 16, 32}) {
    const std::vector<schedule> all = candidates_of_rows(softmax_over(2), 100'000, length);
    INFO(length);
    CHECK(count_of(all, is_staged) >= 2);
    CHECK(count_of(all, is_loaded) > 0);
    for (const schedule& at : all) CHECK((!at.staged || (at.steps == length && at.threads_along == 1)));
  }
  CHECK(count_of(candidates_of_rows(softmax_over(2), 100'000, 33), is_staged) == 0);
  CHECK(count_of(candidates_of_rows(reduction_of(operation::sum, 2), 100'000, 5), is_staged) == 0);
}

TEST_CASE("long rows can lie in shared memory too, and in the blocks of clusters of every size") {
  for (const std::int64_t length : {20'000, 50'257, 100'000}) {
    const std::vector<schedule> all = candidates_of_rows(softmax_over(2), 1000, length);
    INFO(length);
    CHECK(count_of(all, is_in_shared_memory) > 10);
    CHECK(count_of(all, is_loaded) > 10);
    for (const int cluster : {2, 4, 8, 16})
      CHECK(std::ranges::any_of(all, [&](const schedule& at) { return at.cluster == cluster; }));
    for (const schedule& at : all) {
      const std::int64_t held =
          std::int64_t{at.cluster} * at.threads_along * at.vector * (at.steps + at.shared_steps);
      CHECK((!at.resident || held >= length));
    }
  }
}

TEST_CASE("a device without clusters and asynchronous copies has candidates of one block's registers alone") {
  target_facts old = cuda_facts();
  old.architecture = 75;
  old.cluster_blocks = 1;
  const std::vector<schedule> all = candidates_of_rows(softmax_over(2), 1000, 20'000, old);
  CHECK(!all.empty());
  CHECK(count_of(all, is_cluster) == 0);
  CHECK(count_of(all, is_in_shared_memory) == 0);
}

TEST_CASE("candidates of rows can run, each once, at every length and of every width") {
  std::size_t checked = 0;
  for (const element_type type : {element_type::float16, element_type::float32, element_type::float64})
    for (const graph& recorded : {softmax_over(2, type), reduction_of(operation::sum, 2, type)})
      for (const std::int64_t rows : {8, 1000})
        for (const std::int64_t length :
             {5, 16, 31, 100, 1025, 16'384, 20'001, 50'257, 65'536, 100'000, 1 << 20}) {
          const std::vector<layout> arrays{contiguous({rows, length}, type)};
          const std::vector<array_layout> inputs = views(arrays);
          const lowered_call lowered = lower(recorded, arrays, cuda_facts());
          for (std::size_t i = 0; i < lowered.stage_count; ++i) {
            const stage& at = lowered.stages[i];
            std::vector<schedule> all = candidates_of(at, cuda_facts());
            for (const schedule& each : all) {
              const schedule loading = with_loads(each, at.body, inputs, {});
              const char* fault = fault_of_schedule(loading, at.body, inputs, {}, cuda_facts());
              INFO(facts_of(type).name, " ", rows, " x ", length, ": ", to_string(each), ": ",
                   fault == nullptr ? "" : fault);
              CHECK(fault == nullptr);
              ++checked;
            }
            std::ranges::sort(all);
            CHECK(std::ranges::adjacent_find(all) == all.end());
          }
        }
  CHECK(checked > 10'000);
}

TEST_CASE("few rows that are read once can be shared by clusters, and many are not") {
  CHECK(count_of(candidates_of_rows(reduction_of(operation::sum, 2), 4, 1 << 17), is_cluster) > 10);
  CHECK(count_of(candidates_of_rows(reduction_of(operation::sum, 2), 4096, 1 << 17), is_cluster) == 0);
}

TEST_CASE("a nest that was proposed few lanes is not given more") {
  const graph sum = sum_of({{element_type::float32, 2}, {element_type::float32, 2}});
  const std::vector<layout> arrays{unaligned(contiguous({512, 511})), contiguous({512, 511})};
  const lowered_call lowered = lower(sum, arrays, cuda_facts());
  for (const schedule& at : candidates_of(lowered.stages[0], cuda_facts()))
    CHECK(at.vector <= lowered.stages[0].chosen.vector);
}

}  // namespace sinter::test
