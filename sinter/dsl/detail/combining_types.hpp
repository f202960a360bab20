#pragma once
// The types of what reduce and scan combine, found by calling the combine in decltype. Internal.

#include <sinter/dsl/detail/body_types.hpp>
#include <sinter/dsl/detail/reduce.hpp>

namespace sinter::inline v0::detail {

// ---- identities and values: one operand, or a std::tuple of them ----

template <class T>
struct combined_list {
  static constexpr bool is_tuple = false;
  using type = type_list<T>;
};
template <class... Members>
struct combined_list<std::tuple<Members...>> {
  static constexpr bool is_tuple = true;
  using type = type_list<std::remove_cvref_t<Members>...>;
};
template <class T>
using combined_list_of = combined_list<std::remove_cvref_t<T>>;

/// What makes a call of reduce or scan one of Sinter's: a std::tuple of values, or one value.
template <class T>
concept combined_values = combined_list_of<T>::is_tuple || sinter_operand<T>;

/// The one operand, or member `Position` of the tuple, with the value category of the argument.
template <std::size_t Position, class T>
decltype(auto) combined_part(T&& from) {
  if constexpr (combined_list_of<T>::is_tuple)
    return std::get<Position>(std::forward<T>(from));
  else
    return std::forward<T>(from);
}

// ---- calls of the combine ----

/// One side of what is combined: the one value alone, or a std::tuple of values.
template <bool Plain, class... Values>
struct combined_side {
  using type = std::tuple<Values...>;
};
template <class Value>
struct combined_side<true, Value> {
  using type = Value;
};

template <class Combine, class Side>
concept takes_sides = requires(const Combine& combine, Side& a, Side& b) { combine(a, b); };

template <class Combine, class Side>
constexpr bool check_combine() {
  constexpr bool callable = takes_sides<Combine, Side>;
  constexpr bool changes_itself =
      !callable && requires(Combine& combine, Side& a, Side& b) { combine(a, b); };
  static_assert(!changes_itself,
                "a combine is called as const, and recorded once: what it keeps from one call to the next is "
                "one more value");
  static_assert(
      callable || changes_itself,
      "the combine does not take these values: it takes the two sides, each a std::tuple of as many "
      "values as there are identities, or one value where these are no std::tuple");
  return callable;
}

template <std::size_t Count, class... Results>
constexpr bool check_combined(type_list<Results...>) {
  constexpr bool as_many = sizeof...(Results) == Count;
  static_assert(as_many,
                "the combine returns as many values as each of its sides has: one, or a std::tuple of them");
  constexpr bool operands = (is_operand_type<Results>() && ...);
  static_assert(operands, "a combine returns values or numbers");
  if constexpr (as_many && operands) {
    constexpr bool scalars = ((operand_info<Results>::rank == 0) && ...);
    static_assert(
        scalars,
        "a combine captures values of rank 0: what it returns has a higher rank, because it uses an "
        "array; make that one of the values that are combined");
    return scalars;
  } else {
    return false;
  }
}

// ---- types of values ----

/// Stands in the compiler's message: which value changes, from what to what.
template <unsigned Position, class From, class To>
struct combined_value_changes {
  static_assert(std::is_same_v<From, To>,
                "a value changes its type each time it is combined: combined_value_changes<position, from, "
                "to> says which; convert it with astype<T>(x) in the combine");
};

/// How the types of values change where two sides are combined.
template <bool Plain, class Combine>
struct combining_step {
  template <class... Values>
  static constexpr auto next(type_list<Values...> values) {
    using side = typename combined_side<Plain, Values...>::type;
    if constexpr (check_combine<Combine, side>()) {
      using result = std::remove_cvref_t<decltype(std::declval<const Combine&>()(std::declval<side&>(),
                                                                                 std::declval<side&>()))>;
      using results = typename results_in<result>::type;
      if constexpr (check_combined<sizeof...(Values)>(results())) return widened<0>(values, results());
    }
  }
  template <unsigned Position, class From, class To>
  using changes = combined_value_changes<Position, From, To>;
};

/// The type of a value before anything is combined: that of its identity and its elements together.
template <class Identity, class Elements>
using first_combined =
    typename widened_state<first_state<Identity>,
                           value<spelling_of<info_of<Elements>::type.type, info_of<Elements>::type.weak>, 0>,
                           0>::type;

/// The types of values, as a list of values of rank 0; void after an error. The number of rounds is enough
/// for values that pass their types on to each other.
template <bool Plain, class Combine, class... Identities, class... Elements>
constexpr auto combined_types(type_list<Identities...>, type_list<Elements...>) {
  return steady_states<combining_step<Plain, Combine>, 2 * sizeof...(Elements) + 1>(
      type_list<first_combined<Identities, Elements>...>());
}

// ---- what is given ----

template <class Combine>
constexpr bool check_combine() {
  constexpr bool has_combine = !is_operand_type<Combine>() && !combined_list<Combine>::is_tuple;
  static_assert(
      has_combine,
      "reduce and scan take a combine, then identities, then values: the combine is a callable that "
      "takes two sides");
  return has_combine;
}

/// Stands in the compiler's message: which identity is no operand, its type, and what it is the identity of.
template <unsigned Position, class Identity, class Value>
constexpr bool identity_of_value() {
  constexpr bool is_operand = is_operand_type<Identity>();
  constexpr bool is_nan = !is_operand && nan_name<std::remove_pointer_t<Identity>>;
  static_assert(!is_nan,
                "nan in a std::tuple is the function of the C library: identity_of_value<position, identity, "
                "value> says which identity; write std::numeric_limits<float>::quiet_NaN() for it");
  static_assert(is_operand || is_nan,
                "an identity of reduce or scan is no number and no value: identity_of_value<position, "
                "identity, value> says which; give the result over no elements, such as 0, -inf or max(x)");
  return is_operand;
}
template <unsigned Position, class... Values>
constexpr bool check_identities(type_list<>, type_list<Values...>) {
  return true;
}
template <unsigned Position, class Identity, class... Identities, class Value, class... Values>
constexpr bool check_identities(type_list<Identity, Identities...>, type_list<Value, Values...>) {
  if constexpr (identity_of_value<Position, Identity, Value>())
    return check_identities<Position + 1>(type_list<Identities...>(), type_list<Values...>());
  else
    return false;
}

template <class... Identities, class... Values>
constexpr bool check_combined_operands(type_list<Identities...> identities, type_list<Values...> values) {
  constexpr bool as_many = sizeof...(Identities) == sizeof...(Values) && sizeof...(Values) != 0;
  static_assert(as_many, "reduce and scan take one identity for each value: give as many of both");
  if constexpr (as_many) {
    constexpr bool operands = (is_operand_type<Values>() && ...);
    static_assert(
        operands,
        "after the combine come identities, then values: values, arrays, views, expressions and numbers, or "
        "a std::tuple of these");
    if constexpr (operands) {
      constexpr bool identities_are = check_identities<0>(identities, values);
      if constexpr (identities_are) {
        constexpr bool scalars = ((operand_info<Identities>::rank == 0) && ...);
        static_assert(scalars, "an identity has rank 0: it is the result over no elements, in every row");
        return scalars;
      } else {
        return false;
      }
    } else {
      return false;
    }
  } else {
    return false;
  }
}

template <operation Op, unsigned Rank, class Option>
constexpr bool check_combining_option() {
  constexpr option_kind kind = option_kind_of<Option>;
  constexpr bool takes =
      kind == option_kind::none || kind == option_kind::axes ||
      (Op == operation::reduce &&
       (kind == option_kind::keepdims || kind == option_kind::ordered || kind == option_kind::mask));
  static_assert(takes || Op == operation::scan,
                "reduce takes axis<...>, keepdims, ordered and only_where(mask) after its values");
  static_assert(takes || Op == operation::reduce, "scan takes axis<...> after its values, and nothing else");
  if constexpr (!takes)
    return false;
  else if constexpr (kind == option_kind::axes)
    return check_axes<Rank>(Option{});
  else if constexpr (kind == option_kind::mask)
    return check_mask<Rank, decltype(Option::mask)>();
  else
    return true;
}

template <operation Op, unsigned Rank, class... Options>
constexpr bool check_combining_options() {
  constexpr bool once = times_given<option_kind::axes, Options...> <= 1 &&
                        times_given<option_kind::keepdims, Options...> <= 1 &&
                        times_given<option_kind::ordered, Options...> <= 1 &&
                        times_given<option_kind::mask, Options...> <= 1;
  static_assert(once, "an option of reduce or scan is given twice: name several axes as axis<0, 1>");
  constexpr bool options = (check_combining_option<Op, Rank, Options>() && ...);
  if constexpr (Op == operation::scan && once && options) {
    constexpr unsigned axes = times_given<option_kind::axes, Options...> == 0
                                  ? Rank
                                  : static_cast<unsigned>(std::popcount((0u | ... | axes_of<Options>(Rank))));
    static_assert(axes == 1, "scan goes along one axis: name it, as in scan(combine, 0, x, axis<0>)");
    return axes == 1;
  } else {
    return once && options;
  }
}

template <class Option>
inline constexpr unsigned axes_named = 0;
template <int... Axes>
inline constexpr unsigned axes_named<axis_tag<Axes...>> = sizeof...(Axes);

/// The rank of results, `Rank` being that of the values together; also of options that are refused.
template <operation Op, unsigned Rank, class... Options>
constexpr unsigned kept_rank() {
  if (Op == operation::scan || times_given<option_kind::keepdims, Options...> != 0) return Rank;
  const unsigned axes =
      times_given<option_kind::axes, Options...> == 0 ? Rank : (0u + ... + axes_named<Options>);
  return axes < Rank ? Rank - axes : 0;
}

/// The request of these options for `Count` values of this rank together.
template <unsigned Count, unsigned Rank, class... Options>
constexpr combining_request combining_request_of() {
  constexpr std::uint32_t named = (std::uint32_t{0} | ... | axes_of<Options>(Rank));
  constexpr auto all_axes = static_cast<std::uint32_t>((std::uint64_t{1} << Rank) - 1);
  return {.count = Count,
          .axes = times_given<option_kind::axes, Options...> != 0 ? named : all_axes,
          .keepdims = times_given<option_kind::keepdims, Options...> != 0,
          .ordered = times_given<option_kind::ordered, Options...> != 0};
}

}  // namespace sinter::inline v0::detail
