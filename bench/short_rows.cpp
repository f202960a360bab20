// What many short rows cost on the CPU: reductions, scans and what meets the rows again, beside plain loops
// over them (limits/row_loops.hpp) on as many threads. Prints the quotient of the times, Sinter's over the
// loop's: below 1 Sinter is faster.
//
//   sinter_short_rows [--types=float32,int8] [--operations=sum,softmax] [--lengths=2,3,8]
//   [--elements=4194304]
//                     [--times]      each figure is followed by Sinter's microseconds and the loop's

#include "argument_list.hpp"
#include "limits/cpu_loops.hpp"
#include "limits/row_loops.hpp"
#include "statistics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sinter/codegen/types/element_type.hpp>
#include <sinter/complex.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

using namespace sinter;

constexpr int pairs = 11;

struct settings {
  std::vector<std::string> types, operations;  ///< empty: all
  std::vector<std::int64_t> lengths{2, 3, 4, 5, 7, 8, 11, 16, 17, 24, 31, 32, 33, 48, 63, 64};
  std::int64_t elements = std::int64_t{1} << 22;
  bool times = false;

  static bool has(const std::vector<std::string>& chosen, std::string_view name) {
    return chosen.empty() || std::ranges::find(chosen, name) != chosen.end();
  }
};

settings read(int count, char** arguments) {
  settings made;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    const auto value = argument.substr(std::min(argument.size(), argument.find('=') + 1));
    if (argument.starts_with("--types=")) {
      made.types = sinter_bench::split_list(value);
    } else if (argument.starts_with("--operations=")) {
      made.operations = sinter_bench::split_list(value);
    } else if (argument.starts_with("--lengths=")) {
      made.lengths.clear();
      for (const std::string& part : sinter_bench::split_list(value))
        made.lengths.push_back(std::stoll(part));
    } else if (argument.starts_with("--elements=")) {
      made.elements = std::stoll(std::string(value));
    } else if (argument == "--times") {
      made.times = true;
    } else {
      fmt::print(stderr, "sinter_short_rows: unknown argument {}\n", argument);
      std::exit(2);
    }
  }
  return made;
}

template <class T>
std::vector<T> random_elements(std::size_t count) {
  std::minstd_rand source(1);
  std::vector<T> made(count);
  for (auto&& element : made) {
    const auto drawn = static_cast<int>(source() >> 8 & 0xff);
    if constexpr (std::is_same_v<T, bool>)
      element = drawn % 2 != 0;
    else if constexpr (std::is_integral_v<T>)
      element = static_cast<T>(drawn % 100);
    else if constexpr (std::is_same_v<T, std::complex<float>>)
      element = {0.75f + static_cast<float>(drawn) / 512, static_cast<float>(drawn) / 1024};
    else
      element = static_cast<T>(0.75f + static_cast<float>(drawn) / 512);
  }
  return made;
}

template <class T>
double as_number(const T& element) {
  if constexpr (std::is_same_v<T, std::complex<float>>)
    return element.real() + element.imag();
  else if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(element);
  else
    return static_cast<double>(static_cast<float>(element));
}

template <class T, unsigned Rank>
void expect_equal(const array<T, Rank>& ours, const array<T, Rank>& theirs, std::string_view operation) {
  const double tolerance = sizeof(T) == 2 ? 0.03 : 1e-3;
  for (std::int64_t i = 0; i < ours.size(); ++i) {
    const double a = as_number(ours.data()[i]), b = as_number(theirs.data()[i]);
    if (std::abs(a - b) <= tolerance * (1 + std::abs(b))) continue;
    fmt::print(stderr, "{}: element {} is {} here and {} in the loop\n", operation, i, a, b);
    std::exit(1);
  }
}

template <class... Results>
std::tuple<Results...> as_tuple(std::tuple<Results...> results) {
  return results;
}
template <class T, unsigned Rank>
std::tuple<array<T, Rank>> as_tuple(array<T, Rank> result) {
  return {std::move(result)};
}

