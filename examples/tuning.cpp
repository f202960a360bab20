// The kernel of docs/tuning.md, step by step: what is chosen for it, what tuning measures, and what runs
// afterwards.
//
//   example_tuning [SECONDS [KERNEL]]      KERNEL: moments, masked or columns

#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "check.hpp"

namespace {

using namespace sinter;

/// Per channel of a batch of images [batch, pixels, channels]: the sums that batch normalisation needs.
const auto moments =
    fuse("moments", [](auto x) { return std::tuple(sum(x, axis<0, 1>), sum(x * x, axis<0, 1>)); });
/// Rows of scores, of which a mask leaves some out.
const auto masked = fuse("masked_softmax", [](auto scores, auto mask) {
  return softmax(where(mask, scores * 0.125f, -1e9f), axis<1>);
});
/// Each column without its mean, with variance one.
const auto columns =
    fuse("standard_columns", [](auto x) { return (x - mean(x, axis<0>)) / sqrt(var(x, axis<0>) + 1e-5f); });

/// Numbers between -1 and 1 that differ from their neighbours.
template <std::size_t Rank>
array<float, Rank> numbers(const shape<Rank>& extents) {
  const auto wave = fuse([](auto like) {
    return sin(astype<float>(coordinate<Rank - 1>(like)) * 7 + astype<float>(coordinate<0>(like)) * 3);
  });
  return wave(full<float>(extents, 0.f));
}

double largest_difference(const array<float, 1>& a, const array<float, 1>& b) {
  return evaluate(max(abs(a - b) / (1 + abs(a)))).item();
}

template <class Function, class... Arrays>
void make_faster(double seconds, const Function& function, const Arrays&... arrays) {
  std::cout << "---- what the model chooses ----\n" << function.explain(arrays...);
  const tuning_report report = function.tune(arrays..., {.budget = seconds, .may_change_bits = true});
  std::cout << "\n---- what was measured ----\n" << report;
  std::cout << "\n---- what runs now ----\n" << function.explain(arrays...);
  check(!report.stages.empty(), "tuning reports the kernels of a call");
  check(function.explain(arrays...).find("measured: ") != std::string::npos,
        "explain tells what was measured");
}

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 0.2;
  const std::string_view kernel = count > 2 ? arguments[2] : "moments";
  // a GPU's memory holds more than a CPU's caches should have to move in a test
  const std::int64_t scale = device::current_default().is_cuda() ? 16 : 1;
  if (kernel == "moments") {
    const auto x = numbers<3>({4 * scale, 3136, 96});
    const auto before = moments(x);
    make_faster(seconds, moments, x);
    const auto after = moments(x);
    check(largest_difference(std::get<1>(before), std::get<1>(after)) < 1e-4, "the sums stay");
  } else if (kernel == "masked") {
    const auto scores = numbers<2>({2048 * scale, 384});
    make_faster(seconds, masked, scores, evaluate(scores > -0.5f));
  } else {
    make_faster(seconds, columns, numbers<2>({8192 * scale, 96}));
  }
  return 0;
}
