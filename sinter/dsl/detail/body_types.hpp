#pragma once
// The types of loops' states and of bodies' results, found by calling bodies in decltype. Internal.

#include <sinter/dsl/detail/argument.hpp>

namespace sinter::inline v0::detail {

/// The number of an iteration: an integer that takes the types it meets.
using iteration_value = value<weak<std::int64_t>, 0>;

/// The condition of a loop that has none.
struct no_condition {};

// ---- calls of bodies ----

/// The results of a body, one or a std::tuple of them, as a list of types.
template <class Result>
struct results_in {
  using type = type_list<Result>;
};
template <class... Results>
struct results_in<std::tuple<Results...>> {
  using type = type_list<std::remove_cvref_t<Results>...>;
};

template <class Result, class Function>
void each_result(const Result& result, const Function& function) {
  function(result);
}
template <class... Results, class Function>
void each_result(const std::tuple<Results...>& results, const Function& function) {
  std::apply([&](const auto&... each) { (function(each), ...); }, results);
}

template <class Body, class... States>
concept takes_states = requires(const Body& body, States&... states) { body(states...); };
template <class Body, class... States>
concept takes_iteration =
    requires(const Body& body, States&... states, iteration_value& iteration) { body(states..., iteration); };

template <class Body, class... States>
auto call_body(const Body& body, iteration_value& iteration, States&... states) {
  if constexpr (takes_states<Body, States...>)
    return body(states...);
  else
    return body(states..., iteration);
}

template <class Body, class... States>
constexpr bool check_body() {
  constexpr bool callable = takes_states<Body, States...> || takes_iteration<Body, States...>;
  constexpr bool changes_itself = !callable && requires(Body& body, States&... states) { body(states...); };
  static_assert(!changes_itself,
                "a body is called as const: what changes from one iteration to the next is a state");
  static_assert(
      callable || changes_itself,
      "the body does not take these states: it takes one value for each, and the iteration's number "
      "after them if it likes");
  return callable;
}

template <std::size_t States, class... Results>
constexpr bool check_next(type_list<Results...>) {
  constexpr bool as_many = sizeof...(Results) == States;
  static_assert(as_many,
                "the body returns the next value of each state: one, or a std::tuple of as many as there are "
                "states");
  constexpr bool operands = (is_operand_type<Results>() && ...);
  static_assert(operands, "a body returns values or numbers");
  return as_many && operands;
}

template <class T>
constexpr bool is_boolean_operand() {
  if constexpr (is_operand_type<T>()) return is_boolean(operand_info<T>::type.type);
  return false;
}
template <class Condition, class... States>
constexpr bool check_condition() {
  constexpr bool callable = takes_states<Condition, States...>;
  static_assert(callable, "the condition of repeat_while does not take these states");
  if constexpr (callable) {
    using result =
        std::remove_cvref_t<decltype(std::declval<const Condition&>()(std::declval<States&>()...))>;
    constexpr bool holds = is_boolean_operand<result>();
    static_assert(holds, "the condition of repeat_while returns a bool value: compare with something");
    return holds;
  } else {
    return false;
  }
}

// ---- states ----

/// The type of a state that was `State` and becomes `Next`: that of where(condition, state, next), with at
/// least `Rank` axes.
template <class State, class Next, unsigned Rank>
struct widened_state {
  static constexpr unsigned rank = highest_of({operand_info<State>::rank, operand_info<Next>::rank, Rank});
  static constexpr operand_type result =
      settled_elements(apply_rule(type_rule::select, {element_type::boolean}, operand_info<State>::type,
                                  operand_info<Next>::type)
                           .result,
                       rank);
  using type = value<spelling_of<result.type, result.weak>, rank>;
};
template <class State>
using strong_state =
    value<spelling_of<settled(operand_info<State>::type).type, false>, operand_info<State>::rank>;

template <unsigned Rank, class... States, class... Next>
constexpr auto widened(type_list<States...>, type_list<Next...>) {
  return type_list<typename widened_state<States, Next, Rank>::type...>();
}

/// The states after one more iteration; nothing (void) if the body or the condition cannot be called.
template <class Condition, class Body, class... States>
constexpr auto widened_once(type_list<States...> states) {
  if constexpr (check_body<Body, States...>()) {
    using result = std::remove_cvref_t<decltype(call_body(
        std::declval<const Body&>(), std::declval<iteration_value&>(), std::declval<States&>()...))>;
    using next = typename results_in<result>::type;
    if constexpr (check_next<sizeof...(States)>(next())) {
      if constexpr (std::is_same_v<Condition, no_condition>) {
        return widened<0>(states, next());
      } else if constexpr (check_condition<Condition, States...>()) {
        using held =
            std::remove_cvref_t<decltype(std::declval<const Condition&>()(std::declval<States&>()...))>;
        return widened<operand_info<held>::rank>(states, next());
      }
    }
  }
}

/// Stands in the compiler's message: which state changes, from what to what.
template <unsigned Position, class From, class To>
struct state_changes {
  static_assert(std::is_same_v<From, To>,
                "a state of this loop changes its type or rank with every iteration: state_changes<position, "
                "from, to> says which; convert it with astype<T>(x), or keep its rank");
};
/// Names the first of the states that change.
template <template <unsigned, class, class> class Changes, unsigned Position = 0, class State,
          class... States, class Next, class... Nexts>
constexpr void name_change(type_list<State, States...>, type_list<Next, Nexts...>) {
  if constexpr (std::is_same_v<State, Next>)
    name_change<Changes, Position + 1>(type_list<States...>(), type_list<Nexts...>());
  else
    static_cast<void>(sizeof(Changes<Position, State, Next>));  // its static_assert is the error
}

/// How the states of a loop change with an iteration.
template <class Condition, class Body>
struct loop_iteration {
  template <class... States>
  static constexpr auto next(type_list<States...> states) {
    return widened_once<Condition, Body>(states);
  }
  template <unsigned Position, class From, class To>
  using changes = state_changes<Position, From, To>;
};

/// The types of the states of a loop: the first ones, widened by what the body returns until nothing changes.
/// Weak ones then become strong, which may widen others. void after an error.
template <class Iteration, unsigned Rounds, class... States>
constexpr auto steady_states(type_list<States...> states) {
  using next = decltype(Iteration::next(states));
  using strong = type_list<strong_state<States>...>;
  if constexpr (std::is_void_v<next>) {
    return;
  } else if constexpr (!std::is_same_v<next, type_list<States...>>) {
    if constexpr (Rounds != 0)
      return steady_states<Iteration, Rounds - 1>(next());
    else
      name_change<Iteration::template changes>(states, next());
  } else if constexpr (!std::is_same_v<strong, type_list<States...>>) {
    return steady_states<Iteration, Rounds>(strong());
  } else {
    return states;
  }
}

template <class T>
using first_state = value<spelling_of<info_of<T>::type.type, info_of<T>::type.weak>, info_of<T>::rank>;

/// The same from the operands that a loop is given. The number of rounds is enough for states that pass their
/// types on to each other.
template <class Condition, class Body, class... Operands>
using states_of = decltype(steady_states<loop_iteration<Condition, Body>, 2 * sizeof...(Operands) + 1>(
    type_list<first_state<Operands>...>()));

// ---- when ----

/// The type of a result of `when`, by the rules of where(condition, a, b).
template <class Condition, class A, class B>
struct chosen_result {
  using applied = application<operation::where, Condition, A, B>;
  using type = value<typename applied::result, applied::rank>;
};
template <class Condition, class... A, class... B>
constexpr auto chosen_results(type_list<A...>, type_list<B...>) {
  return type_list<typename chosen_result<Condition, A, B>::type...>();
}

/// Arrays and values can be called too, which indexes them, and are no sides.
template <class Side>
concept is_side = !is_operand_type<Side>() && requires(const Side& side) { side(); };
template <class Side>
constexpr bool check_side() {
  constexpr bool callable = is_side<Side>, operand = is_operand_type<Side>();
  static_assert(!operand,
                "a side of when is a value or a number: use where(condition, a, b) for values; when takes "
                "callables, as in when(x > 0, [&] { return log(x); }, [&] { return x; })");
  static_assert(callable || operand,
                "when(condition, then, otherwise) takes two callables without parameters");
  return callable;
}
template <class Side>
using results_of_side =
    typename results_in<std::remove_cvref_t<decltype(std::declval<const Side&>()())>>::type;
/// What a side is, or what it returns.
template <class Side>
decltype(auto) value_of_side(const Side& side) {
  if constexpr (is_side<Side>)
    return side();
  else
    return (side);
}
template <class... A, class... B>
constexpr bool check_sides(type_list<A...>, type_list<B...>) {
  constexpr bool as_many = sizeof...(A) == sizeof...(B);
  static_assert(as_many, "both sides of when return as many values: one, or a std::tuple of them");
  constexpr bool operands = (is_operand_type<A>() && ...) && (is_operand_type<B>() && ...);
  static_assert(operands, "the sides of when return values or numbers");
  return as_many && operands;
}

}  // namespace sinter::inline v0::detail
