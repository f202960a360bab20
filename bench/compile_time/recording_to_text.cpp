// What making the text of the benchmarks' functions costs: recording and simplifying a graph, lowering it for
// a target, and printing the text of each stage. No device is needed. Times are processor time of the thread.
//
//   sinter_recording_to_text [ROUNDS]
//
// prints for each function and target the least time of so many rounds (200 unless given) in microseconds,
// and at the end the sums.

#include "../workloads/benchmark_functions.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/dsl/detail/recorder.hpp>

#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string_view>
#include <vector>

namespace {

using namespace sinter;
using extents_list = std::vector<std::vector<std::int64_t>>;

struct measured {
  const char* name;
  std::function<graph()> record;
  extents_list extents;  ///< of its operands
};

template <class T, unsigned Rank>
using in = view<const T, Rank>;
using row = in<float, 1>;
using matrix = in<float, 2>;

template <class... Arguments, class Body>
measured function(const char* name, const Body& body, extents_list extents,
                  arithmetic_mode mode = arithmetic_mode::standard) {
  auto record = [name, &body, mode] {
    detail::call_site site;
    site.name = name;
    site.mode = mode;
    detail::frame recording(site, true);
    detail::record_declared<Body, Arguments...>(&body);
    return simplify(recording->steps.builder().recorded());
  };
  return {name, std::move(record), std::move(extents)};
}

std::vector<measured> all_functions() {
  namespace body = sinter_bench::body;
  constexpr std::int64_t all = 1 << 28, side = 1 << 14;
  const auto rows_of = [](std::int64_t length) { return std::vector{all / length, length}; };
  return {
      function<row, row>("axpy", body::axpy, {{all}, {all}}),
      function<matrix, in<bool, 1>>("where_inf", body::where_inf, {{1 << 26, 4}, {1 << 26}}),
      function<in<bfloat16, 1>>("gelu_bf16", body::gelu, {{all}}),
      function<row, row, row>("black_scholes", body::black_scholes, extents_list(3, {1 << 27})),
      function<row, row, row>("black_scholes_fast", body::black_scholes, extents_list(3, {1 << 27}),
                              arithmetic_mode::fast),
      function<row, row>("outer_add", body::outer_add, {{side}, {side}}),
      function<matrix, matrix>("add_transposed", body::add_transposed, {{side, side}, {side, side}}),
      function<matrix>("rgb_to_grey_strided", body::grey, {{1 << 26, 3}}),
      function<matrix>("heat_stencil", body::heat, {{side, side}}),
      function<row, row>("mse_full", body::mean_squared_error, {{all}, {all}}),
      function<matrix>("row_sum_64", body::sum_of_axis_1, {rows_of(64)}),
      function<matrix>("row_sum_8192", body::sum_of_axis_1, {rows_of(8192)}),
      function<matrix>("col_sum", body::sum_of_axis_0, {rows_of(1 << 12)}),
      function<in<float, 3>>("mid_sum", body::sum_of_axis_1, {{64, 1 << 12, 1 << 10}}),
      function<matrix>("argmax_rows", body::argmax_of_rows, {rows_of(1 << 12)}),
      function<matrix>("cumsum_rows", body::cumsum_of_rows, {rows_of(1 << 12)}),
      function<matrix>("var_rows", body::variances_of_rows, {rows_of(1 << 12)}),
      function<matrix>("softmax_256", body::softmax_of_rows, {rows_of(256)}),
      function<matrix>("softmax_4096", body::softmax_of_rows, {rows_of(4096)}),
      function<matrix>("softmax_65536", body::softmax_of_rows, {rows_of(65536)}),
      function<matrix, row, row>("layernorm_f32_4096", body::layer_norm<float>,
                                 {rows_of(4096), {4096}, {4096}}),
      function<in<float16, 2>, row, row>("layernorm_f16_4096", body::layer_norm<float16>,
                                         {rows_of(4096), {4096}, {4096}}),
      function<in<bfloat16, 2>, row>("rmsnorm_bf16", body::rms_norm, {rows_of(8192), {8192}}),
      function<row>("normalize_full", body::normalized, {{all}}),
      function<matrix, matrix>("pairwise_distance", body::pairwise_distance, {{side, 3}, {side, 3}}),
      function<matrix, matrix>("nearest_distance", body::nearest_distance, {{1 << 16, 3}, {1 << 16, 3}}),
  };
}

/// Facts that differ from their defaults, of an H200 and of a processor with registers of 64 bytes.
target_facts sample_target(target_kind kind) {
  target_facts made;
  made.kind = kind;
  made.vector_bytes = kind == target_kind::cuda ? 16 : 64;
  made.multiprocessors = kind == target_kind::cuda ? 132 : 16;
  if (kind != target_kind::cuda) return made;
  made.architecture = 90;
  made.shared_bytes_per_block = 227 * 1024;
  made.cluster_blocks = 16;
  made.cache_bytes = std::uint64_t{60} << 20;
  made.overlaps_launches = true;
  return made;
}

/// Operands that are contiguous.
struct operands {
  operands(const graph& recorded, const extents_list& extents) : extents_(extents) {
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      std::vector<std::int64_t> strides(extents_[i].size(), 1);
      for (std::size_t axis = strides.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * extents_[i][axis];
      strides_.push_back(strides);
    }
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      array_layout made;
      made.type = recorded.inputs[i].type;
      made.rank = recorded.inputs[i].rank;
      made.extents = extents_[i].data();
      made.strides = strides_[i].data();
      made.identity = static_cast<std::uint32_t>(i);
      layouts.push_back(made);
    }
  }
  std::vector<array_layout> layouts;

