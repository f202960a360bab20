// The schedules that tuning tries, and which of them keep the bits of reductions.
#include <doctest/doctest.h>

#include "../support/cuda/cuda_simulator.hpp"
#include "../support/drawn/random_kernels.hpp"
#include "../support/reduction_graphs.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/schedule/choose/check_schedule.hpp>
#include <sinter/codegen/schedule/tuning/combining_order.hpp>
#include <sinter/codegen/schedule/tuning/tuning_candidates.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace sinter::test {
namespace {

std::vector<schedule> legal_of(const stage& at, const std::vector<array_layout>& inputs,
                               const target_facts& target, bool may_change_bits = true) {
  return list_legal_schedules(at.body, at.chosen, inputs, {}, target, may_change_bits);
}

std::vector<layout> rows_of(element_type type) {
  layout made = contiguous({64, 4096});
  made.type = type;
  return {made};
}

/// Numbers whose sums depend on the order of additions.
array<float, 2> rough_numbers(const std::array<std::int64_t, 2>& extents) {
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < extents[0] * extents[1]; ++i)
    numbers.push_back(0.3f + static_cast<float>(i * 7919 % 1009) / 997.f);
  return array<float, 2>::from(numbers, extents, device::cpu());
}

}  // namespace

TEST_CASE(
    "every schedule that is tried can run, is another one, and comes once; fewer keep bits than may change "
    "them") {
  std::size_t all_of_gpu = 0, all_of_cpu = 0, keeping = 0;
  for (std::uint64_t seed = 1; seed < 120; ++seed) {
    const random_kernel kernel = make_kernel(seed, 16 + static_cast<unsigned>(seed % 10));
    const std::vector<array_layout> inputs = views(kernel.inputs);
    for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
      const lowered_call lowered = lower(kernel.recorded, kernel.inputs, target);
      for (std::size_t i = 0; i < lowered.stage_count; ++i) {
        const stage& at = lowered.stages[i];
        const std::vector<schedule> legal = legal_of(at, inputs, target);
        std::set<schedule> once;
        for (const schedule& each : legal) {
          INFO("seed ", seed, ": ", kernel.description, ", ", to_string(each));
          CHECK(each != at.chosen);
          CHECK(once.insert(each).second);
          CHECK(fault_of_schedule(each, at.body, inputs, {}, target) == nullptr);
        }
        const std::vector<schedule> kept = legal_of(at, inputs, target, false);
        for (const schedule& each : kept) {
          CHECK(once.contains(each));
          CHECK(combines_alike(at.body, at.chosen, each, target));
        }
        (is_gpu(target.kind) ? all_of_gpu : all_of_cpu) += legal.size();
        keeping += kept.size();
      }
    }
  }
  CHECK(all_of_gpu > 3000);
  CHECK(all_of_cpu > 300);
  CHECK(keeping < all_of_gpu + all_of_cpu);
}

TEST_CASE("data variations are legal, and change no kernel") {
  std::size_t of_gpu = 0, of_cpu = 0;
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    const random_kernel kernel = make_kernel(seed, 18);
    const std::vector<array_layout> inputs = views(kernel.inputs);
    for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
      const lowered_call lowered = lower(kernel.recorded, kernel.inputs, target);
      for (std::size_t i = 0; i < lowered.stage_count; ++i) {
        const stage& at = lowered.stages[i];
        for (const schedule& each : list_data_variations(at.chosen, at.body, inputs, {}, target)) {
          INFO("seed ", seed, ": ", kernel.description, ", ", to_string(each));
          CHECK(fault_of_schedule(each, at.body, inputs, {}, target) == nullptr);
          CHECK(each != at.chosen);
          schedule same = each;
          same.reads = at.chosen.reads;
          same.streaming = at.chosen.streaming;
          same.tasks = at.chosen.tasks;
          CHECK(same == at.chosen);
          std::vector<std::optional<schedule>> tuned(lowered.stage_count);
          tuned[i] = each;
          lowered_call again;
          lower({.recorded = kernel.recorded, .inputs = inputs, .target = target, .tuned = tuned}, again);
          REQUIRE(again.stage_count == lowered.stage_count);
          CHECK(again.stages[i].chosen == each);
          CHECK(again.stages[i].signature == at.signature);
          ++(is_gpu(target.kind) ? of_gpu : of_cpu);
        }
      }
    }
  }
  CHECK(of_gpu > 50);
  CHECK(of_cpu > 50);
}

TEST_CASE("sorting by promise loses no schedule, and brings every kind among the first") {
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    const random_kernel kernel = make_kernel(seed, 22);
    const lowered_call lowered = lower(kernel.recorded, kernel.inputs, cuda_facts());
    for (std::size_t i = 0; i < lowered.stage_count; ++i) {
      const stage& at = lowered.stages[i];
      std::vector<schedule> sorted = legal_of(at, views(kernel.inputs), cuda_facts());
      const std::vector<schedule> before = sorted;
      sort_by_promise(sorted, at.body, cuda_facts());
      std::set<std::tuple<loop_order, bool>> kinds, first_kinds;
      for (std::size_t k = 0; k < sorted.size(); ++k) {
        kinds.emplace(sorted[k].order, sorted[k].resident);
        if (k < 64) first_kinds.emplace(sorted[k].order, sorted[k].resident);
      }
      INFO("seed ", seed, ": ", kernel.description);
      CHECK(first_kinds == kinds);
      std::ranges::sort(sorted);
      CHECK(sorted == before);
    }
  }
}

TEST_CASE("extremes and integers combine alike under any schedule, sums of floats under few") {
  const auto kept_of = [&](operation op, element_type type, const target_facts& target) {
    const lowered_call lowered = lower(reduction_of(op, 2, type), rows_of(type), target);
    const stage& at = lowered.stages[0];
    return std::pair(legal_of(at, views(rows_of(type)), target, false).size(),
                     legal_of(at, views(rows_of(type)), target, true).size());
  };
  for (const target_facts& target : {cuda_facts(), cpu_facts()}) {
    for (const auto& [op, type] : {std::pair(operation::max, element_type::float32),
                                   std::pair(operation::argmin, element_type::float64),
                                   std::pair(operation::sum, element_type::int64)}) {
      const auto [kept, all] = kept_of(op, type, target);
      CHECK(kept == all);
      CHECK(all > 0);
    }
    const auto [kept, all] = kept_of(operation::sum, element_type::float32, target);
    CHECK(kept < all);
  }
}

TEST_CASE("schedules that combine alike give the same bits of sums, on a simulated GPU") {
  for (const std::uint32_t axes : {1u, 2u}) {
    const graph recorded = reduction_of(operation::sum, axes);
    const auto x = rough_numbers({96, 520});
    const std::vector<runtime::operand> operands{x.erased()};
    const std::vector<layout> inputs{contiguous({96, 520})};
    const stage at = lower(recorded, inputs, cuda_facts()).stages[0];
    std::vector<schedule> alike = legal_of(at, views(inputs), cuda_facts(), false);
    REQUIRE(!alike.empty());
    const std::vector<bits> wanted = simulate(recorded, operands, {}, {.forced = &at.chosen});
    // each is compiled: a few that lie apart
    const std::size_t step = std::max<std::size_t>(1, alike.size() / 6);
    for (std::size_t i = 0; i < alike.size(); i += step) {
      CAPTURE(to_string(alike[i]));
      CHECK(simulate(recorded, operands, {}, {.forced = &alike[i]}) == wanted);
    }
  }
}

}  // namespace sinter::test
