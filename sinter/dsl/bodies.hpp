#pragma once
// Loops and choices inside functions: repeat, repeat_while and when. Their bodies are callables that are
// recorded once, as part of the function around them, and become loops and branches of its kernel.
//
// Threads: as of values: a body is recorded, once, by the thread that records the function around it.
// Throws: type_error for what a body cannot do, error for a value of another recording, shape_error when the
// function is called; also what the body itself throws while it is recorded.
// After a failure: the body is dropped with the recording around it; nothing has run.

#include <sinter/dsl/detail/body_scope.hpp>
#include <sinter/dsl/detail/body_types.hpp>

#include <memory>

namespace sinter::inline v0 {

namespace detail {

/// The count of repeat, type-erased, and the source line of the call.
class loop_count {
 public:
  template <class Count>
  loop_count(const Count& count, location where = location::current()) : at(where) {
    if constexpr (check<Count>()) {
      using info = operand_info<Count>;
      if constexpr (info::kind == operand_kind::value) {
        value_ = erased(count);
      } else if constexpr (info::kind == operand_kind::scalar) {
        scalar_ = source_of(count);
        is_scalar_ = true;
      } else {
        auto node = node_of<info::type.type>(where, count);
        using held = decltype(node);
        held_ = std::make_shared<const held>(std::move(node));
        replay_ = [](const void* from) { return static_cast<const held*>(from)->replay(); };
      }
    }
  }

  typed_value record() const {
    if (is_scalar_) return {record_argument(scalar_), scalar_.own, 0};
    return replay_ != nullptr ? replay_(held_.get()) : value_;
  }

  location at;

 private:
  template <class Count>
  static constexpr bool check() {
    constexpr bool operand = is_operand_type<Count>();
    static_assert(operand, "the count of repeat is a number, literal(n), extent<A>(x) or a value");
    if constexpr (operand) {
      constexpr bool whole = is_integer(operand_info<Count>::type.type) && operand_info<Count>::rank == 0;
      static_assert(whole, "the count of repeat is one integer");
      return whole;
    } else {
      return false;
    }
  }

  typed_value value_;
  scalar_source scalar_;
  bool is_scalar_ = false;
  std::shared_ptr<const void> held_;
  typed_value (*replay_)(const void*) = nullptr;
};

/// Makes values one after the other, where the order of function calls would not be certain.
struct value_maker {
  const typed_value* next;
  template <class Value>
  Value make() {
    return Value((next++)->value);
  }
};

/// Records a loop on its count, if it has one, and its first states.
template <operation Op, class Condition, class Body, class... States>
recorded_value record_loop(const location& at, const typed_value* operands, unsigned count,
                           const Condition& condition, const Body& body, type_list<States...>) {
  body_scope scope(Op, at);
  iteration_value iteration(scope.iteration());
  const typed_value inputs[] = {
      typed_value{scope.state(operand_info<States>::type.type, operand_info<States>::rank),
                  operand_info<States>::type, operand_info<States>::rank}...};
  value_maker maker{inputs};
  std::tuple<States...> states{maker.make<States>()...};
  if constexpr (!std::is_same_v<Condition, no_condition>) {
    std::tuple<States...> tested = states;
    std::apply(
        [&](auto&... each) {
          scope.add_result(recorded_operand(condition(each...), {element_type::boolean}),
                           element_type::boolean);
        },
        tested);
  }
  std::apply(
      [&](auto&... each) {
        const typed_value* state = inputs;
        each_result(call_body(body, iteration, each...), [&](const auto& result) {
          scope.add_result(recorded_operand(result, state->type), state->type.type);
          ++state;
        });
      },
      states);
  return scope.finish(operands, count, at);
}

/// Records `when` on a condition.
template <class Then, class Otherwise, class... Results>
recorded_value record_choice(const location& at, const typed_value& condition, const Then& then,
                             const Otherwise& otherwise, type_list<Results...>) {
  constexpr operand_type types[] = {settled(operand_info<Results>::type)...};
  body_scope scope(operation::when, at);
  const auto record_side = [&](const auto& side) {
    const operand_type* type = types;
    each_result(side(), [&](const auto& result) {
      scope.add_result(recorded_operand(result, *type), type->type);
      ++type;
    });
  };
  record_side(then);
  scope.begin_otherwise();
  record_side(otherwise);
  return scope.finish(&condition, 1, at);
}

/// The results of a node with bodies: one, or a std::tuple of them.
template <class... Results>
auto results_from(recorded_value first, type_list<Results...>) {
  if constexpr (sizeof...(Results) == 1) {
    return (Results(first), ...);
  } else {
    typed_value all[sizeof...(Results)];
    for (unsigned i = 0; i < sizeof...(Results); ++i) all[i].value = result_at(i, first);
    value_maker maker{all};
    return std::tuple<Results...>{maker.make<Results>()...};
  }
}

// ---- as lazy expressions ----

/// Records a node with bodies whenever an expression that has it is evaluated. Where a recording surrounds
/// the call that makes the expression, it is recorded at once: its callables may refer to values of that
/// recording.
template <class Record>
struct replayed_bodies {
  Record record;
  recorded_value recorded{};

