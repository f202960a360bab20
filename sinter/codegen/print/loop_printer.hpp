#pragma once
// Writes a loop tree as text, in a target's dialect. It decides nothing: a statement is a line, or a block of
// lines.

#include <sinter/codegen/print/expression_printer.hpp>
#include <sinter/codegen/print/lane_printer.hpp>
#include <sinter/codegen/print/text/text_writer.hpp>

namespace sinter::inline v0::codegen {

class loop_printer {
 public:
  loop_printer(const kernel_description& kernel, const loop_tree& tree, const dialect& spelling,
               text_writer& out)
      : kernel_(kernel),
        tree_(tree),
        spelling_(spelling),
        out_(out),
        print_(kernel, tree, spelling),
        lanes_(kernel, tree, print_) {}

  /// Writes the statements of a list.
  void print(statement_id first);
  /// Device functions that what was printed calls.
  std::span<const std::string_view> functions() const { return print_.functions(); }
  /// What loops over lanes need in front of the kernel.
  const lane_translator& lanes() const { return lanes_.translator(); }
  instruction_printer& instructions() { return print_.instructions(); }
  /// Names of the helpers that what was printed calls.
  std::span<const std::string_view> helpers() const { return print_.helpers(); }

 private:
  void print_statement(statement_id id);
  void print_launched(const statement& at);
  void print_nested(const statement& at);
  /// A loop or a choice of a body, inside of a loop over lanes.
  void print_in_lanes(const statement& at);
  void print_inside(const statement& at);
  void print_next_states(const statement& loop);
  bool is_brief(const statement& at) const;
  void print_speculation(const statement& at);
  std::string_view line_before(loop_kind kind) const;

  // Parts of a line.
  /// "v0 = …;": a statement that is one line.
  void append_line(text_buffer& text, const statement& at);
  void append_report(text_buffer& text, const statement& at);
  void append_update(text_buffer& text, const statement& at);
  bool is_left_by_reports(const statement& at) const;
  void append_variable(text_buffer& text, const statement& at);
  void append_move(text_buffer& text, const statement& at);
  void append_combine(text_buffer& text, const statement& at);
  void append_loop_header(text_buffer& text, const statement& at);
  void append_guard_header(text_buffer& text, const statement& at);
  void append_advance(text_buffer& text, const statement& at);

  const kernel_description& kernel_;
  const loop_tree& tree_;
  const dialect& spelling_;
  text_writer& out_;
  expression_printer print_;
  lane_printer lanes_;
  std::vector<int> labels_;  ///< behind the loops that reports leave, around what is printed
  int next_label_ = 0;
  bool in_lanes_ = false;  ///< inside a loop whose iterations are lanes
};

}  // namespace sinter::inline v0::codegen
