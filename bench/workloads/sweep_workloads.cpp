#include "../random_data.hpp"
#include "sweeps.hpp"
#include "workload_data.hpp"

#include <sinter/sinter.hpp>

#include <algorithm>

namespace sinter_bench {
namespace {

using matrix = array<float, 2>;
using row = array<float, 1>;

std::int64_t rows_of(std::int64_t elements, std::int64_t length) {
  return std::max<std::int64_t>(1, elements / length);
}

/// Those extents and the powers of two from `first` to 2^20, up to `elements`.
std::vector<std::int64_t> swept(std::vector<std::int64_t> extents, std::int64_t first,
                                std::int64_t elements) {
  for (std::int64_t extent = first; extent <= std::int64_t{1} << 20; extent *= 2) extents.push_back(extent);
  std::erase_if(extents, [&](std::int64_t extent) { return extent > elements; });
  std::sort(extents.begin(), extents.end());
  return extents;
}

}  // namespace

std::vector<std::int64_t> swept_lengths(std::int64_t elements) {
  return swept({3, 7, 100, 1000, 3000, 5000, 50000, 300000}, 2, elements);
}

std::vector<std::int64_t> swept_columns(std::int64_t elements) {
  return swept({3, 7, 100, 1000, 5000, 50000}, 1, elements);
}

workload_instance make_softmax_rows(std::int64_t elements, std::int64_t length, device where) {
  const shape<2> extents(rows_of(elements, length), length);
  const auto soft = fuse("softmax", [](auto x) {
    auto e = exp(x - max(x, axis<1>, keepdims));
    return e / sum(e, axis<1>, keepdims);
  });
  return instance_of(soft, std::tuple(matrix(extents, where)), random_array<float, 2>(extents, where));
}

workload_instance make_row_sums(std::int64_t elements, std::int64_t length, device where) {
  const shape<2> extents(rows_of(elements, length), length);
  const auto sums = fuse("row_sum", [](auto a) { return sum(a * a, axis<1>); });
  return instance_of(sums, std::tuple(row({extents[0]}, where)), random_array<float, 2>(extents, where));
}

workload_instance make_column_sums(std::int64_t elements, std::int64_t columns, device where) {
  const shape<2> extents(rows_of(elements, columns), columns);
  const auto sums = fuse("col_sum", [](auto a) { return sum(a * a, axis<0>); });
  return instance_of(sums, std::tuple(row({columns}, where)), random_array<float, 2>(extents, where));
}

full_sum make_full_sum(std::int64_t count, device where) {
  const auto total = fuse("full_sum", [](auto a) { return sum(a); });
  row input = random_array<float, 1>({count}, where);
  array<float, 0> result(shape<0>(), where);
  full_sum made;
  made.input = input.data();
  made.result = result.data();
  made.instance = instance_of(total, std::tuple(std::move(result)), std::move(input));
  return made;
}

}  // namespace sinter_bench
