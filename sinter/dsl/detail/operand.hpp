#pragma once
// What can be an operand, and how each kind becomes a value of the current recording.

#include <sinter/codegen/types/number.hpp>
#include <sinter/codegen/types/type_rules.hpp>
#include <sinter/dsl/detail/operators.hpp>
#include <sinter/dsl/detail/recording.hpp>
#include <sinter/dsl/element.hpp>
#include <sinter/dsl/foreign/foreign_tensor.hpp>

#include <cstring>
#include <initializer_list>

namespace sinter::inline v0 {

template <class T, unsigned Rank>
class value;
template <element T, unsigned Rank>
class array;
template <element T, unsigned Rank>
class view;
class any_view;
class any_array;

namespace detail {

enum class operand_kind : std::uint8_t {
  none,
  value,   ///< exists while recording
  array,   ///< an array, a view, or a foreign tensor of known element type and rank
  lazy,    ///< an expression over arrays
  scalar,  ///< a C++ number, a constant, a literal
};

struct lazy_base {};

/// kind, and where that is not none: type and rank. Scalars also know whether they are literals.
template <class T>
struct operand_info {
  static constexpr operand_kind kind = operand_kind::none;
};
struct scalar_info {
  static constexpr operand_kind kind = operand_kind::scalar;
  static constexpr unsigned rank = 0;
};
template <class T>
  requires std::is_arithmetic_v<T>
struct operand_info<T> : scalar_info {
  static constexpr bool literal = false;
  static constexpr operand_type type = number_type<T>;
};
/// A C++ scalar of a type that is computed in a wider one.
template <class T>
concept storage_only_scalar = element<T> && is_storage_only(element_type_of<T>);
template <storage_only_scalar T>
struct operand_info<T> : scalar_info {
  static constexpr bool literal = false;
  static constexpr operand_type type = operand_type_of<T>;
};
// nan is a function of the C library; as an operand its name means the number.
template <class T>
concept nan_name = std::is_function_v<T> && std::is_convertible_v<T*, double (*)(const char*)>;
template <nan_name T>
struct operand_info<T> : scalar_info {
  static constexpr bool literal = true;
  static constexpr operand_type type{element_type::float64, true};
};

template <class T, unsigned Rank>
struct operand_info<value<T, Rank>> {
  static constexpr operand_kind kind = operand_kind::value;
  static constexpr operand_type type = operand_type_of<T>;
  static constexpr unsigned rank = Rank;
};
template <class T, unsigned Rank>
struct array_info {
  static constexpr operand_kind kind = operand_kind::array;
  static constexpr operand_type type{element_type_of<T>, false};
  static constexpr unsigned rank = Rank;
  using viewed = view<T, Rank>;
};
template <class T, unsigned Rank>
struct operand_info<array<T, Rank>> : array_info<T, Rank> {};
template <class T, unsigned Rank>
struct operand_info<view<T, Rank>> : array_info<T, Rank> {};
template <class T>
  requires std::is_base_of_v<lazy_base, T>
struct operand_info<T> {
  static constexpr operand_kind kind = operand_kind::lazy;
  static constexpr operand_type type = T::result_type;
  static constexpr unsigned rank = T::result_rank;
};

template <class View>
struct foreign_info {};
template <class T, unsigned Rank>
struct foreign_info<view<T, Rank>> : array_info<T, Rank> {};
template <class T>
using info_of_borrowed = foreign_info<std::remove_cvref_t<decltype(detail::borrow(std::declval<T&>()))>>;
/// A foreign type whose elements are borrowed as a view (foreign_tensor.hpp).
template <class T>
concept foreign = std::is_class_v<T> && !std::is_base_of_v<lazy_base, T> && has_view<T> &&
                  requires { info_of_borrowed<T>::kind; };
template <foreign T>
struct operand_info<T> : info_of_borrowed<T> {};

/// A tensor whose element type and rank are known at run time, which is no operand for that reason.
template <class T>
concept needs_type = operand_info<T>::kind == operand_kind::none &&
                     (std::is_same_v<T, any_view> || std::is_same_v<T, any_array> || has_foreign_any_view<T>);

template <class T>
using info_of = operand_info<std::remove_cvref_t<T>>;
template <class T>
inline constexpr operand_kind kind_of_operand = info_of<T>::kind;
template <class T>
constexpr bool is_operand_type() {
  return operand_info<T>::kind != operand_kind::none;
}
/// A Sinter type or a foreign tensor: one such operand makes a call one of Sinter's functions.
template <class T>
concept sinter_operand =
    kind_of_operand<T> == operand_kind::value || kind_of_operand<T> == operand_kind::array ||
    kind_of_operand<T> == operand_kind::lazy;
template <class... T>
concept any_sinter_operand = (sinter_operand<T> || ...);

/// An array of indices among the items of x(…).
template <class T>
concept index_array = sinter_operand<T>;
/// x at items of which some are arrays of indices (parts/indexing.hpp).
template <class X, class... Items>
auto indexed(const X& x, const Items&... items);

// ---- scalars ----

template <class T>
  requires std::is_arithmetic_v<T>
constexpr scalar_source source_of(T number) {
  return {number_type<T>, false, number_bits(number)};
}
template <storage_only_scalar T>
scalar_source source_of(const T& number) {
  std::uint64_t bits = 0;  // little-endian, as all that runs kernels is
  std::memcpy(&bits, &number, sizeof number);
  return {operand_type_of<T>, false, bits};
}
/// A scalar type that a separate header adds (sinter/complex.hpp).
template <class T>
  requires requires(const T& number) { operand_info<T>::source(number); }
constexpr scalar_source source_of(const T& number) {
  return operand_info<T>::source(number);
}
template <nan_name T>
constexpr scalar_source source_of(T&) {
  return {operand_info<T>::type, true, 0x7ff8000000000000u};
}

// ---- values of the current recording ----

template <class T, unsigned Rank>
typed_value erased(const value<T, Rank>& from) {
  return {from.recorded(), operand_type_of<T>, Rank};
}

/// Any operand as a value of the current recording; a scalar gets the type `met`.
template <class Operand>
typed_value recorded_operand(Operand&& operand, operand_type met, const location& at = {}) {
  using info = info_of<Operand>;
  if constexpr (info::kind == operand_kind::value)
    return erased(operand);
  else if constexpr (info::kind == operand_kind::lazy)
    return operand.replay();
  else if constexpr (info::kind == operand_kind::array)
    return {record_operand(detail::borrow(operand).erased()), info::type, info::rank};
  else
    return {record_scalar(source_of(operand), met.type, at), met, 0};
}

// ---- types of an operation ----

constexpr unsigned highest_of(std::initializer_list<unsigned> ranks) {
  unsigned highest = 0;
  for (unsigned rank : ranks) highest = rank > highest ? rank : highest;
  return highest;
}

/// Types and rank of an operation on these operands, by the same rules as the run-time builder.
template <operation Op, class... Operands>
struct application {
  static constexpr operation_types types = apply_rule(facts_of(Op).rule, info_of<Operands>::type...);
  static constexpr unsigned rank = highest_of({info_of<Operands>::rank...});
  static constexpr operand_type result_type = settled_elements(types.result, rank);
  using result = spelling_of<result_type.type, result_type.weak>;

