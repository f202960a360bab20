#pragma once
// Reductions over row lengths, column counts and sizes, as Sinter functions on random data.

#include "workloads.hpp"

#include <cstdint>
#include <vector>

namespace sinter_bench {

/// Powers of two from 2 to 2^20, and lengths that are none, ascending; those that `elements` hold.
std::vector<std::int64_t> swept_lengths(std::int64_t elements);
/// Likewise from 1 column on.
std::vector<std::int64_t> swept_columns(std::int64_t elements);

/// Of rows of `length` that together have `elements`, or as many as whole rows hold.
workload_instance make_softmax_rows(std::int64_t elements, std::int64_t length, sinter::device where);
workload_instance make_row_sums(std::int64_t elements, std::int64_t length, sinter::device where);
/// Sums of squares along axis 0 of (elements / columns, columns).
workload_instance make_column_sums(std::int64_t elements, std::int64_t columns, sinter::device where);

/// A full sum; `input` and `result` are where it reads and writes, for whoever wants to do the same.
struct full_sum {
  workload_instance instance;
  const float* input = nullptr;
  float* result = nullptr;
};
full_sum make_full_sum(std::int64_t count, sinter::device where);

}  // namespace sinter_bench
