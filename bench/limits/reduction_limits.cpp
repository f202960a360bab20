// Reductions beside kernels written by hand for one shape: what generality costs.

#include "../benchmarks.hpp"
#include "../comparison.hpp"
#include "../random_data.hpp"
#include "../workloads/workload_data.hpp"
#include "cuda_limits.hpp"
#include "hand_written.hpp"

#include <sinter/runtime/stream.hpp>

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

namespace sinter_bench {
namespace {

using matrix = array<float, 2>;

const device on = device::cuda(0);

side side_of(const workload_instance& instance) {
  side made;
  made.call = instance.call;
  made.wait = [] { synchronize(on); };
  made.bytes = instance.bytes;
  return made;
}

/// A kernel that only reads, over an array that lives as long as the side.
side reading() {
  auto input = std::make_shared<array<float, 1>>(random_array<float, 1>({count_of(28)}, on));
  side made = read_only(input->data(), input->size());
  made.call = [input, call = made.call] { call(); };
  return made;
}

void expect_same_row(const float* ours, const float* by_hand) {
  std::vector<float> a(4096), b(4096);
  cuda_read(a.data(), ours, a.size() * sizeof(float));
  cuda_read(b.data(), by_hand, b.size() * sizeof(float));
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= 1e-6f * b[i]))
      throw std::runtime_error(fmt::format("element {} is {} and by hand {}", i, a[i], b[i]));
}

sides softmax_beside_hand() {
  const std::int64_t rows = std::max<std::int64_t>(1, count_of(28) / 4096);
  struct data {
    matrix x, ours, by_hand;
  };
  auto held = std::make_shared<data>(
      data{random_array<float, 2>({rows, 4096}, on), matrix({rows, 4096}, on), matrix({rows, 4096}, on)});
  const auto soft = fuse("softmax", [](auto x) {
    auto e = exp(x - max(x, axis<1>, keepdims));
    return e / sum(e, axis<1>, keepdims);
  });
  sides made;
  made.limit = hand_written_softmax(held->x.data(), held->by_hand.data(), rows);
  made.subject = made.limit;
  made.subject.call = [held, soft] { soft.into(held->ours)(held->x); };
  made.subject.wait = [] { synchronize(on); };
  for (const side* each : {&made.subject, &made.limit}) {
    each->call();
    each->wait();
  }
  const std::int64_t last = (rows - 1) * 4096;
  expect_same_row(held->ours.data() + last, held->by_hand.data() + last);
  return made;
}

}  // namespace

void add_reduction_limits() {
  add({.name = "cuda/limits/read_only",
       .limit_name = "a large copy",
       .make = [] { return sides{reading(), large_cuda_copy()}; },
       .scales = true});
  for (const char* name : {"mse_full", "row_sum_64", "row_sum_8192", "col_sum", "argmax_rows", "var_rows"})
    add({.name = fmt::format("cuda/limits/{}", name),
         .limit_name = "a kernel that only reads",
         .make =
             [name] {
               const workload_instance instance = find_workload(name).make(on);
               check_written(instance, on);
               return sides{side_of(instance), reading()};
             },
         .scales = true});
  add({.name = "cuda/limits/softmax_4096",
       .limit_name = "a softmax written by hand for this length",
       .make = softmax_beside_hand,
       .scales = true});
}

}  // namespace sinter_bench
