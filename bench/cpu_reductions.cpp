// Reductions on the CPU beside loops written by hand for this processor.

#include "benchmarks.hpp"
#include "comparison.hpp"
#include "limits/cpu_limits.hpp"
#include "limits/cpu_loops.hpp"
#include "random_data.hpp"

#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace sinter_bench {
namespace {

using namespace sinter;
using matrix = array<float, 2>;

struct matrices {
  explicit matrices(shape<2> extents)
      : x(random_array<float, 2>(extents, device::cpu())),
        out(extents, device::cpu()),
        by_hand(extents, device::cpu()) {
    // Touches all pages before anything is timed.
    for (matrix* made : {&out, &by_hand})
      poison(made->data(), static_cast<std::size_t>(made->size()) * sizeof(float), device::cpu());
  }
  matrix x, out, by_hand;
};

void check_agreement(const matrices& computed) {
  for (std::int64_t i = 0; i < computed.out.size(); ++i) {
    const float ours = computed.out.data()[i], other = computed.by_hand.data()[i];
    if (!(std::abs(ours - other) <= 4e-6f * other))
      throw std::runtime_error("Sinter and the loop by hand disagree at element " + std::to_string(i));
  }
}

sides softmax_beside_loop() {
  constexpr auto length = static_cast<std::int64_t>(softmax_length);
  const std::int64_t rows = std::max<std::int64_t>(1, 8192 >> current_settings().shrink);
  auto held = std::make_shared<matrices>(shape<2>(rows, length));
  sides made;
  made.subject.call = [held, function = fuse("softmax", [](auto x) { return softmax(x, axis<1>); })] {
    function.into(held->out)(held->x);
  };
  // on_all_threads() splits at multiples of 64, so each row counts as 64
  made.limit.call = [held, loops = &best_cpu_loops(), rows] {
    on_all_threads(static_cast<std::size_t>(rows) * 64, [&](std::size_t first, std::size_t last) {
      loops->softmax(held->x.data(), held->by_hand.data(), first / 64, last / 64);
    });
  };
  made.subject.bytes = made.limit.bytes = 2.0 * static_cast<double>(rows * length) * sizeof(float);
  made.subject.call();
  made.limit.call();
  check_agreement(*held);
  return made;
}

}  // namespace

void add_cpu_reductions() {
  if (!has_cpu_compiler()) return;
  add({.name = "cpu/softmax_8192x4096",
       .limit_name = std::string("a loop, ") + best_cpu_loops().name,
       .judgement = judged_by::seconds,
       .goal = 10e-3,
       .make = softmax_beside_loop,
       .scales = true});
}

}  // namespace sinter_bench
