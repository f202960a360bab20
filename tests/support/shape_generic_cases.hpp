#pragma once
// The functions on which the tests of shape-generic kernels agree.

#include "sweep/sweep_program.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sinter::test {

using shapes_of_sizes = std::function<std::vector<shape>(std::int64_t rows, std::int64_t columns)>;

struct general_case {
  std::string name;
  graph recorded;
  shapes_of_sizes shapes;
  std::vector<runtime::scalar> scalars = {};
};

/// Pointwise functions, stencils, reductions and scans, with shapes that follow from two sizes.
std::vector<general_case> general_cases();

/// The shapes of one matrix.
std::vector<shape> one_matrix(std::int64_t rows, std::int64_t columns);

/// How a random program for these tests is drawn.
program_options general_program(bool reductions);

}  // namespace sinter::test
