#pragma once
// Writes a loop tree as text, in a target's dialect. It decides nothing: a statement is a line, or a block of
// lines.

#include <sinter/codegen/loops/loop_ir.hpp>
#include <sinter/codegen/print/dialect.hpp>
#include <sinter/codegen/print/instruction_text.hpp>
#include <sinter/codegen/print/text_writer.hpp>

namespace sinter::codegen {

class loop_printer {
 public:
  loop_printer(const kernel_description& kernel, const loop_tree& tree, const dialect& spelling,
               text_writer& out)
      : kernel_(kernel), tree_(tree), spelling_(spelling), out_(out), instructions_(kernel) {}

  /// Writes the statements of a list.
  void print(statement_id first);
  /// Device functions that what was printed calls.
  std::span<const std::string_view> functions() const { return instructions_.functions(); }
  /// Names of the helpers that what was printed calls.
  std::span<const std::string_view> helpers() const { return helpers_; }

 private:
  void print_statement(statement_id id);
  void print_nested(const statement& at);
  void print_inside(const statement& at);
  void print_declaration(statement_id id);
  void print_speculation(const statement& at);
  std::string_view line_before(loop_kind kind) const;

  // Parts of a line.
  /// "v0 = …;": a statement that is one line.
  void append_line(std::string& text, const statement& at);
  void append_variable(std::string& text, const statement& at);
  void append_move(std::string& text, const statement& at);
  void append_combine(std::string& text, const statement& at);
  void append_loop_header(std::string& text, const statement& at);
  void append_guard_header(std::string& text, const statement& at);
  std::string text_of_advance(const statement& at);

  /// Appends parts one after the other: texts, numbers, types and expressions.
  template <typename... Parts>
  void put(std::string& text, const Parts&... parts) {
    (append(text, parts), ...);
  }
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
  std::string text_of(expression at, int least_precedence = 0);

  const kernel_description& kernel_;
  const loop_tree& tree_;
  const dialect& spelling_;
  text_writer& out_;
  instruction_printer instructions_;
  std::vector<std::string_view> helpers_;
};

}  // namespace sinter::codegen
