#pragma once
// Loops whose iterations are lanes: their statements as text on Clang's vectors.

#include <sinter/codegen/loops/ir/declared_types.hpp>
#include <sinter/codegen/math/lane_text.hpp>
#include <sinter/codegen/print/expression_printer.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::codegen {

/// Writes what choose_vectors() found to have vectors: values, assignments, combines and tests. Formulas are
/// those of one element (instruction_printer), translated (lane_text.hpp).
class lane_printer {
 public:
  lane_printer(const kernel_description& kernel, const loop_tree& tree, expression_printer& scalars);

  void open(const statement& loop);
  /// "const f32x16 v2 = v0 + v1;"
  std::string line(const statement& at);
  /// Opens a loop of a body: the lines up to its brace. Lanes leave one by one where it has a condition of
  /// its own. Then a side of a choice, which lanes take that it is for.
  std::vector<std::string> open_carried(const statement& loop);
  std::vector<std::string> open_side(const statement& choice, bool otherwise);
  /// Closes it behind its brace: the lines that follow.
  std::vector<std::string> close_body();
  /// The text of a condition: whether it holds for all lanes.
  std::string holds_for_all(expression condition);
  /// What stands in front of the kernel: types and device functions; and the scalar ones that those call.
  const lane_translator& translator() const { return translator_; }

 private:
  lane_value value(expression at);
  lane_value of_instruction(const expression_node& at, expression node);
  lane_value in_body(const instruction& made, std::span<const std::string> names,
                     std::span<const lane_value> operands);
  std::string holds_for_all(const lane_value& holds);
  lane_value operand(expression at, std::string_view spelling);
  lane_value loaded(expression place);
  bool is_gathered(const expression_node& at, expression place) const;
  lane_value gathered(expression place);
  lane_value position(expression at);
  lane_value translated(const std::string& formula, std::span<const lane_value> operands);
  std::string combine(const statement& at);
  std::string report(const statement& at);
  std::string update(const statement& at);
  std::string put(expression place, const lane_value& value);
  std::string put_past_the_cache(const statement& at);
  /// The lanes that run a body.
  struct activity {
    lane_value lanes{};                  ///< a mask; not a vector: all of them
    bool masks_assignments = false;      ///< those of a choice's results
    std::vector<std::string> results{};  ///< of a loop that lanes leave: states that are read behind it
  };
  std::vector<std::string> results_read(const statement& loop) const;
  std::string leave(const statement& at);
  std::string assign_name(const statement& at);
  lane_value active() const { return activities_.empty() ? all_lanes() : activities_.back().lanes; }
  static lane_value all_lanes() { return {"true", {'b', 1}, false}; }
  lane_type mask_of(std::uint32_t owner) const;
  bool differs(expression at) const { return mentions(tree_.expressions, at, lane_); }
  std::string type_in_memory(expression place) const;
  const instruction& code(std::uint64_t i) const { return kernel_.body.body[i]; }

  const kernel_description& kernel_;
  const loop_tree& tree_;
  expression_printer& scalars_;
  lane_translator translator_;
  std::optional<declared_types> declared_;  ///< from the first loop with vectors on
  expression lane_{};
  std::vector<activity> activities_;  ///< of the bodies that are open
};

}  // namespace sinter::inline v0::codegen
