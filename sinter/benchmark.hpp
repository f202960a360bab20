#pragma once
// Fused functions under Google Benchmark, with what bounds them beside their time. Needs the headers of
// Google Benchmark 1.6 or later, and its library.
//
//     const auto gelu = sinter::fuse("gelu", [](auto x) { return x * (1 + sinter::erf(x * 0.70710678)) / 2;
//     }); SINTER_BENCHMARK(gelu, sinter::full<float>({1 << 20}, 1.f)); BENCHMARK_MAIN();
//
// An iteration is one call that writes into results that exist: nothing is compiled or allocated for results
// while time is measured. The time is that of the work on the device: between CUDA events around a batch of
// calls on a GPU, the wall clock on the CPU. Beside it stand
//
// - `bytes_per_second`: the least traffic of the call's kernels (function_profile::bytes) in that time;
// - `of_copy`: the share of what a copy of large arrays moves on the device. Arrays that stay in a cache may
//   have more than 1;
// - `kernels`: launched by a call;
// - `compiles`: kernels that were compiled while time was measured: 0, unless something else compiles.
//
// Threads: as Google Benchmark's: registrations on one thread, before the benchmarks run.
// Throws: registrations std::bad_alloc, and what copying or evaluating an argument throws. A call that throws
// ends its benchmark with the exception's text (State::SkipWithError), and the others go on.
// After a failure: nothing is registered; the results of a benchmark that failed are dropped.

#if !__has_include(<benchmark/benchmark.h>)
#error "sinter/benchmark.hpp needs the headers of Google Benchmark, and there are none on the include path"
#endif

#include <sinter/runtime/roofline.hpp>
#include <sinter/sinter.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sinter::inline v0 {

namespace detail {

/// An argument that stays: a temporary array as it is, the copy of another array, an expression's elements in
/// an array; of everything else a copy, which may refer to memory of the caller's.
template <class Argument>
auto keep_argument(Argument&& argument) {
  using type = std::remove_cvref_t<Argument>;
  if constexpr (is_array<type> && std::is_lvalue_reference_v<Argument>)
    return argument.copy();
  else if constexpr (!is_array<type> && kind_of_operand<type> == operand_kind::lazy)
    return array(argument);
  else
    return type(std::forward<Argument>(argument));
}

template <class... Arguments>
auto keep_arguments(Arguments&&... arguments) {
  return std::tuple<decltype(keep_argument(std::forward<Arguments>(arguments)))...>(
      keep_argument(std::forward<Arguments>(arguments))...);
}

/// Times `call`, which has run before, and sets the counters.
template <class Call>
void time_calls(::benchmark::State& state, const Call& call) {
  const call_costs costs = costs_of(call);
  const double of_copy = copy_bytes_per_second(costs.where);
  stream_timer timer(costs.on());
  // Of a GPU's calls many are queued between two events, so that it does not wait for the host. A first trial
  // of one iteration shows how long a call takes; few fit where it is long.
  constexpr ::benchmark::IterationCount largest_batch = 64;
  const auto batch = std::clamp<::benchmark::IterationCount>(state.max_iterations, 1, largest_batch);
  const std::uint64_t compiled = compile_count();
  double seconds = 0;
  while (state.KeepRunningBatch(batch)) {
    timer.begin();
    for (::benchmark::IterationCount i = 0; i < batch; ++i) call();
    const double passed = timer.seconds();
    state.SetIterationTime(passed);
    seconds += passed;
  }
  using counter = ::benchmark::Counter;
  const auto moved = static_cast<double>(costs.bytes) * static_cast<double>(state.iterations());
  const double rate = seconds > 0 ? moved / seconds : 0;
  state.counters["bytes_per_second"] = counter(rate, counter::kDefaults, counter::kIs1000);
  state.counters["of_copy"] = counter(rate / of_copy);
  state.counters["kernels"] = counter(static_cast<double>(costs.kernels), counter::kAvgThreads);
  state.counters["compiles"] = counter(static_cast<double>(compile_count() - compiled), counter::kAvgThreads);
}

}  // namespace detail

/// Runs a function as the whole of a benchmark of one's own. Register that with ->UseManualTime(): only then
/// is its time that of the device, and of the CPU's other threads. A call with into(…) writes where it says;
/// results of others are made before the first iteration. Expressions among the arguments are part of the
/// kernel. Throws nothing of a call's: it ends the benchmark with the exception's text.
template <class Function, class... Arguments>
void run_benchmark(::benchmark::State& state, const Function& function, const Arguments&... arguments) {
  try {
    using made = decltype(function(arguments...));
    if constexpr (std::is_void_v<made>) {
      const auto call = [&] { function(arguments...); };
      call();
      detail::time_calls(state, call);
    } else {
      made results = function(arguments...);
      const auto call = [&] { function.into(results)(arguments...); };
      call();
      detail::time_calls(state, call);
    }
  } catch (const std::exception& failed) {
    state.SkipWithError(failed.what());
  }
}

/// Registers a benchmark of a function at run time; returns Google Benchmark's object, for further settings
/// (->Unit(benchmark::kMicrosecond)). The function and the arguments are kept until the process ends: an
/// array that is passed by std::move() as it is, another one as a copy. Expressions are evaluated now. What a
/// view refers to, streams and targets of into(…) must live until the benchmarks have run.
template <class Function, class... Arguments>
auto* register_benchmark(const std::string& name, Function&& function, Arguments&&... arguments) {
  using kept = decltype(detail::keep_arguments(std::forward<Arguments>(arguments)...));
  const auto shared =
      std::make_shared<const kept>(detail::keep_arguments(std::forward<Arguments>(arguments)...));
  const auto run = [shared, function = std::decay_t<Function>(std::forward<Function>(function))](
                       ::benchmark::State& state) {
    std::apply([&](const auto&... each) { run_benchmark(state, function, each...); }, *shared);
  };
  return ::benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime();
}

namespace detail {

/// `run` makes the arguments anew whenever the benchmark runs, so that their memory is there only then.
template <class Run>
auto* register_static(const char* name, const Run& run) {
  return ::benchmark::RegisterBenchmark(name,
                                        [run](::benchmark::State& state) {
                                          try {
                                            run(state);
                                          } catch (const std::exception& failed) {
                                            state.SkipWithError(failed.what());
                                          }
                                        })
      ->UseManualTime();
}

}  // namespace detail

#define SINTER_BENCHMARK_JOINED(a, b) a##b
#define SINTER_BENCHMARK_NAME(number) SINTER_BENCHMARK_JOINED(sinter_benchmark_, number)

/// Registers a benchmark named after a function with static lifetime, before main(): at namespace scope, as
/// BENCHMARK() of Google Benchmark. The arguments are evaluated when the benchmark runs. Settings may follow:
/// `SINTER_BENCHMARK(f, x)->Unit(benchmark::kMicrosecond);`.
#define SINTER_BENCHMARK(function, ...)                                                             \
  [[maybe_unused]] static const auto* const SINTER_BENCHMARK_NAME(__COUNTER__) =                    \
      ::sinter::detail::register_static(#function, [](::benchmark::State& sinter_benchmark_state) { \
        std::apply(                                                                                 \
            [&](const auto&... arguments) {                                                         \
              ::sinter::run_benchmark(sinter_benchmark_state, function, arguments...);              \
            },                                                                                      \
            ::sinter::detail::keep_arguments(__VA_ARGS__));                                         \
      })

}  // namespace sinter::inline v0