double seconds_of(auto&& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class T>
struct sweep {
  const settings& chosen;

  /// Sinter's time over the loop's, for rows of one length, as text.
  std::string figure(std::string_view operation, const auto& function, sinter_bench::row_loop loop,
                     std::int64_t length) const {
    const std::int64_t rows = chosen.elements / length;
    array<T, 2> x({rows, length}, device::cpu());
    std::ranges::copy(random_elements<T>(static_cast<std::size_t>(x.size())), x.data());
    auto ours = as_tuple(function(x)), theirs = as_tuple(function(x));
    const auto call = [&] { std::apply([&](auto&... results) { function.into(results...)(x); }, ours); };
    const auto call_loop = [&] {
      std::apply(
          [&](auto&... results) {
            void* const out[] = {static_cast<void*>(results.data())...};
            sinter_bench::on_all_threads(static_cast<std::size_t>(rows),
                                         [&](std::size_t first, std::size_t last) {
                                           loop(x.data(), out, first, last, static_cast<std::size_t>(length));
                                         });
          },
          theirs);
    };
    call();
    call_loop();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (expect_equal(std::get<I>(ours), std::get<I>(theirs), operation), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(ours)>>{});
    std::vector<double> quotients, sides[2];
    for (int pair = 0; pair < pairs; ++pair) {
      double taken[2];
      for (const int side : {pair % 2, 1 - pair % 2})
        taken[side] = side == 0 ? seconds_of(call) : seconds_of(call_loop);
      quotients.push_back(taken[0] / taken[1]);
      for (const int side : {0, 1}) sides[side].push_back(taken[side] * 1e6);
    }
    const std::string shown = fmt::format("{:.2f}", sinter_bench::median(quotients));
    if (!chosen.times) return shown;
    return shown +
           fmt::format(" {:.0f} {:.0f}", sinter_bench::median(sides[0]), sinter_bench::median(sides[1]));
  }

  void row(std::string_view operation, auto lambda) const {
    const std::string_view type = facts_of(element_type_of<T>).name;
    const sinter_bench::row_loop loop = sinter_bench::find_row_loop(operation, type);
    if (loop == nullptr || !settings::has(chosen.operations, operation)) return;
    fmt::print("| {} | {} |", operation, type);
    for (const std::int64_t length : chosen.lengths) {
      fmt::print(" {} |", figure(operation, fuse(lambda), loop, length));
      std::fflush(stdout);
    }
    fmt::print("\n");
  }

  void rows() const {
    if (!settings::has(chosen.types, facts_of(element_type_of<T>).name)) return;
    row("sum", [](auto x) { return sum(x, axis<1>); });
    row("prod", [](auto x) { return prod(x, axis<1>); });
    row("mean", [](auto x) { return mean(x, axis<1>); });
    row("cumsum", [](auto x) { return cumsum(x, axis<1>); });
    row("cumprod", [](auto x) { return cumprod(x, axis<1>); });
    row("x - mean", [](auto x) { return x - mean(x, axis<1>, keepdims); });
    if constexpr (!std::is_same_v<T, std::complex<float>>) {
      row("min", [](auto x) { return min(x, axis<1>); });
      row("max", [](auto x) { return max(x, axis<1>); });
      row("argmin", [](auto x) { return argmin(x, axis<1>); });
      row("argmax", [](auto x) { return argmax(x, axis<1>); });
      row("any", [](auto x) { return any(x, axis<1>); });
      row("min, max, mean",
          [](auto x) { return std::tuple{min(x, axis<1>), max(x, axis<1>), mean(x, axis<1>)}; });
      if constexpr (!std::is_same_v<T, bool>)
        row("x - min", [](auto x) { return x - min(x, axis<1>, keepdims); });
      if constexpr (!std::is_integral_v<T>) {
        row("x / norm", [](auto x) { return x / norm(x, axis<1>, keepdims); });
        row("softmax", [](auto x) { return softmax(x, axis<1>); });
        row("x - mean, norm", [](auto x) {
          const auto distance = x - mean(x, axis<1>, keepdims);
          return std::tuple{distance, norm(distance, axis<1>)};
        });
      }
    }
  }
};

}  // namespace

int main(int count, char** arguments) {
  const settings chosen = read(count, arguments);
  fmt::print("{} elements, {} threads, loops for {}\n\n", chosen.elements, runtime::cpu_threads(),
             sinter_bench::row_loop_architecture());
  fmt::print("| operation | type | {} |\n|---|---|", fmt::join(chosen.lengths, " | "));
  for (std::size_t i = 0; i < chosen.lengths.size(); ++i) fmt::print("--:|");
  fmt::print("\n");
  sweep<float>{chosen}.rows();
  sweep<double>{chosen}.rows();
  sweep<float16>{chosen}.rows();
  sweep<bfloat16>{chosen}.rows();
  sweep<bool>{chosen}.rows();
  sweep<std::int8_t>{chosen}.rows();
  sweep<std::int16_t>{chosen}.rows();
  sweep<std::int32_t>{chosen}.rows();
  sweep<std::int64_t>{chosen}.rows();
  sweep<std::uint8_t>{chosen}.rows();
  sweep<std::uint16_t>{chosen}.rows();
  sweep<std::uint32_t>{chosen}.rows();
  sweep<std::uint64_t>{chosen}.rows();
  sweep<std::complex<float>>{chosen}.rows();
}
