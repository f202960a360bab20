#pragma once
// Expressions and types of the loop IR as text, in a target's dialect.

#include <sinter/codegen/loops/loop_ir.hpp>
#include <sinter/codegen/print/dialect.hpp>
#include <sinter/codegen/print/instruction_text.hpp>

namespace sinter::inline v0::codegen {

class expression_printer {
 public:
  expression_printer(const kernel_description& kernel, const loop_tree& tree, const dialect& spelling)
      : kernel_(kernel), tree_(tree), spelling_(spelling), instructions_(kernel) {}

  /// Appends parts one after the other: texts, numbers, types and expressions.
  template <typename... Parts>
  void put(std::string& text, const Parts&... parts) {
    (append(text, parts), ...);
  }
  std::string text_of(expression at, int least_precedence = 0);

  instruction_printer& instructions() { return instructions_; }
  std::span<const std::string_view> functions() const { return instructions_.functions(); }
  std::span<const std::string_view> helpers() const { return helpers_; }

 private:
  void append(std::string& text, std::string_view part) const { text += part; }
  void append(std::string& text, std::int64_t number) const;
  void append(std::string& text, const value_type& type);
  void append(std::string& text, const expression& at) { append_expression(text, at.id, 0); }
  void append_expression(std::string& text, std::uint32_t id, int least_precedence);
  void append_operands(std::string& text, std::uint32_t id, std::string_view sign, int left, int right);
  void append_sum(std::string& text, std::uint32_t id);
  void append_quotient(std::string& text, std::uint32_t id);
  void append_call(std::string& text, std::uint32_t id);
  void append_array_pointer(std::string& text, std::uint32_t access);
  void append_instruction(std::string& text, std::uint32_t id);

  const kernel_description& kernel_;
  const loop_tree& tree_;
  const dialect& spelling_;
  instruction_printer instructions_;
  std::vector<std::string_view> helpers_;
};

}  // namespace sinter::inline v0::codegen
