#pragma once
// Arguments and results of fused functions: what each becomes while recording, what a call hands to the core, and
// the arrays that come back. Tuples and, with hana.hpp, structs of operands are taken apart member by member.

#include <sinter/dsl/expression.hpp>

#include <tuple>

namespace sinter::detail {

/// Types that hold operands as members. A specialisation has
///   is          true
///   mapped<Map> the same with each member type M replaced by Map<M>::type
///   each(object, function)         calls function(member) in order
///   make<Result>(maker)            Result{maker.template make<M>()…}, in order
template <class T>
struct composite {
  static constexpr bool is = false;
};
template <class... Members>
struct composite<std::tuple<Members...>> {
  static constexpr bool is = true;
  template <template <class> class Map>
  using mapped = std::tuple<typename Map<Members>::type...>;
  template <class Object, class Function>
  static void each(Object& object, Function&& function) {
    std::apply([&](auto&... members) { (function(members), ...); }, object);
  }
  template <class Result, class Maker>
  static Result make(Maker& maker) {
    return Result{maker.template make<std::remove_cvref_t<Members>>()...};
  }
};
template <class T>
inline constexpr bool is_composite = composite<std::remove_cvref_t<T>>::is;

// ---- what an argument is while recording -----------------------------------------------------------------------

template <class T>
struct parameter_of;
template <class T>
  requires is_composite<T>
struct parameter_of<T> {
  using type = typename composite<T>::template mapped<parameter_of>;
};
template <class T>
  requires(!is_composite<T>)
struct parameter_of<T> {
  using type = value<spelling_of<operand_info<T>::type>, operand_info<T>::rank>;
};
template <class T>
struct parameter_of<T&> : parameter_of<std::remove_cv_t<T>> {};
template <class T>
struct parameter_of<const T> : parameter_of<T> {};
template <class T>
using parameter_type = typename parameter_of<std::remove_cvref_t<T>>::type;

/// Number of leaves of each kind in an argument or a result.
struct leaf_counts {
  unsigned arrays = 0, scalars = 0, values = 0, lazies = 0, others = 0;
  constexpr unsigned all() const { return arrays + scalars + values + lazies + others; }
  constexpr leaf_counts operator+(const leaf_counts& more) const {
    return {arrays + more.arrays, scalars + more.scalars, values + more.values, lazies + more.lazies,
            others + more.others};
  }
};
template <class T>
struct leaves_of;
template <class T>
constexpr leaf_counts count_leaves() {
  using plain = std::remove_cvref_t<T>;
  if constexpr (is_composite<plain>) {
    return composite<plain>::template mapped<leaves_of>::counted;
  } else {
    constexpr operand_kind kind = operand_info<plain>::kind;
    return {kind == operand_kind::array, kind == operand_kind::scalar, kind == operand_kind::value,
            kind == operand_kind::lazy, kind == operand_kind::none};
  }
}

}  // namespace sinter::detail
