#pragma once
// Expressions and types of the loop IR as text, in a target's dialect.

#include <sinter/codegen/loops/ir/loop_ir.hpp>
#include <sinter/codegen/print/dialect.hpp>
#include <sinter/codegen/print/instruction_text.hpp>
#include <sinter/codegen/print/text/text_buffer.hpp>

namespace sinter::inline v0::codegen {

class expression_printer {
 public:
  expression_printer(const kernel_description& kernel, const loop_tree& tree, const dialect& spelling)
      : kernel_(kernel), tree_(tree), spelling_(spelling), instructions_(kernel) {}

  /// Appends parts one after the other: texts, numbers, types and expressions.
  template <typename... Parts>
  void put(text_buffer& text, const Parts&... parts) {
    (append(text, parts), ...);
  }
  /// Appends a pattern of the dialect with expressions in the place of each {}.
  struct placed {
    expression at;
    int min_precedence = 0;
  };
  void put_into(text_buffer& text, std::string_view pattern, std::initializer_list<placed> expressions = {});
  /// Appends an expression, in parentheses if its operator binds less than that.
  void put_operand(text_buffer& text, expression at, int min_precedence) {
    append_expression(text, at.id, min_precedence);
  }
  std::string text_of(expression at);

  instruction_printer& instructions() { return instructions_; }
  std::span<const std::string_view> functions() const { return instructions_.functions(); }
  /// The functions that calls and patterns of the dialect name, those of instructions aside.
  std::span<const std::string_view> helpers() const { return helpers_; }
  /// Adds one to them. `name` is a literal.
  void note_helper(std::string_view name);

 private:
  void append(text_buffer& text, std::string_view part) const { text += part; }
  void append(text_buffer& text, std::int64_t number) const { text += number; }
  void append(text_buffer& text, const value_type& type);
  void append(text_buffer& text, const expression& at) { append_expression(text, at.id, 0); }
  void append_expression(text_buffer& text, std::uint32_t id, int min_precedence);
  void append_integer(text_buffer& text, std::int64_t value);
  void append_choice(text_buffer& text, std::span<const std::uint32_t> operands);
  void append_element(text_buffer& text, std::span<const std::uint32_t> operands, std::string_view opening);
  void append_operands(text_buffer& text, std::uint32_t id, std::string_view sign, int left, int right);
  void append_sum(text_buffer& text, std::uint32_t id);
  void append_quotient(text_buffer& text, std::uint32_t id);
  void append_call(text_buffer& text, std::uint32_t id);
  void append_array_pointer(text_buffer& text, std::uint32_t access);
  void append_instruction(text_buffer& text, std::uint32_t id);

  const kernel_description& kernel_;
  const loop_tree& tree_;
  const dialect& spelling_;
  instruction_printer instructions_;
  std::vector<std::string_view> helpers_;
  text_buffer scratch_;  ///< where text_of() writes
};

}  // namespace sinter::inline v0::codegen