  explicit replayed_bodies(Record from) : record(std::move(from)) {
    if (is_recording()) recorded = record();
  }
  recorded_value replay() const { return is_usable(recorded) ? recorded : record(); }
};

/// One result of it.
template <class Record, unsigned Position, class Result>
struct body_node {
  class SINTER_RESULT type : public lazy<type> {
   public:
    static constexpr operand_type result_type = operand_info<Result>::type;
    static constexpr unsigned result_rank = operand_info<Result>::rank;
    static constexpr unsigned max_operands = 0, max_scalars = 0, max_key = 0;

    explicit type(std::shared_ptr<const replayed_bodies<Record>> from) : bodies_(std::move(from)) {}
    void gather(gatherer& into) const { into.holds_callable = true; }
    typed_value replay() const { return {result_at(Position, bodies_->replay()), result_type, result_rank}; }

   private:
    std::shared_ptr<const replayed_bodies<Record>> bodies_;
  };
};

template <class Record, std::size_t... Position, class... Results>
auto lazy_results(Record record, std::index_sequence<Position...>, type_list<Results...>) {
  const auto bodies = std::make_shared<const replayed_bodies<Record>>(std::move(record));
  if constexpr (sizeof...(Results) == 1)
    return (typename body_node<Record, Position, Results>::type(bodies), ...);
  else
    return std::tuple<typename body_node<Record, Position, Results>::type...>{
        typename body_node<Record, Position, Results>::type(bodies)...};
}

/// Records now where a value takes part, or numbers alone; makes lazy expressions of arrays.
template <class... Operands>
inline constexpr bool is_recorded_now =
    count_leaves<Operands...>().values != 0 ||
    count_leaves<Operands...>().arrays + count_leaves<Operands...>().lazies == 0;

/// Results of a call on these operands that does not compile for a reason that was told: what uses them is no
/// second error. Nothing runs this.
template <class... Operands, class... Results>
auto after_error(type_list<Results...> results) {
  const auto record = [] { return recorded_value(); };
  if constexpr (sizeof...(Results) == 0)
    return after_error<Operands...>(type_list<value<float, 0>>());
  else if constexpr (is_recorded_now<Operands...>)
    return results_from(record(), results);
  else
    return lazy_results(record, std::make_index_sequence<sizeof...(Results)>(), results);
}

template <operation Op, class Condition, class Body, class... States, class... Operands>
auto loop_on(type_list<States...> states, const loop_count& count, const Condition& condition,
             const Body& body, Operands&&... operands) {
  constexpr unsigned counts = Op == operation::repeat ? 1 : 0;
  if constexpr (is_recorded_now<Operands...>) {
    const location& at = count.at;
    typed_value recorded[counts + sizeof...(States)];
    if constexpr (counts != 0) recorded[0] = count.record();
    typed_value* next = recorded + counts;
    ((*next++ = recorded_operand(operands, operand_info<States>::type, at)), ...);
    return results_from(record_loop<Op>(at, recorded, counts + sizeof...(States), condition, body, states),
                        states);
  } else {
    auto record = [count, condition, body,
                   first = std::tuple(node_of<operand_info<States>::type.type>(
                       count.at, std::forward<Operands>(operands))...)] {
      typed_value recorded[counts + sizeof...(States)];
      if constexpr (counts != 0) recorded[0] = count.record();
      typed_value* next = recorded + counts;
      std::apply([&](const auto&... each) { ((*next++ = each.replay()), ...); }, first);
      return record_loop<Op>(count.at, recorded, counts + sizeof...(States), condition, body,
                             type_list<States...>());
    };
    return lazy_results(std::move(record), std::make_index_sequence<sizeof...(States)>(), states);
  }
}

template <class Body, class... Operands>
constexpr bool check_loop() {
  constexpr bool any = sizeof...(Operands) != 0;
  static_assert(any, "a loop has at least one state, and then its body");
  constexpr bool has_body = !is_operand_type<Body>();
  static_assert(has_body || !any,
                "the last argument of a loop is its body: a callable that returns the next states");
  constexpr bool operands = (is_operand_type<std::remove_cvref_t<Operands>>() && ...);
  static_assert(operands || !has_body,
                "the states of a loop are values, arrays, views, expressions and numbers");
  return any && has_body && operands;
}
/// The types of the states of a loop; void after an error, of which the compiler is told here.
template <class Condition, class Body, class... Operands>
constexpr auto checked_states() {
  if constexpr (check_loop<Body, Operands...>())
    return states_of<Condition, Body, std::remove_cvref_t<Operands>...>();
}

/// The type of a loop's state before the first iteration, a number's as it is; float if it cannot be a state.
template <class Operand>
struct refused_state {
  using type = value<float, 0>;
};
template <operand Operand>
struct refused_state<Operand> {
  using type = first_state<Operand>;
};

/// A loop whose last argument is its body, the others its first states.
template <operation Op, class Condition, std::size_t... Position, class Arguments>
auto loop(const loop_count& count, const Condition& condition, std::index_sequence<Position...>,
          Arguments&& arguments) {
  using body = std::remove_cvref_t<std::tuple_element_t<sizeof...(Position), Arguments>>;
  using states = decltype(checked_states<Condition, body, std::tuple_element_t<Position, Arguments>...>());
  if constexpr (!std::is_void_v<states>)
    return loop_on<Op, Condition, body>(
        states(), count, condition, std::get<sizeof...(Position)>(arguments),
        static_cast<std::tuple_element_t<Position, Arguments>>(std::get<Position>(arguments))...);
  else
    return after_error<std::tuple_element_t<Position, Arguments>...>(
        type_list<typename refused_state<
            std::remove_cvref_t<std::tuple_element_t<Position, Arguments>>>::type...>());
}

/// Stands for what repeat_while is not given.
struct no_argument {};
template <class... Arguments>
inline constexpr std::size_t arguments_given =
    (std::size_t{0} + ... + !std::is_same_v<std::remove_cvref_t<Arguments>, no_argument>);

/// The types of the results of `when`; void after an error, of which the compiler is told here.
template <class Condition, class Then, class Otherwise>
constexpr auto checked_choice() {
  constexpr bool operand = is_operand_type<Condition>();
  static_assert(operand, "the condition of when is a value, an array, an expression or a bool");
  if constexpr (operand) {
    if constexpr (check_side<Then>()) {
      if constexpr (check_side<Otherwise>()) {
        using a = results_of_side<Then>;
        using b = results_of_side<Otherwise>;
        if constexpr (check_sides(a(), b())) return chosen_results<Condition>(a(), b());
      }
    }
  }
}

/// What `when` returns after an error: as if both sides were evaluated, where that has a type.
template <class Condition, class Then, class Otherwise>
auto refused_choice(const Condition& condition, const Then& then, const Otherwise& otherwise) {
  using a = std::remove_cvref_t<decltype(value_of_side(then))>;
  using b = std::remove_cvref_t<decltype(value_of_side(otherwise))>;
  if constexpr (operand<Condition> && operand<a> && operand<b>)
    return apply<operation::where>(location(), condition, value_of_side(then), value_of_side(otherwise));
  else if constexpr (operand<Condition> && operand<a>)
    return apply<operation::where>(location(), condition, value_of_side(then), 0);
  else if constexpr (operand<Condition> && operand<b>)
    return apply<operation::where>(location(), condition, value_of_side(otherwise), 0);
  else
    return after_error<Condition, a, b>(type_list<value<float, 0>>());
}

}  // namespace detail

/// Runs `body` `count` times, and returns the states after that: `repeat(count, state…, body)`. The body
/// takes the states, and the number of the iteration after them if it likes, and returns the next states:
/// one, or a std::tuple of them. All next states are computed before any state changes. Returns a value for
/// one state, else a std::tuple of values.
///
///     auto root = repeat(4, x, [&](auto r) { return 0.5f * (r + x / r); });
///     auto [a, b] = repeat(n, 0, 1, [](auto a, auto b) { return std::tuple(b, a + b); });
///     auto sum = repeat(n, 0.f, [&](auto s, auto i) { return s + x * i; });
///
/// - `count` is an integer of rank 0: a C++ number (a run-time parameter wherever C++ numbers are),
///   `literal(n)`, `extent<A>(y)` or a value. The body does not run if it is not above 0.
/// - A state's type and rank are those of `where(condition, state, next)`, found while compiling: `0` that
///   becomes `0 + x` has the type of x, and its shape. A number that meets no other type becomes int64 or the
///   floating type that it has. What changes with every iteration does not compile.
/// - Bodies are elementwise. They use arrays and values around them as the function does, and take elements
///   of these at indices that they compute (parts/gather.hpp); what they slice, reduce, scan or ask for a
///   coordinate or an extent has to be such a value: for one that is computed in the body, and for a state,
///   type_error is thrown. A value of a body that is used after the body throws error.
/// - Bodies may have bodies, 16 deep at most.
/// - Numbers alone as states, like values, need a function that is being recorded: else error is thrown.
/// - With arrays or expressions as states, and no values, the result is a lazy expression, or a std::tuple of
///   them, each of which runs the loop by itself. They keep a copy of the body and record it at each
///   evaluation: what it refers to must live as long.
template <class... Arguments>
  requires(sizeof...(Arguments) != 0)
[[nodiscard]] auto repeat(detail::loop_count count, Arguments&&... states_and_body) {
  return detail::loop<operation::repeat>(count, detail::no_condition(),
                                         std::make_index_sequence<sizeof...(Arguments) - 1>(),
                                         std::forward_as_tuple(std::forward<Arguments>(states_and_body)...));
}

/// Runs `body` for each element as long as a condition holds for it, and returns the states after that:
/// `repeat_while(condition, state…, body)`. The condition takes the states and returns a bool value; it is
/// tested before each iteration. Where it holds no more, the element's states stay as they are. Everything
/// else is as for repeat(); the states have at least the condition's rank.
///
///     auto [z, steps] = repeat_while([](auto z, auto steps) { return abs(z) < 2.f && steps < 100; }, c, 0,
///                                    [&](auto z, auto steps) { return std::tuple(z * z + c, steps + 1); });
template <class Condition, class A, class B = detail::no_argument, class C = detail::no_argument,
          class D = detail::no_argument, class E = detail::no_argument, class F = detail::no_argument,
          class G = detail::no_argument, class H = detail::no_argument>
// NOLINTNEXTLINE(readability-function-size): nothing can follow a pack, so each argument has a parameter
[[nodiscard]] auto repeat_while(const Condition& condition, A&& a, B&& b = {}, C&& c = {}, D&& d = {},
                                E&& e = {}, F&& f = {}, G&& g = {}, H&& h = {},
                                std::source_location at = std::source_location::current()) {
  constexpr std::size_t given = detail::arguments_given<A, B, C, D, E, F, G, H>;
  return detail::loop<operation::repeat_while>(
      detail::loop_count(0, at), condition, std::make_index_sequence<given - 1>(),
      std::forward_as_tuple(std::forward<A>(a), std::forward<B>(b), std::forward<C>(c), std::forward<D>(d),
                            std::forward<E>(e), std::forward<F>(f), std::forward<G>(g), std::forward<H>(h)));
}
/// The same with more than seven states. Its messages name no source line.
template <class Condition, class... Arguments>
  requires(sizeof...(Arguments) > 8)
[[nodiscard]] auto repeat_while(const Condition& condition, Arguments&&... states_and_body) {
  return detail::loop<operation::repeat_while>(
      detail::loop_count(0, detail::location{}), condition,
      std::make_index_sequence<sizeof...(Arguments) - 1>(),
      std::forward_as_tuple(std::forward<Arguments>(states_and_body)...));
}

/// For each element what `then()` returns where the condition holds, else what `otherwise()` returns. A side
/// is evaluated where it is chosen, so that it may cost more than the other; `where(condition, a, b)`
/// evaluates both. The sides are callables without parameters that return a value or number, or a std::tuple
/// of as many as the other side; types and ranks are those of where(condition, a, b). Bodies are as for
/// repeat(), and a choice without values is a lazy expression in the same way.
///
///     auto y = when(x > 0, [&] { return log(x); }, [&] { return x * x; });
template <class Condition, class Then, class Otherwise>
[[nodiscard]] auto when(Condition&& condition, const Then& then, const Otherwise& otherwise,
                        std::source_location at = std::source_location::current()) {
  using results = decltype(detail::checked_choice<std::remove_cvref_t<Condition>, Then, Otherwise>());
  if constexpr (std::is_void_v<results>) {
    return detail::refused_choice(condition, then, otherwise);
  } else if constexpr (detail::is_recorded_now<Condition, decltype(then()), decltype(otherwise())>) {
    const detail::typed_value holds = detail::recorded_operand(condition, {element_type::boolean}, at);
    return detail::results_from(detail::record_choice(at, holds, then, otherwise, results()), results());
  } else {
    auto record = [then, otherwise, at,
                   holds = detail::node_of<element_type::boolean>(at, std::forward<Condition>(condition))] {
      return detail::record_choice(at, holds.replay(), then, otherwise, results());
    };
    return []<class... Results>(auto from, detail::type_list<Results...> list) {
      return detail::lazy_results(std::move(from), std::make_index_sequence<sizeof...(Results)>(), list);
    }(std::move(record), results());
  }
}

}  // namespace sinter::inline v0
