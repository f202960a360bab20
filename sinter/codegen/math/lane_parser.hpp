#pragma once
// Reads the C++ of formulas, and writes it for vectors.

#include <sinter/codegen/math/lane_text.hpp>
#include <sinter/codegen/math/lane_tokens.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::codegen {

/// "unsigned int" for {u, 4}, bool for masks.
std::string_view spelling_of(lane_type type);

/// Reads statements and expressions, and writes them for vectors.
class lane_parser {
 public:
  lane_parser(lane_translator& to, std::string_view text) : to_(to), all_(tokens_of(text)) {}

  lane_value expression() { return choice(); }

  /// Statements up to the end of a function's body.
  std::string body(const lane_translator::signature& types);
  void skip_past(std::string_view sign) {
    while (take() != sign) {
    }
  }

 private:
  using token = std::string_view;

  bool at_end() const { return at_ == all_.size(); }
  token peek(std::size_t ahead = 0) const { return at_ + ahead < all_.size() ? all_[at_ + ahead] : token(); }
  token take() { return all_[at_++]; }
  bool take_if(std::string_view sign);

  /// The type that is spelled from here on, which is then behind; none if none is.
  bool take_type(lane_type& type);

  // Statements.

  std::string statement(const lane_translator::signature& types);
  /// A table stays one of scalars.
  std::string table();
  std::string declaration(lane_type type, bool is_constant);
  std::string assignment();

  // Expressions.

  lane_value choice();

  static int rank_of(token sign);
  lane_value operation(int min_rank);
  lane_value binary(token sign, const lane_value& a, const lane_value& b);

  lane_value unary();

  lane_value primary();
  lane_value looked_up(const lane_value& table);

  std::vector<lane_value> arguments();
  lane_value call(token name);
  /// A helper of kernels whose arguments are constants: float_from_bits(1u).
  lane_value scalar_call(token name);
  lane_value bit_cast();
  /// "fmaf", "rint" and the like; numbers that do not end in f are of doubles.
  lane_value builtin_call(std::string_view kind);

  lane_translator& to_;
  std::vector<token> all_;
  std::size_t at_ = 0;
};

}  // namespace sinter::inline v0::codegen
