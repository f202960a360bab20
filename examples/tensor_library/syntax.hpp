// Formulas as text, and the tree that they are parsed to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tensors {

struct expression;

/// A number: an integer without point and exponent, else a real one.
using number = std::variant<std::int64_t, double>;

struct name {
  std::string text;
};
/// A call, or an operator, which is a call of the operation that it stands for: "x + y" is add(x, y).
struct application {
  std::string operation;
  std::vector<expression> arguments;
};

struct expression {
  std::size_t position = 0;  ///< in the formula: of an operator the operator's own
  std::variant<number, name, application> what;
};

/// Parses a formula. Throws formula_error with the position.
///
///     comparison = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
///     sum        = product { ("+" | "-") product }
///     product    = unary { ("*" | "/" | "//" | "%") unary }
///     unary      = "-" unary | power
///     power      = primary [ "**" unary ]
///     primary    = number | name [ "(" [ comparison { "," comparison } ] ")" ] | "(" comparison ")"
expression parse(std::string_view formula);

}  // namespace tensors
