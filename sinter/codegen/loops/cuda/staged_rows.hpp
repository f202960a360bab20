#pragma once
// Staged rows: those of a block lie side by side, in memory as in shared memory. Its threads move them
// together, whatever their length is, and each works on its own there.

#include <sinter/codegen/loops/kernel_builder.hpp>

namespace sinter::inline v0::codegen {

class staged_rows : kernel_builder {
 public:
  staged_rows(const kernel_description& described, loop_tree& tree) : kernel_builder(described, tree) {}

  bool is_staged(std::uint32_t access) const;
  /// Where an access begins in a row, in shared memory.
  expression row_begin(std::uint32_t access, expression row);
  /// Brings a block's rows, and takes them back.
  void load(loop_writer& out);
  void store(loop_writer& out);

 private:
  int rows_of_block() const { return chosen().threads_across * chosen().rows_per_thread; }
  void move(loop_writer& out, std::uint32_t access, expression to, expression from);
};

}  // namespace sinter::inline v0::codegen