  /// The type to which operand `position`, a scalar of type `own`, is converted.
  static constexpr operand_type met(unsigned position, operand_type own) {
    return type_of_scalar(facts_of(Op).rule, types, (is_inexact(info_of<Operands>::type.type) || ...),
                          sizeof...(Operands), position, own);
  }
};

template <class... Operands>
inline constexpr bool is_value_with_scalar = false;
template <class A, class B>
inline constexpr bool is_value_with_scalar<A, B> =
    (kind_of_operand<A> == operand_kind::value && kind_of_operand<B> == operand_kind::scalar) ||
    (kind_of_operand<A> == operand_kind::scalar && kind_of_operand<B> == operand_kind::value);

template <operation Op, class Applied, class A, class B>
recorded_value record_value_with_scalar(const location& at, const A& a, const B& b) {
  if constexpr (kind_of_operand<A> == operand_kind::value)
    return record_with_scalar(Op, erased(a), source_of(b), Applied::met(1, info_of<B>::type), false, at);
  else
    return record_with_scalar(Op, erased(b), source_of(a), Applied::met(0, info_of<A>::type), true, at);
}

/// An operation of which at least one operand is a value.
template <operation Op, class Applied, class... Operands>
recorded_value record_application(const location& at, Operands&... operands) {
  if constexpr (is_value_with_scalar<Operands...>) {
    return record_value_with_scalar<Op, Applied>(at, operands...);
  } else {
    unsigned position = 0;
    const typed_value recorded[] = {
        recorded_operand(operands, Applied::met(position++, info_of<Operands>::type), at)...};
    return record(Op, recorded, sizeof...(Operands), at);
  }
}

template <class A, class B>
constexpr bool is_boolean_with_number() {
  if constexpr (is_operand_type<std::remove_cvref_t<A>>() && is_operand_type<std::remove_cvref_t<B>>())
    return is_boolean(info_of<A>::type.type) != is_boolean(info_of<B>::type.type);
  return false;
}

template <class A, class B>
constexpr bool no_floating_operand() {
  if constexpr (is_operand_type<std::remove_cvref_t<A>>() && is_operand_type<std::remove_cvref_t<B>>())
    return !is_inexact(info_of<A>::type.type) && !is_inexact(info_of<B>::type.type);
  return false;
}

}  // namespace detail

/// A C++ type that fused functions and operators take as an operand: values, arrays, views, foreign tensors
/// of known element type and rank, lazy expressions, C++ numbers and Sinter's constants.
template <class T>
concept operand = detail::kind_of_operand<T> != detail::operand_kind::none;

}  // namespace sinter::inline v0
