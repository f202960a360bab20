#pragma once
// Which device function an instruction of a kernel calls, and whether that has a fast path.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/math/device_functions.hpp>

#include <string>

namespace sinter::inline v0::codegen {

text_target text_target_of(const kernel_description& kernel);
text_mode text_mode_of(const kernel_description& kernel);

/// "exp_f32": the function of an operation for a type, its own where a half type has one.
std::string function_name(const kernel_description& kernel, std::string_view operation, element_type type);

/// The function that an instruction of the kernel calls, which its operands may decide; empty where text
/// spells the operation, casts, or calls a user's function.
std::string function_of(const kernel_description& kernel, const instruction& made);

/// An operation whose operands are texts. It names no instructions, so its function cannot be chosen by
/// looking operands up in a body that it does not belong to: the combine of a reduction once took a literal
/// for its bound.
struct applied_operation {
  operation op{};
  element_type type{};     ///< type of the result
  element_type compute{};  ///< type of the operands
  unsigned arity = 0;
  bool fused = false;         ///< see instruction::fused
  bool negated = false;       ///< see instruction::negated
  std::uint8_t computed = 0;  ///< a bit for each operand: whether it is_computed()
  std::uint8_t literals = 0;  ///< likewise: whether it is a literal
  std::string function = {};  ///< the device function it calls; empty where text spells the operation
};

/// What an instruction of the kernel applies.
applied_operation applied_by(const kernel_description& kernel, const instruction& made);
/// What combines two values of a reduction or scan, whatever they are.
applied_operation combine_of(const kernel_description& kernel, const instruction& reduction);

/// Whether an instruction calls a function that has a cheaper form for most arguments
/// (device_function::fast_name).
bool has_fast_path(const kernel_description& kernel, const instruction& made);
/// Whether any instruction of a kernel does.
bool has_fast_paths(const kernel_description& kernel);

}  // namespace sinter::inline v0::codegen
