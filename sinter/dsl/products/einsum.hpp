#pragma once
// Sums of products by labels of axes: NumPy's einsum, whose subscripts are known at compile time.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there; shapes are checked when the function is called or the expression evaluated:
// shape_error.
// After a failure: nothing has run and no operand has changed; a recording that the exception leaves is
// dropped.

#include <sinter/dsl/composed/compose.hpp>
#include <sinter/dsl/products/einsum_labels.hpp>
#include <sinter/dsl/products/products.hpp>
#include <sinter/dsl/products/record_products.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace sinter::inline v0 {

namespace detail {

/// The characters of a string as a template argument.
template <std::size_t Size>
struct subscript_text {
  char characters[Size]{};

  constexpr subscript_text(const char (&text)[Size]) { std::copy_n(text, Size, characters); }
  constexpr std::string_view view() const { return {characters, Size - 1}; }
};

/// A label, or a character, in the text of a compiler's message.
template <char Label>
struct label {
  static constexpr bool is_letter_or_comma_or_arrow = is_label(Label);
  template <subscript_fault Fault>
  static constexpr bool stands_once_in_the_result = Fault != subscript_fault::result_repeats;
  template <subscript_fault Fault>
  static constexpr bool is_in_an_operand = Fault != subscript_fault::result_only;
};

template <subscript_fault Fault, char Culprit>
constexpr bool check_subscripts() {
  static_assert(Fault != subscript_fault::character || label<Culprit>::is_letter_or_comma_or_arrow,
                "einsum: what is no letter is no label (there is no ellipsis): write \"ij,jk->ik\"");
  static_assert(Fault != subscript_fault::arrow, "einsum: one \"->\" stands behind the last operand");
  static_assert(Fault != subscript_fault::operands, "einsum: a product has three operands at most");
  static_assert(Fault != subscript_fault::axes, "einsum: an array has 32 axes at most");
  static_assert(label<Culprit>::template stands_once_in_the_result<Fault>,
                "einsum: a label stands twice behind \"->\"");
  static_assert(label<Culprit>::template is_in_an_operand<Fault>,
                "einsum: a label behind \"->\" is that of no operand");
  return Fault == subscript_fault::none;
}

/// Whether operand `Position` has as many axes as labels.
template <std::size_t Position, unsigned Rank, unsigned Labels>
constexpr bool check_labelled_rank() {
  static_assert(Rank == Labels, "einsum: an operand has as many labels as axes");
  return Rank == Labels;
}

template <subscript_text Text>
struct labelled_product {
  static constexpr einsum_form form = parse_einsum(Text.view());

  template <class... Operands>
  static constexpr bool fits() {
    if constexpr (!check_subscripts<form.fault, form.culprit>()) {
      return false;
    } else {
      constexpr bool all = form.operand_count == sizeof...(Operands);
      static_assert(all, "einsum: subscripts of another number of operands than are given");
      if constexpr (all)
        return []<std::size_t... Position>(std::index_sequence<Position...>) {
          return (check_labelled_rank<Position, info_of<Operands>::rank, form.operands[Position].count>() &&
                  ...);
        }(std::index_sequence_for<Operands...>());
      else
        return false;
    }
  }

  template <class... Values>
  auto operator()(const location& at, const Values&... values) const {
    constexpr operand_type type = type_of_product<Values...>();
    const typed_value recorded[] = {erased(values)...};
    return value<spelling_of<type.type, type.weak>, form.result.count>(
        record_einsum(Text.view(), recorded, sizeof...(Values), at));
  }
};

template <subscript_text Text, class... Operands>
auto labelled(const location& at, Operands&&... operands) {
  if constexpr (labelled_product<Text>::template fits<Operands...>())
    return compose<labelled_product<Text>>(at, std::forward<Operands>(operands)...);
}

}  // namespace detail

/// Sums of products by labels, as NumPy's einsum: each axis of an operand has a letter, and axes with one
/// letter go together. Letters behind "->" are the axes of the result, the others are summed; without "->"
/// the result has the letters that stand once, in the order of the alphabet. A letter that stands twice in an
/// operand takes its diagonal.
///     einsum<"ij,jk->ik">(a, b)     // the matrix product
///     einsum<"ii">(a)               // the trace
///     einsum<"bi,ij,bj->b">(x, m, y)
/// Each combination of letters is one term of a sum: a letter of one operand alone that is summed costs less
/// if it is summed before, with sum(x, axis<A>). Axes of one letter have one extent: shape_error. Types are
/// those of matmul.
template <detail::subscript_text Subscripts, detail::sinter_operand A>
[[nodiscard]] auto einsum(A&& a, std::source_location at = std::source_location::current()) {
  return detail::labelled<Subscripts>(at, std::forward<A>(a));
}
template <detail::subscript_text Subscripts, detail::sinter_operand A, detail::sinter_operand B>
[[nodiscard]] auto einsum(A&& a, B&& b, std::source_location at = std::source_location::current()) {
  return detail::labelled<Subscripts>(at, std::forward<A>(a), std::forward<B>(b));
}
template <detail::subscript_text Subscripts, detail::sinter_operand A, detail::sinter_operand B,
          detail::sinter_operand C>
[[nodiscard]] auto einsum(A&& a, B&& b, C&& c, std::source_location at = std::source_location::current()) {
  return detail::labelled<Subscripts>(at, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));
}

}  // namespace sinter::inline v0
