#pragma once
// Kernel texts of reductions, as a call would compile them for an H200; needs no device.

#include <string>
#include <vector>

namespace sinter_bench {

struct named_text {
  const char* name;
  std::string text;
};

/// Softmax, layer norm and variance of rows of 4,096 float32.
std::vector<named_text> row_texts();

}  // namespace sinter_bench