 private:
  extents_list extents_, strides_;
};

double now() {
  timespec at{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  return 1e6 * static_cast<double>(at.tv_sec) + 1e-3 * static_cast<double>(at.tv_nsec);
}

struct costs {
  std::array<double, 3> steps{1e9, 1e9, 1e9};  ///< least times of recording, lowering, printing
  double whole = 1e9;                          ///< least time of all three
  std::size_t stages = 0, bytes = 0;           ///< of text
};

costs measure(const measured& at, const target_facts& target, int rounds) {
  costs made;
  const operands given(at.record(), at.extents);
  lowered_call lowered;  // reused, as a thread's is
  for (int round = 0; round < rounds; ++round) {
    const double begin = now();
    const graph recorded = at.record();
    const double is_recorded = now();
    lower({.recorded = recorded, .inputs = given.layouts, .target = target}, lowered);
    const double is_lowered = now();
    made.stages = lowered.stage_count;
    made.bytes = 0;
    for (std::size_t i = 0; i < lowered.stage_count; ++i) made.bytes += emit(lowered.stages[i]).source.size();
    const double end = now();
    const std::array steps{is_recorded - begin, is_lowered - is_recorded, end - is_lowered};
    for (std::size_t i = 0; i < steps.size(); ++i) made.steps[i] = std::min(made.steps[i], steps[i]);
    made.whole = std::min(made.whole, end - begin);
  }
  return made;
}

}  // namespace

int main(int count, char** words) {
  const int rounds = count > 1 ? std::max(1, std::atoi(words[1])) : 200;
  const std::vector<measured> functions = all_functions();
  std::printf("%-4s %-20s %7s %7s %7s %8s %6s %7s\n", "", "function", "record", "lower", "text", "together",
              "stages", "bytes");
  for (const target_kind kind : {target_kind::cuda, target_kind::cpu}) {
    const std::string_view target = kind == target_kind::cuda ? "cuda" : "cpu";
    if (count > 2 && target != words[2]) continue;
    double sum = 0;
    for (const measured& at : functions) {
      if (count > 3 && std::string_view(at.name) != words[3]) continue;
      const costs made = measure(at, sample_target(kind), rounds);
      std::printf("%-4s %-20s %7.1f %7.1f %7.1f %8.1f %6zu %7zu\n", target.data(), at.name, made.steps[0],
                  made.steps[1], made.steps[2], made.whole, made.stages, made.bytes);
      sum += made.whole;
    }
    std::printf("%-4s %-20s %32.1f\n", target.data(), "all", sum);
  }
}
