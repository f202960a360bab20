#pragma once
// Whether a callable takes the values of a call, and the sentence that says why it does not.

#include <sinter/dsl/detail/argument.hpp>

namespace sinter::inline v0::detail {

/// The parameters of a callable whose parameter types are not deduced.
template <class F>
struct parameters_of {
  static constexpr bool known = false;
};
template <class... Parameters>
struct known_parameters {
  static constexpr bool known = true;
  using types = type_list<Parameters...>;
};
template <class Result, class... Parameters>
struct parameters_of<Result (*)(Parameters...)> : known_parameters<Parameters...> {};
template <class Result, class... Parameters>
struct parameters_of<Result (*)(Parameters...) noexcept> : known_parameters<Parameters...> {};
template <class F, class Result, class... Parameters>
struct parameters_of<Result (F::*)(Parameters...) const> : known_parameters<Parameters...> {};
template <class F, class Result, class... Parameters>
struct parameters_of<Result (F::*)(Parameters...) const noexcept> : known_parameters<Parameters...> {};
template <class F>
  requires requires { &F::operator(); }
struct parameters_of<F> : parameters_of<decltype(&F::operator())> {};

/// Stands for an argument of any type.
struct any_argument {
  template <class T>
  operator T&() const;
  template <class T>
  operator T&&() const;
};

/// An argument that converts to nothing: only parameters of deduced types take it.
struct undeclared_argument {};

/// A call of this is ambiguous where F takes the arguments. So no call is chosen, and the body of a generic
/// lambda, which may not compile for these types, is left alone.
#if defined(__CUDACC__)
// nvcc's front end compares no objects. Templates are as good as F where all of F's parameters are deduced;
// for other generic callables the call is not explained.
struct deduced_calls {
  void operator()(auto) const;
  void operator()(auto, auto) const;
  void operator()(auto, auto, auto) const;
  void operator()(auto, auto, auto, auto) const;
  void operator()(auto, auto, auto, auto, auto) const;
  void operator()(auto, auto, auto, auto, auto, auto) const;
  void operator()(auto, auto, auto, auto, auto, auto, auto) const;
  void operator()(auto, auto, auto, auto, auto, auto, auto, auto) const;
  void operator()(auto, auto, auto, auto, auto, auto, auto, auto, auto) const;
};
template <class F>
struct or_anything : F, deduced_calls {
  using F::operator();
  using deduced_calls::operator();
};
#else
// F's operator fits the arguments better, and the other one the object, which is not const.
template <class F>
struct or_anything : F {
  using F::operator();
  void operator()(...);
};
#endif
/// Calls with more arguments are not explained.
inline constexpr unsigned max_explained = 9, unknown_count = ~0u;
template <class F, class... Arguments>
concept takes_arguments = std::is_class_v<F> && !std::is_final_v<F> && sizeof...(Arguments) != 0 &&
                          sizeof...(Arguments) <= max_explained &&
                          !requires(or_anything<F>& f, Arguments&... arguments) { f(arguments...); };

template <class F, std::size_t... Position>
constexpr bool takes_count(std::index_sequence<Position...>) {
  return takes_arguments<F, std::conditional_t<Position != ~std::size_t{0}, any_argument, F>...>;
}
template <class... Parameters>
constexpr unsigned length_of(type_list<Parameters...>) {
  return sizeof...(Parameters);
}
/// How many arguments F takes; `unknown_count` if that is none of the numbers up to `max_explained`.
template <class F, unsigned Count = 1>
constexpr unsigned count_of_parameters() {
  if constexpr (parameters_of<F>::known)
    return length_of(typename parameters_of<F>::types());
  else if constexpr (takes_count<F>(std::make_index_sequence<Count>()))
    return Count;
  else if constexpr (Count != max_explained)
    return count_of_parameters<F, Count + 1>();
  else
    return unknown_count;
}

/// Whether F takes `Instead` for argument `Out`.
template <class F, std::size_t Out, class Instead, class... Arguments, std::size_t... Position>
constexpr bool takes_instead(std::index_sequence<Position...>) {
  return takes_arguments<F, std::conditional_t<Position == Out, Instead, Arguments>...>;
}
/// Position of the first argument of which F declares another type, or their number.
template <class F, class... Arguments, std::size_t... Position>
constexpr unsigned first_undeduced(std::index_sequence<Position...> all) {
  const bool refused[] = {(takes_instead<F, Position, any_argument, Arguments...>(all) &&
                           !takes_instead<F, Position, undeclared_argument, Arguments...>(all))...};
  unsigned at = 0;
  while (at != sizeof...(Arguments) && !refused[at]) ++at;
  return at;
}
template <class... Parameters, class... Arguments>
constexpr unsigned first_refused(type_list<Parameters...>, type_list<Arguments...>) {
  constexpr bool taken[] = {std::is_convertible_v<Arguments&, Parameters>...};
  unsigned at = 0;
  while (at != sizeof...(Arguments) && taken[at]) ++at;
  return at;
}
/// Position of the first argument that F does not take, or their number; F takes as many.
template <class F, class... Arguments>
constexpr unsigned refused_argument() {
  if constexpr (parameters_of<F>::known) {
    return first_refused(typename parameters_of<F>::types(), type_list<Arguments...>());
  } else {
    return first_undeduced<F, Arguments...>(std::index_sequence_for<Arguments...>());
  }
}

/// Whether parameter `at` is declared as what exists outside of fused functions only.
template <class... Parameters>
constexpr bool declares_no_value(unsigned at, type_list<Parameters...>) {
  constexpr bool outside[] = {(kind_of_operand<Parameters> != operand_kind::none &&
                               kind_of_operand<Parameters> != operand_kind::value)...,
                              false};
  return outside[at];
}

// A static_assert's text is a literal: one for each number.
#define SINTER_EACH_NUMBER(say) \
  say(1, "1") say(2, "2") say(3, "3") say(4, "4") say(5, "5") say(6, "6") say(7, "7") say(8, "8") say(9, "9")

template <unsigned Count>
constexpr void explain_count() {
#define SINTER_COUNT(number, text) \
  static_assert(Count != number, "the fused callable takes another number of arguments: it takes " text);
  static_assert(Count != 0, "the fused callable takes another number of arguments: it takes none");
  SINTER_EACH_NUMBER(SINTER_COUNT)
#undef SINTER_COUNT
  static_assert(Count <= max_explained, "the fused callable takes another number of arguments");
}
template <unsigned Position, bool Outside>
constexpr void explain_argument() {
#define SINTER_ARGUMENT(number, text)                                                                \
  static_assert(Outside || Position + 1 != number, "the fused callable does not take argument " text \
                                                   ": it declares another element type or rank");    \
  static_assert(!Outside || Position + 1 != number,                                                  \
                "a fused callable takes values: declare parameter " text " as auto or value<T, Rank>");
  SINTER_EACH_NUMBER(SINTER_ARGUMENT)
#undef SINTER_ARGUMENT
  static_assert(Position < max_explained, "the fused callable does not take these arguments");
}
#undef SINTER_EACH_NUMBER

/// One of its assertions fails.
template <class F, class... Arguments>
constexpr void explain_not_callable() {
  constexpr unsigned given = sizeof...(Arguments);
  constexpr unsigned count = count_of_parameters<F>();
  if constexpr (takes_arguments<F, Arguments...>) {
    static_assert(never<F>, "the body of the fused callable does not compile for these arguments");
  } else if constexpr (count == unknown_count) {
    static_assert(never<F>, "the fused callable does not take these arguments");
  } else if constexpr (count != given) {
    explain_count<count>();
  } else {
    constexpr unsigned refused = refused_argument<F, Arguments...>();
    if constexpr (refused == given)
      static_assert(never<F>, "the fused callable does not take these arguments");
    else if constexpr (parameters_of<F>::known)
      explain_argument<refused, declares_no_value(refused, typename parameters_of<F>::types())>();
    else
      explain_argument<refused, false>();
  }
}

// Requirements instead of std::is_invocable, std::apply and the like: those cost more to compile than
// everything else here, once for each fused function.
template <class F, class... Arguments>
constexpr bool check_callable() {
  constexpr bool callable = requires(const F& f, Arguments&... a) { f(a...); };
  if constexpr (!callable) {
    constexpr bool changes_itself = requires(F& f, Arguments&... a) { f(a...); };
    static_assert(!changes_itself, "a fused callable is called as const: a mutable lambda cannot be fused");
    if constexpr (!changes_itself) explain_not_callable<F, Arguments...>();
  }
  return callable;
}

}  // namespace sinter::inline v0::detail
