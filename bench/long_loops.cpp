// What a step costs in a loop whose states are all live: no more where the graph is too long for one kernel,
// as long as no cut computes the past again. Prints, for some numbers of states and steps, the stages and the
// median time of a call on the CPU, in all and for a thousand steps.

#include <fmt/format.h>

#include <sinter/sinter.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sinter;

constexpr std::int64_t elements = std::int64_t{1} << 20;
constexpr std::size_t runs = 15;

/// Each step multiplies one state by the next one; the result is the sum of all.
template <std::size_t Count, std::size_t Steps>
constexpr auto coupled_states = [](auto x) {
  std::array<decltype(x + 1.0f), Count> states = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{x + static_cast<float>(I)...};
  }(std::make_index_sequence<Count>{});
  for (std::size_t step = 0; step < Steps; ++step)
    states[step % Count] = states[step % Count] * states[(step + 1) % Count];
  for (std::size_t i = 1; i < Count; ++i) states[0] = states[0] + states[i];
  return states[0];
};

std::size_t stages_of(const std::string& explained) {
  std::size_t stages = 0;
  for (std::size_t at = 0; (at = explained.find("\nstage ", at)) != std::string::npos; ++at) ++stages;
  return stages;
}

template <std::size_t Count, std::size_t Steps>
void print_row() {
  const auto function = fuse("states", coupled_states<Count, Steps>);
  const auto x = ones<float>({elements}, device::cpu());
  array<float, 1> out({elements}, device::cpu());
  function.into(out)(x);
  std::vector<double> taken;
  for (std::size_t run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    function.into(out)(x);
    taken.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::nth_element(taken, taken.begin() + runs / 2);
  const double median = taken[runs / 2];
  fmt::print("| {} | {} | {} | {:.2f} | {:.2f} |\n", Count, Steps, stages_of(function.explain(x)), median,
             median * 1000 / Steps);
}

template <std::size_t Count>
void print_rows() {
  print_row<Count, 500>();
  print_row<Count, 900>();
  print_row<Count, 1100>();
  print_row<Count, 3000>();
}

}  // namespace

int main() {
  fmt::print("| states | steps | stages | ms | ms for 1,000 steps |\n|--:|--:|--:|--:|--:|\n");
  print_rows<1>();
  print_rows<4>();
  print_rows<8>();
  print_rows<32>();
}
