#include "workloads.hpp"

#include "../random_data.hpp"
#include "benchmark_functions.hpp"
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
  const auto masked = fuse("where_inf", body::where_inf);
  return instance_of(masked, std::tuple(matrix({rows, 4}, on)), random_array<float, 2>({rows, 4}, on),
                     random_array<bool, 1>({rows}, on, distribution::coin));
}

workload_instance make_gelu(device on) {
  const shape<1> extents(count_of(28));
  return instance_of(fuse("gelu_bf16", body::gelu), std::tuple(array<bfloat16, 1>(extents, on)),
                     random_array<bfloat16, 1>(extents, on));
}

workload_instance make_outer_add(device on) {
  const std::int64_t side = side_of(14);
  const auto outer = fuse("outer_add", body::outer_add);
  return instance_of(outer, std::tuple(matrix({side, side}, on)), random_array<float, 1>({side}, on),
                     random_array<float, 1>({side}, on));
}

workload_instance make_add_transposed(device on) {
  const std::int64_t side = side_of(14);
  const auto sum = fuse("add_transposed", body::add_transposed);
  return instance_of(sum, std::tuple(matrix({side, side}, on)), random_array<float, 2>({side, side}, on),
                     random_array<float, 2>({side, side}, on));
}

workload_instance make_grey(device on) {
  const std::int64_t pixels = count_of(26);
  const auto grey = fuse("rgb_to_grey_strided", body::grey);
  return instance_of(grey, std::tuple(row({pixels}, on)), random_array<float, 2>({pixels, 3}, on));
}

workload_instance make_heat(device on) {
  const std::int64_t side = side_of(14);
  const auto heat = fuse("heat_stencil", body::heat);
  workload_instance made = instance_of(heat, std::tuple(matrix({side - 2, side - 2}, on)),
                                       random_array<float, 2>({side, side}, on));
  // Counted as in peers/workloads.py.
  made.bytes = 2.0 * static_cast<double>(side * side) * sizeof(float);
  return made;
}

}  // namespace

workload_instance make_axpy(std::int64_t count, device on) {
  const shape<1> extents(count);
  return instance_of(fuse("axpy", body::axpy), std::tuple(row(extents, on)),
                     random_array<float, 1>(extents, on), random_array<float, 1>(extents, on));
}

const std::vector<workload>& workloads() {
  static const std::vector<workload> all{
      {"axpy", 1.01, 1.01, [](device on) { return make_axpy(count_of(28), on); }},
      {"where_inf", 1.00, 0.99, make_where_inf},
      {"gelu_bf16", 0.97, 0.79, make_gelu},
      {"black_scholes", 0.93, 0.90,
       [](device on) { return make_black_scholes(fuse("black_scholes", body::black_scholes), on); }},
      {"black_scholes_fast", 0.97, 0.90,
       [](device on) {
         return make_black_scholes(fuse("black_scholes_fast", body::black_scholes).fast(), on);
       }},
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
