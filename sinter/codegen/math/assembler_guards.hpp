#pragma once
// Compositions of integer instructions that a GPU's assembler or its compiler evaluates wrongly, and the
// device functions that keep them apart. Each instruction alone is right, so only operands and results that
// meet others are guarded.

#include <sinter/codegen/nest/nest.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace sinter::inline v0::codegen {

/// A device function that guards operands or results of some operations; "narrow" stands for narrow_i16 and
/// narrow_u16. Where a target has no such function, nothing is guarded.
struct assembler_guard {
  enum class place : std::uint8_t {
    operands,
    computed_operands,        ///< those that are is_computed()
    later_computed_operands,  ///< of these, those after the first
    result,
  };
  place guarded = place::operands;
  std::string_view types;  ///< suffixes of the types of the computation, separated by spaces
  std::span<const operation> operations;
  std::string_view function;
  bool beside_choice = false;  ///< only in kernels that have a `where` of integers
};
std::span<const assembler_guard> assembler_guards();

/// A fault that was measured, and the PTX by which a kernel may meet it. Patterns are regular expressions
/// (ECMAScript) of instructions' names.
struct assembler_fault {
  std::string_view instruction;  ///< no kernel has it
  std::string_view
      operand;             ///< unless empty: no kernel has `instruction` of a register that this one defines
  std::string_view types;  ///< suffixes of the types whose kernels it concerns; empty: all
  std::string_view measured;  ///< what was wrong

  bool concerns(std::string_view suffix) const;
};
std::span<const assembler_fault> assembler_faults();

/// Whether an operation computes nothing and chooses nothing.
bool is_loaded(operation op);

/// Whether an instruction computes its value. Others load or choose: no negation can hide in what they give.
bool is_computed(const nest_body& body, std::uint32_t i);

/// What a guard asks of an operand.
struct guarded_operand {
  unsigned index = 0;          ///< among the operation's operands
  bool computed = false;       ///< is_computed()
  bool beside_choice = false;  ///< in a kernel that has a `where` of integers
};
/// The function that guards an operand of an operation of a type (facts_of(type).suffix); empty if there is
/// none.
std::string_view operand_guard_of(operation op, std::string_view suffix, const guarded_operand& operand);
/// The same for its result.
std::string_view result_guard_of(operation op, std::string_view suffix);

}  // namespace sinter::inline v0::codegen
