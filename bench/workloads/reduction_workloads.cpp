// The reducing workloads of peers/workloads.py.

#include "../random_data.hpp"
#include "benchmark_functions.hpp"
#include "workload_data.hpp"

#include <sinter/sinter.hpp>

namespace sinter_bench {
namespace {

using matrix = array<float, 2>;
using row = array<float, 1>;

/// The number of rows that give 2^28 elements in all.
std::int64_t rows_of(std::int64_t columns) { return std::max<std::int64_t>(1, count_of(28) / columns); }

workload_instance make_mse(device on) {
  const shape<1> extents(count_of(28));
  const auto mse = fuse("mse_full", body::mean_squared_error);
  return instance_of(mse, std::tuple(array<float, 0>(shape<0>(), on)), random_array<float, 1>(extents, on),
                     random_array<float, 1>(extents, on));
}

template <std::int64_t Columns>
workload_instance make_row_sum(device on) {
  const auto sums = fuse("row_sum", body::sum_of_axis_1);
  const std::int64_t rows = rows_of(Columns);
  return instance_of(sums, std::tuple(row({rows}, on)), random_array<float, 2>({rows, Columns}, on));
}

workload_instance make_column_sum(device on) {
  const std::int64_t columns = 1 << 12, rows = rows_of(columns);
  const auto sums = fuse("col_sum", body::sum_of_axis_0);
  return instance_of(sums, std::tuple(row({columns}, on)), random_array<float, 2>({rows, columns}, on));
}

workload_instance make_middle_sum(device on) {
  const std::int64_t outer = std::max<std::int64_t>(1, count_of(6));
  const auto sums = fuse("mid_sum", body::sum_of_axis_1);
  return instance_of(sums, std::tuple(matrix({outer, 1 << 10}, on)),
                     random_array<float, 3>({outer, 1 << 12, 1 << 10}, on));
}

workload_instance make_argmax(device on) {
  const std::int64_t columns = 1 << 12, rows = rows_of(columns);
  const auto places = fuse("argmax_rows", body::argmax_of_rows);
  return instance_of(places, std::tuple(array<std::int64_t, 1>({rows}, on)),
                     random_array<float, 2>({rows, columns}, on));
}

workload_instance make_cumulative_sum(device on) {
  const std::int64_t columns = 1 << 12, rows = rows_of(columns);
  const auto sums = fuse("cumsum_rows", body::cumsum_of_rows);
  return instance_of(sums, std::tuple(matrix({rows, columns}, on)),
                     random_array<float, 2>({rows, columns}, on));
}

workload_instance make_variance(device on) {
  const std::int64_t columns = 1 << 12, rows = rows_of(columns);
  const auto variances = fuse("var_rows", body::variances_of_rows);
  return instance_of(variances, std::tuple(row({rows}, on)), random_array<float, 2>({rows, columns}, on));
}

template <std::int64_t Columns>
workload_instance make_softmax(device on) {
  const std::int64_t rows = rows_of(Columns);
  const auto soft = fuse("softmax", body::softmax_of_rows);
  return instance_of(soft, std::tuple(matrix({rows, Columns}, on)),
                     random_array<float, 2>({rows, Columns}, on));
}

template <class Element>
workload_instance make_layer_norm(device on) {
  const std::int64_t columns = 1 << 12, rows = rows_of(columns);
  const auto norm = fuse("layernorm", body::layer_norm<Element>);
  return instance_of(norm, std::tuple(array<Element, 2>({rows, columns}, on)),
                     random_array<Element, 2>({rows, columns}, on), random_array<float, 1>({columns}, on),
                     random_array<float, 1>({columns}, on));
}

workload_instance make_rms_norm(device on) {
  const std::int64_t columns = 8192, rows = rows_of(columns);
  const auto norm = fuse("rmsnorm_bf16", body::rms_norm);
  return instance_of(norm, std::tuple(array<bfloat16, 2>({rows, columns}, on)),
                     random_array<bfloat16, 2>({rows, columns}, on), random_array<float, 1>({columns}, on));
}

workload_instance make_normalize(device on) {
  const shape<1> extents(count_of(28));
  const auto normal = fuse("normalize_full", body::normalized);
  return instance_of(normal, std::tuple(row(extents, on)), random_array<float, 1>(extents, on));
}

workload_instance make_pairwise_distance(device on) {
  const std::int64_t side = side_of(14);
  const auto distances = fuse("pairwise_distance", body::pairwise_distance);
  return instance_of(distances, std::tuple(matrix({side, side}, on)), random_array<float, 2>({side, 3}, on),
                     random_array<float, 2>({side, 3}, on));
}

workload_instance make_nearest_distance(device on) {
  const std::int64_t side = side_of(16);
  const auto nearest = fuse("nearest_distance", body::nearest_distance);
  return instance_of(nearest, std::tuple(row({side}, on)), random_array<float, 2>({side, 3}, on),
                     random_array<float, 2>({side, 3}, on));
}

}  // namespace

const std::vector<workload>& reduction_workloads() {
  static const std::vector<workload> all{
      {"mse_full", 1.05, 1.05, make_mse},
      {"row_sum_64", 1.04, 0.98, make_row_sum<64>},
      {"row_sum_8192", 1.06, 1.06, make_row_sum<8192>},
      {"col_sum", 1.05, 1.03, make_column_sum},
      {"mid_sum", 1.05, 1.05, make_middle_sum},
      {"argmax_rows", 1.05, 1.04, make_argmax},
      {"var_rows", 1.05, 0.98, make_variance},
      {"softmax_256", 1.00, 0.98, make_softmax<256>},
      {"softmax_4096", 0.99, 0.90, make_softmax<4096>},
      {"softmax_65536", 0.95, 0.64, make_softmax<65536>},
      {"layernorm_f32_4096", 1.00, 1.00, make_layer_norm<float>},
      {"layernorm_f16_4096", 0.97, 0.77, make_layer_norm<float16>},
      {"rmsnorm_bf16_8192", 1.00, 1.00, make_rms_norm},
      {"normalize_full", 0.67, 0.65, make_normalize},
      {"pairwise_distance", 0.97, 0.76, make_pairwise_distance},
      {"nearest_distance", 0, 0, make_nearest_distance, 1000e-6},
      {"cumsum_rows", 0.95, 0.69, make_cumulative_sum},
  };
  return all;
}

}  // namespace sinter_bench
