#pragma once
// Statements of instructions that run bodies: loops with carried states, and choices. A state is a variable
// that has the name of its `carried` instruction; a result of a choice has one of its own.

#include <sinter/codegen/loops/statements/loop_writer.hpp>
#include <sinter/codegen/nest/nest.hpp>

#include <functional>
#include <span>
#include <vector>

namespace sinter::inline v0::codegen {

/// What evaluates the bodies of neighbouring elements.
enum class lanes_of_bodies : std::uint8_t {
  threads,     ///< of a GPU, one for each
  one_vector,  ///< one thread, as lanes of a vector
};

class body_statements {
 public:
  /// `value` names the value of an instruction outside of all bodies.
  using value_of_instruction = std::function<expression(std::uint32_t)>;
  /// Indices are reported for `lanes_reported` alone.
  body_statements(const nest_body& body, lanes_of_bodies lanes, loop_writer& out, value_of_instruction value,
                  const lanes_with_elements& lanes_reported)
      : body_(body), lanes_(lanes), out_(out), outer_value_(std::move(value)), reported_(lanes_reported) {}

  /// Writes what a loop or a choice runs.
  void write(std::uint32_t owner);
  /// Writes what combines partial values: `to` may be those of a side. In one list of statements once.
  void write_combined(std::uint32_t owner, std::span<const expression> left,
                      std::span<const expression> right, std::span<const expression> to);
  /// Writes `let` of a component of such an instruction, or returns its value.
  expression component(std::uint32_t instruction);

 private:
  const instruction& code(std::uint32_t i) const { return body_.body[i]; }
  expression value(std::uint32_t i);
  expression result_name(std::uint32_t owner, std::size_t result);
  expression evaluated(std::uint32_t i);
  void write_loop(std::uint32_t owner);
  void write_choice(std::uint32_t owner);
  void write_inside(std::uint32_t i);
  void write_report(std::uint32_t i);
  expression element(std::uint32_t i);
  std::vector<bool> needed_before_leaving(std::uint32_t owner, std::uint32_t condition) const;
  void write_once(std::uint32_t owner, const std::vector<bool>& wanted, std::vector<bool>& written);
  std::vector<std::uint32_t> conditions_of(std::uint32_t owner, std::vector<bool>& written) const;
  expression next_states(std::uint32_t owner);
  expression iteration_of(std::uint32_t owner);

  const nest_body& body_;
  lanes_of_bodies lanes_;
  loop_writer& out_;
  value_of_instruction outer_value_;
  lanes_with_elements reported_;
};

}  // namespace sinter::inline v0::codegen
