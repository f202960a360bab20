#pragma once
// Functions bound to their data, for the benchmarks and the tuner.

#include "../comparison.hpp"
#include "../random_data.hpp"
#include "workloads.hpp"

#include <sinter/sinter.hpp>

#include <algorithm>
#include <memory>
#include <tuple>

namespace sinter_bench {

using namespace sinter;

/// 2^exponent elements, or fewer where the settings shrink everything.
inline std::int64_t count_of(int exponent) {
  return std::int64_t{1} << std::max(0, exponent - current_settings().shrink);
}
/// The side of a square of 2^(2 exponent) elements, or fewer where the settings shrink everything.
inline std::int64_t side_of(int exponent) {
  return std::int64_t{1} << std::max(3, exponent - current_settings().shrink / 2);
}

template <class Array>
double bytes_of(const Array& elements) {
  return static_cast<double>(elements.size()) * sizeof(*elements.data());
}

/// Binds a function to its data, which lives as long as any of the closures.
template <class Function, class... Results, class... Operands>
workload_instance instance_of(Function function, std::tuple<Results...> results, Operands... operands) {
  struct data {
    Function function;
    std::tuple<Results...> results;
    std::tuple<Operands...> operands;
  };
  auto held = std::make_shared<data>(data{std::move(function), std::move(results), {std::move(operands)...}});
  // Calls `called`, the function or a variant of it, into the results.
  const auto call = [](data& of, const auto& called) {
    std::apply(
        [&](auto&... result) {
          std::apply([&](auto&... operand) { called.into(result...)(operand...); }, of.operands);
        },
        of.results);
  };

  workload_instance made;
  const auto sum_bytes = [](const auto&... elements) { return (0.0 + ... + bytes_of(elements)); };
  made.bytes = std::apply(sum_bytes, held->results) + std::apply(sum_bytes, held->operands);
  made.call = [held, call] { call(*held, held->function); };
  made.call_with = [held, call](const schedule& chosen) -> std::function<void()> {
    return [held, call, chosen] { call(*held, held->function.with(chosen)); };
  };
  made.tune = [held](const tune_options& how) {
    return std::apply(
        [&](auto&... result) {
          return std::apply(
              [&](auto&... operand) {
                return held->function.into(result...).tune(operand..., tune_options(how));
              },
              held->operands);
        },
        held->results);
  };
  made.source = [held] {
    return std::apply([&](auto&... operand) { return held->function.source(operand...); }, held->operands);
  };
  made.explain = [held] {
    return std::apply([&](auto&... operand) { return held->function.explain(operand...); }, held->operands);
  };
  made.poison = [held] {
    std::apply(
        [](auto&... result) {
          (sinter_bench::poison(result.data(), static_cast<std::size_t>(bytes_of(result)), result.device()),
           ...);
        },
        held->results);
  };
  made.is_poison_left = [held] {
    return std::apply(
        [](auto&... result) {
          return (sinter_bench::is_poison_left(result.data(), static_cast<std::size_t>(bytes_of(result)),
                                               sizeof(*result.data()), result.device()) ||
                  ...);
        },
        held->results);
  };
  return made;
}

}  // namespace sinter_bench
