#include "workloads.hpp"

#include "random_data.hpp"
#include "workload_data.hpp"

#include <sinter/sinter.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <tuple>

namespace sinter_bench {
namespace {

using namespace sinter;

using matrix = array<float, 2>;
using row = array<float, 1>;

constexpr auto axpy = [](auto x, auto y) { return 2.5 * x + y; };

constexpr auto gelu = [](auto x) { return 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x))); };

constexpr auto black_scholes = [](auto s, auto k, auto t) {
  const double r = 0.02, v = 0.3;
  auto d1 = (log(s / k) + (r + 0.5 * v * v) * t) / (v * sqrt(t));
  auto d2 = d1 - v * sqrt(t);
  auto n1 = 0.5 * (1 + erf(d1 * 0.70710678)), n2 = 0.5 * (1 + erf(d2 * 0.70710678));
  auto discount = exp(-r * t);
  return std::tuple{s * n1 - k * discount * n2, k * discount * (1 - n2) - s * (1 - n1)};
};

template <class Function>
workload_instance make_black_scholes(const Function& function, device on) {
  const shape<1> extents(count_of(27));
  constexpr auto drawn = distribution::half_to_one_and_a_half;
  return instance_of(function, std::tuple(row(extents, on), row(extents, on)),
                     random_array<float, 1>(extents, on, drawn), random_array<float, 1>(extents, on, drawn),
                     random_array<float, 1>(extents, on, drawn));
}

workload_instance make_where_inf(device on) {
  const std::int64_t rows = count_of(26);
  const auto masked =
      fuse("where_inf", [](auto points, auto mask) { return where(mask(all(), newaxis), inf, points); });
  return instance_of(masked, std::tuple(matrix({rows, 4}, on)), random_array<float, 2>({rows, 4}, on),
                     random_array<bool, 1>({rows}, on, distribution::coin));
}

workload_instance make_gelu(device on) {
  const shape<1> extents(count_of(28));
  return instance_of(fuse("gelu_bf16", gelu), std::tuple(array<bfloat16, 1>(extents, on)),
                     random_array<bfloat16, 1>(extents, on));
}

workload_instance make_outer_add(device on) {
  const std::int64_t side = side_of(14);
  const auto outer = fuse("outer_add", [](auto x, auto y) { return x(all(), newaxis) + y(newaxis, all()); });
  return instance_of(outer, std::tuple(matrix({side, side}, on)), random_array<float, 1>({side}, on),
                     random_array<float, 1>({side}, on));
}

workload_instance make_add_transposed(device on) {
  const std::int64_t side = side_of(14);
  const auto sum = fuse("add_transposed", [](auto x, auto y) { return x + transpose(y); });
  return instance_of(sum, std::tuple(matrix({side, side}, on)), random_array<float, 2>({side, side}, on),
                     random_array<float, 2>({side, side}, on));
}

workload_instance make_grey(device on) {
  const std::int64_t pixels = count_of(26);
  const auto grey = fuse("rgb_to_grey_strided", [](auto p) {
    return 0.299 * p(all(), 0) + 0.587 * p(all(), 1) + 0.114 * p(all(), 2);
  });
  return instance_of(grey, std::tuple(row({pixels}, on)), random_array<float, 2>({pixels, 3}, on));
}

workload_instance make_heat(device on) {
  const std::int64_t side = side_of(14);
  const auto heat = fuse("heat_stencil", [](auto u) {
    auto c = u(slice(1, -1), slice(1, -1));
    return c + 0.1 * (u(slice(2, end), slice(1, -1)) + u(slice(0, -2), slice(1, -1)) +
                      u(slice(1, -1), slice(2, end)) + u(slice(1, -1), slice(0, -2)) - 4 * c);
  });
  workload_instance made = instance_of(heat, std::tuple(matrix({side - 2, side - 2}, on)),
                                       random_array<float, 2>({side, side}, on));
  // Counted as in peers/workloads.py.
  made.bytes = 2.0 * static_cast<double>(side * side) * sizeof(float);
  return made;
}

}  // namespace

workload_instance make_axpy(std::int64_t count, device on) {
  const shape<1> extents(count);
  return instance_of(fuse("axpy", axpy), std::tuple(row(extents, on)), random_array<float, 1>(extents, on),
                     random_array<float, 1>(extents, on));
}

const std::vector<workload>& workloads() {
  static const std::vector<workload> all{
      {"axpy", 1.01, 1.01, [](device on) { return make_axpy(count_of(28), on); }},
      {"where_inf", 1.00, 0.99, make_where_inf},
      {"gelu_bf16", 0.97, 0.79, make_gelu},
      {"black_scholes", 0.93, 0.90,
       [](device on) { return make_black_scholes(fuse("black_scholes", black_scholes), on); }},
      {"black_scholes_fast", 0.97, 0.90,
       [](device on) { return make_black_scholes(fuse("black_scholes_fast", black_scholes).fast(), on); }},
      {"outer_add", 1.07, 1.07, make_outer_add},
      {"add_transposed", 1.00, 0.99, make_add_transposed},
      {"rgb_to_grey_strided", 1.03, 1.03, make_grey},
      {"heat_stencil", 0.92, 0.77, make_heat},
  };
  return all;
}

const workload& find_workload(std::string_view name) {
  std::string known;
  for (const auto* list : {&workloads(), &reduction_workloads()})
    for (const workload& candidate : *list) {
      if (name == candidate.name) return candidate;
      known += known.empty() ? "" : ", ";
      known += candidate.name;
    }
  throw std::runtime_error("no workload '" + std::string(name) + "'; there are " + known);
}

void check_written(const workload_instance& checked, device on) {
  checked.poison();
  checked.call();
  synchronize(on);
  if (checked.is_poison_left()) throw std::runtime_error("the kernel left elements of its result unwritten");
}

}  // namespace sinter_bench
