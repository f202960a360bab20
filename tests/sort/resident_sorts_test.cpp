// Rows that a block of a GPU sorts in its registers: which rows those are, and the text in the simulator
// beside the interpreter.

#include "../bodies/check_kernels.hpp"
#include "../support/loops_after.hpp"
#include "../support/needs.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/loops/verify/verify_loops.hpp>
#include <sinter/codegen/schedule/size_classes.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>
#include <sinter/codegen/target/sort_limits.hpp>
#include <sinter/dsl/order/compose_order.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace sinter::test {
namespace {

graph sorted_rows_of(element_type type, unsigned axis = 1) {
  return graph_of({{type, 2}}, [axis](graph_builder& builder, const values& given) -> values {
    const graph_value order = argsort(builder, given[0], axis);
    return {order, builder.gather(given[0], order, axis, index_rule::known, axis)};
  });
}

/// Few different numbers, so that many are equal: zeros of either sign, extremes, infinities and NaN.
bits with_ties(element_type type, std::size_t count) {
  constexpr long double inf = std::numeric_limits<long double>::infinity(),
                        nan = std::numeric_limits<long double>::quiet_NaN();
  constexpr std::array some{0.0L, -0.0L, 1.0L, -1.0L, 3.5L, inf, -inf, nan, -nan, 1e-7L, -2.25L};
  bits made;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t number = i * 7919 % 10007;
    if (is_floating(type)) {
      made.push_back(real_bits(type, some[number % some.size()]));
      continue;
    }
    const std::uint64_t all =
        size_of(type) == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size_of(type)) - 1;
    made.push_back(is_boolean(type) ? number & 1 : number % 11 * 0x9e3779b97f4a7c15u & all);
  }
  return made;
}

/// Every NaN as one: loads and stores of halves keep neither its sign nor its payload.
void make_nans_one(std::vector<bits>& results, const graph& recorded) {
  for (std::size_t k = 0; k < results.size(); ++k) {
    const element_type type = recorded.nodes[recorded.outputs[k]].type;
    for (std::uint64_t& each : results[k])
      if (is_floating(type) && std::isnan(real_of(type, each)))
        each = real_bits(type, std::numeric_limits<long double>::quiet_NaN());
  }
}

void check_on_gpu(const graph& recorded, element_type type, const shape& extents,
                  const schedule* forced = nullptr) {
  CAPTURE(facts_of(type).name);
  CAPTURE(text_of(extents));
  const bits elements = with_ties(type, count_of(extents));
  const placed_array placed(type, elements, extents, placement::contiguous, device::cpu());
  std::vector<bits> made = simulate(recorded, {placed.operand()}, {}, {.forced = forced}),
                    wanted = interpreted(recorded, {load_reference(type, extents, placed.operand().data)});
  for (std::vector<bits>* each : {&made, &wanted}) make_nans_one(*each, recorded);
  CHECK(made == wanted);
}

lowered_call lowered_for(const graph& recorded, element_type type, const shape& extents,
                         const target_facts& target) {
  layout of = contiguous(extents);
  of.type = type;
  return lower(recorded, {of}, target);
}

}  // namespace

