#pragma once
// Random programs: graphs of operations, conversions, views, broadcasts, coordinates, reductions and scalars,
// several results of different shapes.

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
  /// Functions whose results the reference does not give bit by bit, and products that may be fused.
  bool rounded_functions = false;
  std::vector<element_type> types;  ///< of inputs and conversions; empty: all
  /// Also reductions over random axes, nested and side by side. Sums and products of floating numbers are of
  /// small whole ones, which are exact in any order.
  bool reductions = false;
  std::int64_t most_rows = 40, most_columns = 70;  ///< extents that inputs are made of
  std::size_t most_elements = 4000;                ///< of any value
};

/// The same program for the same seed and options.
random_program make_program(std::uint64_t seed, const program_options& options);

std::vector<placed_array> place(const random_program& program, device on);

/// Runs a program one node at a time, each in a kernel of its own, and returns its results.
std::vector<bits> run_node_by_node(const random_program& program, device on);

}  // namespace sinter::test
