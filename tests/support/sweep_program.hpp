#pragma once
// Random programs: graphs of operations, conversions, views, broadcasts, coordinates and scalars, several
// results.

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
};

/// The same program for the same seed and options.
random_program make_program(std::uint64_t seed, const program_options& options);

std::vector<placed_array> place(const random_program& program, device on);

/// Runs a program one node at a time, each in a kernel of its own, and returns its results.
std::vector<bits> run_node_by_node(const random_program& program, device on);

}  // namespace sinter::test
