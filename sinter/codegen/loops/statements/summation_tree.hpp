#pragma once
// Sums of long rows on the CPU. A long chain of additions loses digits: every so many steps the sums of
// floating lanes go up into a binary tree, whose level k is occupied if bit k of the number of such blocks is
// set.

#include <sinter/codegen/loops/statements/row_statements.hpp>

namespace sinter::inline v0::codegen {

class summation_tree : row_statements {
 public:
  summation_tree(const kernel_description& described, loop_tree& tree) : row_statements(described, tree) {}

  /// Whether a phase has sums that go up the tree.
  bool has_sums(unsigned phase);
  /// Before the loop of a phase, at the end of each of its steps, and behind it.
  void begin(loop_writer& out, unsigned phase);
  void grow(loop_writer& out, unsigned phase);
  void finish(loop_writer& out, unsigned phase);

 private:
  template <typename Visit>
  void each_sum(unsigned phase, Visit visit) {
    each_reduction(phase, [&](std::uint32_t i, const instruction& made) {
      if (made.op == operation::sum && is_inexact(made.compute)) visit(i, made);
    });
  }
  void open_lanes_of_rows(loop_writer& out);
  void close_lanes_of_rows(loop_writer& out);
  void add_level(loop_writer& out, unsigned phase);
  expression blocks(unsigned phase) { return name("blocks", phase); }
  expression steps(unsigned phase) { return name("steps", phase); }
  expression upper(std::uint32_t sum) { return name("upper", sum); }
};

}  // namespace sinter::inline v0::codegen
