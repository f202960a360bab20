#pragma once
// Random programs: graphs of operations, conversions, views, broadcasts, coordinates, reductions and scalars,
// with several results of different shapes.

#include "sweep_array.hpp"

namespace sinter::test {

struct random_program {
  graph recorded;
  std::vector<shape> extents;    ///< of the inputs
  std::vector<bits> values;      ///< of the inputs, in row-major order
  std::vector<placement> where;  ///< of the inputs
  std::vector<runtime::scalar> scalars;
};

struct program_options {
  std::size_t nodes = 40;
  arithmetic_mode mode = arithmetic_mode::strict;
  /// Includes functions whose results the reference does not define bit by bit, and products that may be
  /// fused.
  bool rounded_functions = false;
  std::vector<element_type> types;  ///< of inputs and conversions; empty: all
  /// Also reductions over random axes, nested and side by side. Floating sums and products use small whole
  /// numbers, which are exact in any order.
  bool reductions = false;
  std::int64_t max_rows = 40, max_columns = 70;  ///< extents of inputs
  std::size_t max_elements = 4000;               ///< elements of any value
};

/// Returns the same program for the same seed and options.
random_program make_program(std::uint64_t seed, const program_options& options);

std::vector<placed_array> place(const random_program& program, device on);

/// Runs a program one node at a time, each in a separate kernel, and returns its results.
std::vector<bits> run_node_by_node(const random_program& program, device on);

}  // namespace sinter::test
