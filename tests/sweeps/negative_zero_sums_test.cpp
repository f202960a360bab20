// The sign of a zero that is a sum (docs/guide.md): a sum starts at 0, so that it is never -0, and a scan
// starts with its first element, so that it is -0 as long as all elements are. Both hold for every length,
// layout and target; CUDA's texts are run by the simulator.

#include <doctest/doctest.h>

#include "../support/cuda/cuda_simulator.hpp"
#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/sinter.hpp>

#include <cmath>
#include <functional>
#include <numeric>

namespace sinter::test {
namespace {

constexpr element_type types[] = {element_type::float16, element_type::bfloat16, element_type::float32,
                                  element_type::float64};

std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> made(71);
  std::iota(made.begin(), made.end(), 0);
  made.insert(made.end(), {127, 128, 129, 1000, 4097, 70000, 300000});
  return made;
}

graph summed(operation op, element_type type, std::size_t rank, unsigned axis) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(type, static_cast<unsigned>(rank));
  builder.output(is_scan(op) ? builder.scan(op, x, axis) : builder.reduce(op, x, 1u << axis));
  return builder.recorded();
}

/// All -0; the element at `positive`, of each row or column, is 0.
bits zeros_of(element_type type, const shape& extents, unsigned axis, std::int64_t positive) {
  bits made(count_of(extents), real_bits(type, -0.0L));
  const std::int64_t after =
      std::accumulate(extents.begin() + axis + 1, extents.end(), std::int64_t{1}, std::multiplies<>{});
  for (std::size_t i = 0; i < made.size(); ++i)
    if (static_cast<std::int64_t>(i) / after % extents[axis] == positive) made[i] = real_bits(type, 0);
  return made;
}

/// Whether a result has the sign that the rule gives it.
bool is_signed_right(operation op, const shape& extents, unsigned axis, std::int64_t positive, std::size_t i,
                     long double result) {
  if (result != 0) return false;
  if (!is_scan(op)) return !std::signbit(result);
  const std::int64_t after =
      std::accumulate(extents.begin() + axis + 1, extents.end(), std::int64_t{1}, std::multiplies<>{});
  const bool all_negative = positive < 0 || static_cast<std::int64_t>(i) / after % extents[axis] < positive;
  return std::signbit(result) == all_negative;
}

void check(operation op, element_type type, const shape& extents, unsigned axis, failure_list& failures,
           bool simulated) {
  const graph recorded = summed(op, type, extents.size(), axis);
  for (const std::int64_t positive : {std::int64_t{-1}, extents[axis] / 2})
    for (const placement where :
         {placement::contiguous, placement::unaligned, placement::strided, placement::backwards}) {
      if (simulated && where != placement::contiguous) continue;
      for (const device on : simulated ? std::vector{device::cpu()} : sweep_devices()) {
        std::vector<placed_array> arrays;
        arrays.emplace_back(type, zeros_of(type, extents, axis, positive), extents, where, on);
        const bits made = simulated ? simulate(recorded, {arrays[0].operand()}, {}).at(0)
                                    : run(runtime::intern(recorded), arrays, {}, on).at(0);
        for (std::size_t i = 0; i < made.size(); ++i)
          if (!is_signed_right(op, extents, axis, positive, i, real_of(type, made[i]))) {
            failures.add(std::string(facts_of(op).name) + (simulated ? ", simulated" : ""),
                         std::string(facts_of(type).name) + " " + text_of(extents) + " along " +
                             std::to_string(axis) + " " + std::string(to_string(where)) + ", 0 at " +
                             std::to_string(positive) + ", result " + std::to_string(i) + ": " +
                             element_text(type, made[i]));
            break;
          }
      }
    }
}

}  // namespace

TEST_CASE("a sum is never -0, and a cumulative sum is -0 where all elements up to it are, for every length") {
  const std::vector<std::int64_t> all = lengths();
  sweep(all.size() * std::size(types), [&](std::size_t i, failure_list& failures) {
    const std::int64_t length = all[i / std::size(types)];
    const element_type type = types[i % std::size(types)];
    for (const operation op : {operation::sum, operation::cumsum}) {
      check(op, type, {length}, 0, failures, false);
      check(op, type, {3, length}, 1, failures, false);
      check(op, type, {length, 3}, 0, failures, false);
    }
  });
}

TEST_CASE("the signs of zeros are the same in CUDA's texts") {
  const std::vector<std::int64_t> some{1, 2, 3, 4, 5, 31, 33, 70, 1000, 20000, 70000};
  sweep(some.size(), [&](std::size_t i, failure_list& failures) {
    for (const operation op : {operation::sum, operation::cumsum})
      for (const element_type type : {element_type::float32, element_type::float16}) {
        check(op, type, {some[i]}, 0, failures, true);
        check(op, type, {some[i], 3}, 0, failures, true);
      }
  });
}

TEST_CASE("sums of a mask, of no axis and of rank 0, and means, start at 0, too") {
  const auto is_zero = [](const std::vector<float>& made) {
    for (const float each : made) CHECK((each == 0 && !std::signbit(each)));
  };
  for (const std::int64_t length : {1, 2, 3, 9, 100}) {
    CAPTURE(length);
    const auto x = full<float>({length}, -0.0f, device::cpu());
    const auto all_of = full<bool>({length}, true, device::cpu());
    const auto none_of = full<bool>({length}, false, device::cpu());
    for (const auto* mask : {&all_of, &none_of}) {
      is_zero(array<float, 0>(sum(x, only_where(*mask))).to_vector());
      is_zero(array<float, 0>(nansum(x, only_where(*mask))).to_vector());
    }
    is_zero(array<float, 0>(mean(x)).to_vector());
    is_zero(array<float, 0>(nansum(x)).to_vector());
    is_zero(array<float, 1>(sum(x, axis<>)).to_vector());
    is_zero(array<float, 1>(cumsum(x, only_where(none_of))).to_vector());
    is_zero(array<float, 0>(sum(x(0))).to_vector());
  }
}

}  // namespace sinter::test
