#pragma once
// Functions that no process has compiled before: each has a literal of its own, drawn when the process
// begins, so that its text is new to every cache.

#include <sinter/sinter.hpp>

#include <span>
#include <string>

namespace sinter_bench {

struct fresh_arrays {
  explicit fresh_arrays(sinter::device where);
  sinter::array<float, 1> x, y, out;
  sinter::array<float, 2> rows, rows_out;  ///< of 4,096
};

/// `call` runs the function and waits; its first call compiles. `source` is what it compiles.
struct fresh_function {
  void (*call)(fresh_arrays&);
  std::string (*source)(const fresh_arrays&);
};

/// The five operations of call_overhead_5ops, and one more.
std::span<const fresh_function> fresh_small_functions();
/// where(x > y, sin(x) * exp(y), sqrt(x)), and one operation more.
std::span<const fresh_function> fresh_large_functions();
/// softmax of rows, and one operation more.
std::span<const fresh_function> fresh_softmax_functions();

}  // namespace sinter_bench