TEST_SUITE("sorts in registers") {
  TEST_CASE(
      "rows that a block holds are sorted in the kernel that computes their keys and reads their positions") {
    for (const std::int64_t length : {2, 33, 1024, static_cast<int>(max_resident_sort)}) {
      CAPTURE(length);
      const lowered_call made = lowered_for(sorted_rows_of(f32), f32, {100, length}, cuda_facts());
      CHECK(made.stage_count == 1);
      CHECK(made.stages[0].sorts.key_bytes == 0);
      CHECK(made.stages[0].chosen.resident);
    }
  }

  TEST_CASE(
      "longer rows, rows of one element and rows of unknown length are sorted in memory, and all on the "
      "CPU") {
    const graph recorded = sorted_rows_of(f32);
    const auto sorts = [](const lowered_call& made) {
      return std::ranges::any_of(std::span(made.stages).first(made.stage_count),
                                 [](const stage& at) { return at.sorts.key_bytes != 0; });
    };
    CHECK(sorts(lowered_for(recorded, f32, {100, max_resident_sort + 1}, cuda_facts())));
    CHECK(sorts(lowered_for(recorded, f32, {100, 1}, cuda_facts())));
    CHECK(sorts(lower_general(recorded, {contiguous({100, 64})}, cuda_facts())));
    CHECK(sorts(lowered_for(recorded, f32, {100, 64}, cpu_facts())));
  }

  TEST_CASE("every length has the order of NumPy's stable sort") {
    for (const std::int64_t length : {2, 3, 4, 7, 8, 9, 31, 32, 33, 64, 100, 257, 512, 1000, 1024})
      check_on_gpu(sorted_rows_of(f32), f32, {5, length});
    for (const std::int64_t length : {1500, 2048, 5000, 8192})
      check_on_gpu(sorted_rows_of(f32), f32, {2, length});
  }

  TEST_CASE("keys of every width are sorted, in words of 32, 64 and 96 bits") {
    for (const element_type type : {element_type::boolean, element_type::int8, element_type::uint16,
                                    element_type::int32, element_type::uint64, element_type::int64,
                                    element_type::float16, element_type::bfloat16, element_type::float64})
      for (const std::int64_t length : {5, 70, 1024}) check_on_gpu(sorted_rows_of(type), type, {3, length});
    check_on_gpu(sorted_rows_of(element_type::float64), element_type::float64, {2, 4000});
  }

  TEST_CASE("rows along the first axis are sorted") {
    for (const std::int64_t length : {2, 40, 300}) check_on_gpu(sorted_rows_of(f32, 0), f32, {length, 6});
  }

  TEST_CASE("what follows a sort and what comes before it is in its kernel") {
    const graph recorded = graph_of({matrix}, [](graph_builder& builder, const values& given) -> values {
      const graph_value x = builder.apply(operation::multiply, {given[0], builder.literal(-2.0f)});
      const graph_value sorted = sort(builder, x, 1);
      const graph_value largest = builder.reduce(operation::max, sorted, 2, true);
      return {builder.apply(operation::minimum, {builder.scan(operation::cummax, sorted, 1), largest})};
    });
    const shape extents{6, 130};
    CHECK(lowered_for(recorded, f32, extents, cuda_facts()).stage_count == 1);
    check_on_gpu(recorded, f32, extents);
  }

  TEST_CASE("two sorts of a row share a kernel, and a third is stored first") {
    const auto sorts = [](unsigned count) {
      return graph_of({matrix}, [count](graph_builder& builder, const values& given) -> values {
        values made;
        for (unsigned i = 0; i < count; ++i)
          made.push_back(argsort(
              builder,
              builder.apply(operation::multiply, {given[0], builder.literal(i == 0 ? 1.0f : -float(i))}), 1));
        return made;
      });
    };
    CHECK(lowered_for(sorts(2), f32, {50, 200}, cuda_facts()).stage_count == 1);
    CHECK(lowered_for(sorts(3), f32, {50, 200}, cuda_facts()).stage_count > 1);
    for (const unsigned count : {2u, 3u}) check_on_gpu(sorts(count), f32, {5, 200});
  }

  TEST_CASE("the longest rows of each key, and two sorts after a spill, fit the shared memory of a block") {
    if (lacks_nvrtc()) return;
    const auto shared_bytes = [](const graph& recorded, element_type type, std::int64_t length,
                                 unsigned attempt) {
      layout of = contiguous({9, length});
      of.type = type;
      const lowered_call made = lower(recorded, {of}, cuda_facts(), {}, {}, nullptr, attempt);
      CHECK(made.stages[0].sorts.key_bytes == 0);
      const kernel_text text = emit(made.stages[0]);
      return runtime::compile_cuda(text.source, "kernel.cu", text.entry, {90, runtime::cuda_code::cubin})
          .resources.shared_bytes;
    };
    for (const element_type type : {f32, element_type::float64})
      for (const unsigned attempt : {0u, 1u}) {
        CAPTURE(facts_of(type).name);
        CAPTURE(attempt);
        CHECK(shared_bytes(sorted_rows_of(type), type, max_resident_sort, attempt) <= default_shared_bytes);
        const graph pair = graph_of({{type, 2}}, [](graph_builder& builder, const values& given) -> values {
          return {argsort(builder, given[0], 1),
                  argsort(builder, builder.apply(operation::negative, {given[0]}), 1)};
        });
        CHECK(shared_bytes(pair, type, max_resident_sort / 2, attempt) <= default_shared_bytes);
      }
  }

  TEST_CASE("medians and the largest elements read what a sort in registers stores") {
    const graph recorded = graph_of({matrix}, [](graph_builder& builder, const values& given) -> values {
      return {median(builder, given[0], 1), top_positions(builder, given[0], 1, 3)};
    });
    for (const std::int64_t length : {3, 9, 64}) check_on_gpu(recorded, f32, {20, length});
  }

  TEST_CASE("other schedules give the same, and what cannot sort is refused") {
    const graph recorded = sorted_rows_of(f32);
    const shape extents{7, 100};
    schedule at = lowered_for(recorded, f32, extents, cuda_facts()).stages[0].chosen;
    at.vector = 1;
    at.whole_rows = false;
    for (const auto& [threads, steps] : {std::pair{8, 16}, {16, 8}, {32, 4}, {64, 2}}) {
      at.threads_along = static_cast<std::uint16_t>(threads);
      at.threads_across = static_cast<std::uint16_t>(128 / threads);
      at.steps = static_cast<std::uint16_t>(steps);
      check_on_gpu(recorded, f32, extents, &at);
    }
    at.steps = 3;
    CHECK_THROWS_WITH_AS(lower(recorded, {contiguous(extents)}, cuda_facts(), {}, {}, &at),
                         doctest::Contains("a sorted row has a power of two of places"), type_error);
  }

  TEST_CASE("ranges that are prepared have the kernels of every length") {
    const graph recorded = sorted_rows_of(f32);
    const auto signatures_of = [&](std::int64_t length) {
      std::vector<std::string> made;
      const lowered_call lowered = lowered_for(recorded, f32, {1 << 16, length}, cuda_facts());
      for (std::size_t i = 0; i < lowered.stage_count; ++i) made.push_back(lowered.stages[i].signature);
      return made;
    };
    std::set<std::string> prepared;
    for (const std::int64_t length : representative_extents(recorded, {}, 2, 9000, cuda_facts(), {}))
      for (std::string& signature : signatures_of(length)) prepared.insert(std::move(signature));
    for (std::int64_t length = 2; length <= 9000; length += length < 300 ? 1 : 97)
      for (const std::string& signature : signatures_of(length)) CHECK(prepared.contains(signature));
  }

  TEST_CASE("after each pass the loops of a sort are right") {
    for (const std::int64_t length : {2, 33, 1024, 3000}) {
      const lowered_call made = lowered_for(sorted_rows_of(f32), f32, {10, length}, cuda_facts());
      const kernel_description kernel = read_signature(made.stages[0].signature).value();
      codegen::loop_tree tree;
      codegen::build_loops(kernel, tree, [&](std::string_view pass, const codegen::loop_tree& now) {
        CAPTURE(pass);
        CHECK(codegen::fault_of(kernel, now).empty());
      });
    }
  }
}

}  // namespace sinter::test
