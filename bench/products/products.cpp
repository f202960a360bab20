// Products of vectors and matrices, beside plain loops on the CPU that GCC makes vectors of: a dot, a matrix
// times a vector, a square product and thin ones. On a GPU beside copies of the bytes that they read and
// write.

#include "../benchmarks.hpp"
#include "../comparison.hpp"
#include "../limits/cpu_limits.hpp"
#include "../limits/cpu_loops.hpp"
#include "../limits/cuda_limits.hpp"
#include "../random_data.hpp"

#include <sinter/sinter.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace sinter_bench {
namespace {

using namespace sinter;

/// A matrix of rows x inner elements times one of inner x columns.
struct product_shape {
  std::int64_t rows, inner, columns;
};

struct product_data {
  product_shape shape;
  array<float, 2> a, b, result;
  std::vector<float> expected;
};

std::shared_ptr<product_data> make_data(device on, const product_shape& shape) {
  constexpr auto numbers = distribution::half_to_one_and_a_half;
  return std::make_shared<product_data>(
      product_data{shape, random_array<float, 2>({shape.rows, shape.inner}, on, numbers),
                   random_array<float, 2>({shape.inner, shape.columns}, on, numbers),
                   array<float, 2>({shape.rows, shape.columns}, on),
                   std::vector<float>(static_cast<std::size_t>(shape.rows * shape.columns))});
}

/// Each row of the result is a sum of rows of b: the order in which a compiler makes vectors of it. A column
/// is a sum of eight, which a compiler must not make of one.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
[[gnu::target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")]]
#endif
void plain_loop(product_data& held, std::size_t first, std::size_t last) {
  const float* const a = held.a.data();
  const float* const b = held.b.data();
  const auto inner = static_cast<std::size_t>(held.shape.inner),
             columns = static_cast<std::size_t>(held.shape.columns);
  for (std::size_t row = first; row < last; ++row) {
    float* const to = held.expected.data() + row * columns;
    if (columns == 1) {
      constexpr std::size_t lanes = 64;
      float sums[lanes] = {};
      std::size_t k = 0;
      for (; k + lanes <= inner; k += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane)
          sums[lane] += a[row * inner + k + lane] * b[k + lane];
      to[0] = 0;
      for (; k < inner; ++k) to[0] += a[row * inner + k] * b[k];
      for (const float sum : sums) to[0] += sum;
      continue;
    }
    std::fill(to, to + columns, 0.0f);
    for (std::size_t k = 0; k < inner; ++k) {
      const float factor = a[row * inner + k];
      for (std::size_t column = 0; column < columns; ++column) to[column] += factor * b[k * columns + column];
    }
  }
}

void check(const product_data& held) {
  const std::vector<float> got = held.result.to_vector();
  for (std::size_t i = 0; i < got.size(); ++i)
    if (std::abs(got[i] - held.expected[i]) > 1e-4f * (1 + std::abs(held.expected[i])))
      throw std::runtime_error("the loop's result differs");
}

sides make_sides(device on, const product_shape& shape) {
  const auto held = make_data(on, shape);
  const auto function = fuse("product", [](auto a, auto b) { return matmul(a, b); });
  side subject;
  subject.call = [held, function] { function.into(held->result)(held->a, held->b); };
  if (on != device::cpu()) subject.wait = [on] { synchronize(on); };
  subject.bytes = 4.0 * static_cast<double>(shape.rows * shape.inner + shape.inner * shape.columns +
                                            shape.rows * shape.columns);
  if (on != device::cpu()) return {subject, cuda_copy(subject.bytes)};
  side loop = subject;
  loop.call = [held] {
    // shares of threads begin at multiples of 64 of what is counted
    const auto rows = static_cast<std::size_t>(held->shape.rows);
    on_all_threads(rows * 64,
                   [&](std::size_t first, std::size_t last) { plain_loop(*held, first / 64, last / 64); });
  };
  subject.call();
  loop.call();
  check(*held);
  return {subject, loop};
}

void add_on(device on) {
  const bool is_cpu = on == device::cpu();
  const std::int64_t shrunk = std::int64_t{1} << 24 >> current_settings().shrink;
  std::vector<std::pair<const char*, product_shape>> all{
      {"dot", {1, shrunk, 1}},           {"matrix_vector", {4096, 4096, 1}},
      {"square_512", {512, 512, 512}},   {"square_1024", {1024, 1024, 1024}},
      {"thin_inner_8", {4096, 8, 4096}}, {"thin_outer_16", {16, 4096, 16}}};
  if (!is_cpu) all.push_back({"square_4096", {4096, 4096, 4096}});
  for (const auto& [name, shape] : all)
    add({.name = fmt::format("{}/product_{}", is_cpu ? "cpu" : "cuda", name),
         .limit_name = is_cpu ? "a plain loop" : "a copy of as many bytes",
         .judgement = judged_by::bandwidth,
         .make = [on, shape = shape] { return make_sides(on, shape); }});
}

}  // namespace

void add_products() {
  if (has_cuda() && !current_settings().on_cpu) add_on(device::cuda(0));
  if (has_cpu_compiler()) add_on(device::cpu());
}

}  // namespace sinter_bench
