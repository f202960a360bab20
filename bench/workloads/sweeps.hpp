#pragma once
// Reductions over row lengths, column counts and sizes, as Sinter functions on random data.

#include "workloads.hpp"

#include <cstdint>
#include <vector>

namespace sinter_bench {

/// Powers of two from 2 to 2^20 and some other lengths, ascending, up to `elements`.
std::vector<std::int64_t> swept_lengths(std::int64_t elements);
/// The same for numbers of columns, from 1.
std::vector<std::int64_t> swept_columns(std::int64_t elements);

/// Softmax of rows of `length`; as many whole rows as `elements` hold.
workload_instance make_softmax_rows(std::int64_t elements, std::int64_t length, sinter::device where);
workload_instance make_row_sums(std::int64_t elements, std::int64_t length, sinter::device where);
/// Sums of squares along axis 0 of (elements / columns, columns).
workload_instance make_column_sums(std::int64_t elements, std::int64_t columns, sinter::device where);

/// A full sum; `input` and `result` are where it reads and writes, so that another library can do the same.
struct full_sum {
  workload_instance instance;
  const float* input = nullptr;
  float* result = nullptr;
};
full_sum make_full_sum(std::int64_t count, sinter::device where);

}  // namespace sinter_bench
