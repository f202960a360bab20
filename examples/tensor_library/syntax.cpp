#include "syntax.hpp"

#include "errors.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace tensors {
namespace {

/// Formulas nest no deeper, so that no text makes the parser overflow the stack.
constexpr int max_depth = 200;

struct spelled_operator {
  std::string_view spelling, operation;
};
// Of two that begin alike the longer one stands first.
constexpr std::array comparisons{
    spelled_operator{"<=", "less_equal"}, spelled_operator{">=", "greater_equal"},
    spelled_operator{"==", "equal"},      spelled_operator{"!=", "not_equal"},
    spelled_operator{"<", "less"},        spelled_operator{">", "greater"}};
constexpr std::array sums{spelled_operator{"+", "add"}, spelled_operator{"-", "subtract"}};
constexpr std::array products{spelled_operator{"*", "multiply"}, spelled_operator{"//", "floor_divide"},
                              spelled_operator{"/", "true_divide"}, spelled_operator{"%", "remainder"}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class parser {
 public:
  explicit parser(std::string_view formula) : formula_(formula) {}

  expression whole() {
    expression root = comparison();
    skip_spaces();
    if (at_ != formula_.size()) fail("an operator or the end was expected");
    return root;
  }

 private:
  expression comparison() {
    expression left = sum();
    if (const auto found = next_of(comparisons)) {
      left = binary(*found, std::move(left), sum());
      if (next_of(comparisons)) fail("comparisons do not chain: use logical_and(a < b, b < c)");
    }
    return left;
  }

  expression sum() {
    expression left = product();
    while (const auto found = next_of(sums)) left = binary(*found, std::move(left), product());
    return left;
  }

  expression product() {
    expression left = unary();
    while (const auto found = next_of(products)) left = binary(*found, std::move(left), unary());
    return left;
  }

  expression unary() {
    if (++depth_ > max_depth) fail("the formula nests too deeply");
    expression result;
    skip_spaces();
    const std::size_t begin = at_;
    if (take("-")) {
      result = unary();
      if (auto* const constant = std::get_if<number>(&result.what)) {
        std::visit([](auto& value) { value = -value; }, *constant);
        result.position = begin;
      } else {
        result = applied(begin, "negative", std::move(result));
      }
    } else {
      result = power();
    }
    --depth_;
    return result;
  }

  expression power() {
    expression base = primary();
    skip_spaces();
    const std::size_t begin = at_;
    if (!take("**")) return base;
    return binary({"power", begin}, std::move(base), unary());
  }

  expression primary() {
    skip_spaces();
    const std::size_t begin = at_;
    if (take("(")) {
      expression inner = comparison();
      expect(")");
      return inner;
    }
    const char next = at_ < formula_.size() ? formula_[at_] : '\0';
    if (is_digit(next) || next == '.') return constant();
    if (!begins_name(next)) fail("a number, a name or '(' was expected");
    while (at_ < formula_.size() && (begins_name(formula_[at_]) || is_digit(formula_[at_]))) ++at_;
    std::string text(formula_.substr(begin, at_ - begin));
    if (!take("(")) return {begin, name{std::move(text)}};
    application call{std::move(text), {}};
    if (!take(")")) {
      do call.arguments.push_back(comparison());
      while (take(","));
      expect(")");
    }
    return {begin, std::move(call)};
  }

  expression constant() {
    const std::size_t begin = at_;
    const char *const first = formula_.data() + at_, *const last = formula_.data() + formula_.size();
    double real = 0;
    const auto [real_end, real_error] = std::from_chars(first, last, real);
    if (real_error != std::errc()) fail("a number that float64 can hold was expected");
    std::int64_t whole = 0;
    const auto [whole_end, whole_error] = std::from_chars(first, last, whole);
    const bool is_whole = whole_end == real_end;
    if (is_whole && whole_error != std::errc())
      fail("an integer outside the range of int64: write 1e20 as a real number");
    at_ += static_cast<std::size_t>(real_end - first);
    return {begin, is_whole ? number(whole) : number(real)};
  }

  struct found_operator {
    std::string_view operation;
    std::size_t position;
  };

  template <std::size_t Count>
  std::optional<found_operator> next_of(const std::array<spelled_operator, Count>& operators) {
    skip_spaces();
    const std::size_t begin = at_;
    for (const spelled_operator& each : operators)
      if (take(each.spelling)) return found_operator{each.operation, begin};
    return std::nullopt;
  }

  static expression binary(const found_operator& found, expression left, expression right) {
    application call{std::string(found.operation), {}};
    call.arguments.push_back(std::move(left));
    call.arguments.push_back(std::move(right));
    return {found.position, std::move(call)};
  }
  static expression applied(std::size_t position, const char* operation, expression operand) {
    application call{operation, {}};
    call.arguments.push_back(std::move(operand));
    return {position, std::move(call)};
  }

  void skip_spaces() {
    while (at_ < formula_.size() && (formula_[at_] == ' ' || formula_[at_] == '\n' || formula_[at_] == '\t'))
      ++at_;
  }
  bool take(std::string_view spelling) {
    skip_spaces();
    if (formula_.substr(at_, spelling.size()) != spelling) return false;
    at_ += spelling.size();
    return true;
  }
  void expect(std::string_view spelling) {
    if (!take(spelling)) fail("'" + std::string(spelling) + "' was expected");
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw formula_error(formula_error::kind::syntax, formula_, at_, message);
  }

  std::string_view formula_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

expression parse(std::string_view formula) { return parser(formula).whole(); }

}  // namespace tensors
