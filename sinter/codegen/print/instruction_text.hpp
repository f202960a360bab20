#pragma once
// Instructions of a nest as C++ expressions, from the texts of their operands.

#include <sinter/codegen/math/instruction_function.hpp>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace sinter::inline v0::codegen {

/// Writes the instructions of one kernel, and notes the device functions that they call.
class instruction_printer {
 public:
  explicit instruction_printer(const kernel_description& kernel);

  /// The value of an instruction. The operand of an input is its element in memory, that of a coordinate its
  /// position; operations take the values of their arguments.
  std::string value(const instruction& at, std::span<const std::string> operands);
  /// The same by the fast path of the function that it calls, and whether the operands may take it.
  std::string value_of_fast_path(const instruction& at, std::span<const std::string> operands);
  std::string fast_path_test(const instruction& at, std::span<const std::string> operands);

  /// What a reduction or scan begins with.
  std::string start(const instruction& reduction) const;
  /// Two values of a reduction or scan combined: "maximum_f32(a, b)".
  std::string combined(const instruction& reduction, const std::string& a, const std::string& b);
  /// Whether argmax or argmin prefers a value at a position to another: "argmax_f32(v, p, a, q)".
  std::string preferred(const instruction& reduction, const std::string& value, const std::string& position,
                        const std::string& than, const std::string& than_position);
  /// The same of a value at a later position.
  std::string preferred_later(const instruction& reduction, const std::string& value,
                              const std::string& than);
  /// A value as an element of `type` lies in memory.
  std::string stored(element_type type, const std::string& value);

  /// The device function through which a choice's condition goes; empty if none.
  std::string_view guard_of_choice(const instruction& choice);

  /// The device functions that were called, in order of their first calls.
  std::span<const std::string_view> functions() const { return functions_; }

 private:
  std::string guarded_value(const instruction& reduction, const std::string& value);
  std::string call(const std::string& name, std::initializer_list<std::string_view> arguments);
  void use(std::string_view name);
  const device_function& find(const std::string& name) const;
  std::string load(element_type type, const std::string& element);
  std::string round_to(element_type type, const std::string& value);
  using operand_texts = std::array<std::string, 3>;
  /// The operands, or texts in `guarded` that the assembler does not see through.
  std::span<const std::string> guarded_operands(const applied_operation& at,
                                                std::span<const std::string> operands,
                                                operand_texts& guarded);
  /// The function that guards operands or the result of an operation; empty if none does.
  std::string operand_guard(operation op, element_type compute, unsigned i, bool computed) const;
  std::string result_guard(const applied_operation& at) const;
  std::string operation_value(const applied_operation& at, std::span<const std::string> operands);
  std::string operation_text(const applied_operation& at, std::span<const std::string> operands);
  std::string spelled_text(const applied_operation& at, std::span<const std::string> operands);
  std::string external_text(const instruction& at, std::span<const std::string> operands) const;
  std::string guarded_widening(const instruction& at, const std::string& value);
  std::string cast_text(const instruction& at, const std::string& value);
  /// Whether the target has a device function.
  bool has(std::string_view function) const;

  const kernel_description& kernel_;
  bool loads_signs_;            ///< loads keep signs of NaN, because some instruction looks at them
  bool booleans_in_registers_;  ///< see shares_booleans()
  bool chooses_integers_;       ///< see assembler_guard::beside_choice
  bool bounds_halves_;          ///< see makes_floats_of_integers()
  bool by_fast_path_ = false;   ///< what is being written
  std::vector<std::string_view> functions_;
};

/// "float (*)(float, int)", or with a name for the middle part.
std::string external_type(const external_function& called, std::string_view middle);

}  // namespace sinter::inline v0::codegen
