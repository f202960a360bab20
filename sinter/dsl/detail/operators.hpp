#pragma once
// The C++ operators of operands: hidden friends, so that they are found only where a value, array, view or
// expression takes part. An implicit conversion of their first (or second) parameter captures the source
// line; == and != have none, because C++20 also tries them with exchanged operands.

#include <sinter/codegen/graph/operation.hpp>

#include <source_location>
#include <type_traits>
#include <utility>

namespace sinter::inline v0::detail {

using location = std::source_location;

template <class...>
inline constexpr bool never = false;

/// An operand and its source line. Arrays have a specialisation that does not copy them.
template <class Operand>
struct located {
  Operand operand;
  location at;
  located(const Operand& from, location where = location::current()) : operand(from), at(where) {}
  located(Operand&& from, location where = location::current()) : operand(std::move(from)), at(where) {}
};

/// The same for the left side of a compound assignment.
template <class Operand>
struct located_target {
  Operand& operand;
  location at;
  located_target(Operand& target, location where = location::current()) : operand(target), at(where) {}
  located_target(Operand&& target, location where = location::current()) : operand(target), at(where) {}
};

/// Records the operation if a value takes part, otherwise makes a lazy expression (expression.hpp).
template <operation Op, class... Operands>
auto apply(const location& at, Operands&&... operands);
/// The same for / and %, which do not compile for integers.
template <class A, class B>
auto divide(const location& at, A&& a, B&& b);
template <class A, class B>
auto modulo(const location& at, A&& a, B&& b);
template <class Target, class B>
void assign_divided(const location& at, Target& target, B&& operand);
/// The same for <, <=, > and >=, which do not compile between a boolean and a number.
template <operation Op, class A, class B>
auto compare(const location& at, A&& a, B&& b);
/// target = target op operand, in place, keeping the target's element type.
template <operation Op, class Target, class B>
void assign_applied(const location& at, Target& target, B&& operand);

struct operators_base {};
/// Whether a type defines these operators: value, array, view or lazy expression.
template <class T>
constexpr bool has_operators() {
  return std::is_base_of_v<operators_base, T>;
}
template <class Self, class A, class B>
constexpr bool takes_comparison() {
  using left = std::remove_cvref_t<A>;
  return std::is_same_v<left, Self> ||
         (std::is_same_v<std::remove_cvref_t<B>, Self> && !has_operators<left>());
}
template <class Self, class A, class B>
constexpr bool takes_bool() {
  using left = std::remove_cvref_t<A>;
  using right = std::remove_cvref_t<B>;
  return (std::is_same_v<left, Self> && std::is_same_v<right, bool>) ||
         (std::is_same_v<left, bool> && std::is_same_v<right, Self>);
}
/// Whether a type can be the other operand (operand.hpp).
template <class T>
constexpr bool is_operand_type();

#define SINTER_OPERATOR(symbol, function)                                                 \
  template <class B>                                                                      \
  friend auto operator symbol(located<Self> a, B&& b) {                                   \
    return function(a.at, std::move(a.operand), std::forward<B>(b));                      \
  }                                                                                       \
  template <class A, std::enable_if_t<!has_operators<std::remove_cvref_t<A>>(), int> = 0> \
  friend auto operator symbol(A&& a, located<Self> b) {                                   \
    return function(b.at, std::forward<A>(a), std::move(b.operand));                      \
  }
// Output streams use << too: the left side must be an operand, so that users can define printing.
#define SINTER_SHIFT(symbol, function)                                               \
  template <class B>                                                                 \
  friend auto operator symbol(located<Self> a, B&& b) {                              \
    return function(a.at, std::move(a.operand), std::forward<B>(b));                 \
  }                                                                                  \
  template <class A, std::enable_if_t<!has_operators<std::remove_cvref_t<A>>() &&    \
                                          is_operand_type<std::remove_cvref_t<A>>(), \
                                      int> = 0>                                      \
  friend auto operator symbol(A&& a, located<Self> b) {                              \
    return function(b.at, std::forward<A>(a), std::move(b.operand));                 \
  }
// These forward their operands, so that expressions own temporary arrays. `x == y` is also tried as `y == x`:
// with equal conversions and constraints, compilers choose the order as written.
#define SINTER_COMPARISON(symbol, function)                                              \
  template <class A, class B, std::enable_if_t<takes_comparison<Self, A, B>(), int> = 0> \
  friend auto operator symbol(A&& a, B&& b) {                                            \
    return function(location{}, std::forward<A>(a), std::forward<B>(b));                 \
  }
// With a C++ bool, the built-in && and || are as good as a function that converts the other operand, and then
// preferred. So this one converts neither; no shape can mismatch, so the source line is not missed.
#define SINTER_LOGICAL(symbol, function)                                           \
  SINTER_OPERATOR(symbol, function)                                                \
  template <class A, class B, std::enable_if_t<takes_bool<Self, A, B>(), int> = 0> \
  friend auto operator symbol(A&& a, B&& b) {                                      \
    return function(location{}, std::forward<A>(a), std::forward<B>(b));           \
  }
#define SINTER_UNARY(symbol, function) \
  friend auto operator symbol(located<Self> a) { return function(a.at, std::move(a.operand)); }

template <class Self>
struct operators : operators_base {
  SINTER_OPERATOR(+, apply<operation::add>)
  SINTER_OPERATOR(-, apply<operation::subtract>)
  SINTER_OPERATOR(*, apply<operation::multiply>)
  SINTER_OPERATOR(/, divide)
  SINTER_OPERATOR(%, modulo)
  SINTER_OPERATOR(<, compare<operation::less>)
  SINTER_OPERATOR(<=, compare<operation::less_equal>)
  SINTER_OPERATOR(>, compare<operation::greater>)
  SINTER_OPERATOR(>=, compare<operation::greater_equal>)
  SINTER_LOGICAL(&&, apply<operation::logical_and>)
  SINTER_LOGICAL(||, apply<operation::logical_or>)
  SINTER_OPERATOR(&, apply<operation::bitwise_and>)
  SINTER_OPERATOR(|, apply<operation::bitwise_or>)
  SINTER_OPERATOR(^, apply<operation::bitwise_xor>)
  SINTER_SHIFT(<<, apply<operation::left_shift>)
  SINTER_SHIFT(>>, apply<operation::right_shift>)
  SINTER_COMPARISON(==, apply<operation::equal>)
  SINTER_COMPARISON(!=, apply<operation::not_equal>)
  SINTER_UNARY(-, apply<operation::negative>)
  SINTER_UNARY(+, apply<operation::positive>)
  SINTER_UNARY(~, apply<operation::bitwise_not>)
  // Takes Self without a conversion: the built-in ! has one too, to bool.
  friend auto operator!(const Self& a) { return apply<operation::logical_not>(location{}, a); }
  friend auto operator!(Self&& a) { return apply<operation::logical_not>(location{}, std::move(a)); }
};

#undef SINTER_OPERATOR
#undef SINTER_SHIFT
#undef SINTER_COMPARISON
#undef SINTER_LOGICAL
#undef SINTER_UNARY

#define SINTER_ASSIGNMENT(symbol, op)                                   \
  template <class B>                                                    \
  friend Self& operator symbol(located_target<Self> a, B && b) {        \
    assign_applied<operation::op>(a.at, a.operand, std::forward<B>(b)); \
    return a.operand;                                                   \
  }

/// Compound assignments to values, arrays and views.
template <class Self>
struct compound_operators : operators<Self> {
  SINTER_ASSIGNMENT(+=, add)
  SINTER_ASSIGNMENT(-=, subtract)
  SINTER_ASSIGNMENT(*=, multiply)
  SINTER_ASSIGNMENT(&=, bitwise_and)
  SINTER_ASSIGNMENT(|=, bitwise_or)
  SINTER_ASSIGNMENT(^=, bitwise_xor)
  SINTER_ASSIGNMENT(<<=, left_shift)
  SINTER_ASSIGNMENT(>>=, right_shift)
  template <class B>
  friend Self& operator/=(located_target<Self> a, B&& b) {
    assign_divided(a.at, a.operand, std::forward<B>(b));
    return a.operand;
  }
};

#undef SINTER_ASSIGNMENT

}  // namespace sinter::inline v0::detail
