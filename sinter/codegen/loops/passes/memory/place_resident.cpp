#include <sinter/codegen/loops/passes/memory/place_resident.hpp>

#include <sinter/codegen/target/cpu_piece.hpp>

namespace sinter::inline v0::codegen {

void place_resident_in_registers(const kernel_description&, loop_tree& tree) {
  for (statement& at : tree.statements)
    if (is_resident(at)) at.space = memory_space::registers;
}

void place_resident_on_stack(const kernel_description&, loop_tree& tree) {
  expression_table& table = tree.expressions;
  std::uint32_t bytes = 0;  // of an element of the row
  for (const statement& at : tree.statements)
    if (is_resident(at)) bytes += static_cast<std::uint32_t>(size_of(facts_of(at.type.element).compute));
  for (statement& at : tree.statements) {
    if (!is_resident(at)) continue;
    at.space = memory_space::stack;
    at.target = table.at(table.operands_of(at.target.id)[0])[cpu_resident_elements(bytes)];
  }
}

}  // namespace sinter::inline v0::codegen
