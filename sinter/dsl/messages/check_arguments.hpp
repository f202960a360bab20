#pragma once
// What a fused function takes and returns: messages for arguments and results of other types.

#include <sinter/dsl/detail/argument.hpp>

namespace sinter::inline v0::detail {

/// A container of elements that is no operand; a std::span of it is.
template <class T>
concept container_of_elements = !is_operand_type<T>() && requires(T& elements) {
  elements.begin();
  elements.size();
  requires element<typename T::value_type>;
};

/// For arguments of which one is no operand: false, after an error of its own where its type is known at run
/// time, or it is a container.
template <class... Arguments>
constexpr bool explain_no_operand() {
  constexpr bool typed = (!needs_type<std::remove_cvref_t<Arguments>> && ...);
  static_assert(
      typed,
      "the element type of this tensor is known at run time only: say as_view<T, Rank>(x), or choose "
      "among types with dispatch<Types...>(x, f)");
  constexpr bool plain = (!container_of_elements<std::remove_cvref_t<Arguments>> && ...);
  static_assert(plain || !typed,
                "a fused function takes no containers: say std::span(v) for elements on the CPU, or "
                "array<T, 1>::from(v) for a copy on the default device");
  return !typed || !plain;
}

template <class Result>
constexpr bool check_result() {
  constexpr bool nothing = std::is_void_v<Result>;
  static_assert(!nothing, "a fused function returns values: this callable returns nothing");
  constexpr bool operands = !nothing && count_leaves<Result>().others == 0;
  static_assert(operands || nothing,
                "a fused function returns values, or a std::tuple, std::pair or Hana struct of values");
  return operands;
}

}  // namespace sinter::inline v0::detail
