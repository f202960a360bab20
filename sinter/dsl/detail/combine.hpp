#pragma once
// Records reductions and scans by a combine, or makes them expressions. Internal.

#include <sinter/dsl/bodies.hpp>
#include <sinter/dsl/detail/combining_types.hpp>

namespace sinter::inline v0::detail {

/// Makes one side of what is combined from the inputs of its body.
template <class Side>
struct side_maker {
  static Side from(const typed_value* inputs) { return Side(inputs->value); }
};
template <class... Values>
struct side_maker<std::tuple<Values...>> {
  static std::tuple<Values...> from(const typed_value* inputs) {
    value_maker maker{inputs};
    return std::tuple<Values...>{maker.make<Values>()...};
  }
};

/// Records a reduction or scan of values, then identities: `request.count` of each.
template <operation Op, bool Plain, class Combine, class... Values>
recorded_value record_combined(const location& at, const combining_request& request,
                               const typed_value* operands, const Combine& combine, type_list<Values...>) {
  constexpr std::size_t count = sizeof...(Values);
  using side = typename combined_side<Plain, Values...>::type;
  constexpr operand_type types[] = {operand_info<Values>::type...};
  body_scope scope(Op, at);
  typed_value inputs[2 * count];
  for (std::size_t i = 0; i < 2 * count; ++i)
    inputs[i] = {scope.side(types[i % count].type), types[i % count], 0};
  side left = side_maker<side>::from(inputs), right = side_maker<side>::from(inputs + count);
  const operand_type* type = types;
  each_result(combine(left, right), [&](const auto& result) {
    scope.add_result(recorded_operand(result, *type), type->type);
    ++type;
  });
  return scope.finish(request, operands);
}

/// A combine of sides whose last value is whether any element is present. Where one side has none, the result
/// is the other side: the user's combine is not applied.
template <bool Plain, class Combine, class... Values>
class combine_present {
 public:
  combine_present(const location& at, const Combine& combine) : at_(at), combine_(combine) {}

  template <class Side>
  auto operator()(const Side& a, const Side& b) const {
    constexpr std::size_t count = sizeof...(Values);
    return choose(a, b, std::get<count>(a), std::get<count>(b), std::make_index_sequence<count>());
  }

 private:
  template <class Side, class Present, std::size_t... Position>
  auto choose(const Side& a, const Side& b, const Present& in_a, const Present& in_b,
              std::index_sequence<Position...>) const {
    using side = typename combined_side<Plain, Values...>::type;
    const typed_value inputs[] = {erased(std::get<Position>(a))..., erased(std::get<Position>(b))...};
    side left = side_maker<side>::from(inputs);
    side right = side_maker<side>::from(inputs + sizeof...(Values));
    const recorded_value first = record_choice(
        at_, erased(in_a && in_b), [&] { return combine_(left, right); },
        [&] { return std::tuple(where(in_a, std::get<Position>(a), std::get<Position>(b))...); },
        type_list<Values...>());
    return std::tuple<Values..., Present>{Values(result_at(Position, first))..., in_a || in_b};
  }

  const location& at_;
  const Combine& combine_;
};

/// The same of elements where a mask, the last operand, holds. Elsewhere they are the identities.
template <operation Op, bool Plain, class Combine, class... Values>
recorded_value record_masked(const location& at, combining_request request, const typed_value* operands,
                             const Combine& combine, type_list<Values...>) {
  constexpr std::size_t count = sizeof...(Values);
  constexpr operand_type types[] = {operand_info<Values>::type..., {element_type::boolean}};
  const typed_value* const identities = operands + count;
  const typed_value& mask = operands[2 * count];
  typed_value masked[2 * (count + 1)];
  for (std::size_t i = 0; i < count; ++i) {
    const typed_value chosen[] = {
        mask, {record_cast(operands[i], types[i].type, at), types[i], operands[i].rank}, identities[i]};
    masked[i] = {record(operation::where, chosen, 3, at), types[i], std::max(mask.rank, operands[i].rank)};
    masked[count + 1 + i] = identities[i];
  }
  masked[count] = mask;
  masked[2 * count + 1] = {record_scalar({types[count], true, 0}, element_type::boolean, at), types[count],
                           0};
  ++request.count;
  return record_combined<Op, false>(at, request, masked,
                                    combine_present<Plain, Combine, Values...>(at, combine),
                                    type_list<Values..., value<bool, 0>>());
}

template <operation Op, bool Plain, bool Masked, class Combine, class Values>
recorded_value record_combining(const location& at, const combining_request& request,
                                const typed_value* operands, const Combine& combine, Values values) {
  if constexpr (Masked)
    return record_masked<Op, Plain>(at, request, operands, combine, values);
  else
    return record_combined<Op, Plain>(at, request, operands, combine, values);
}

/// Results in a std::tuple, also a single one, unless the identities were no std::tuple.
template <bool Plain, class Results>
auto combined_results(Results results) {
  if constexpr (Plain || combined_list<Results>::is_tuple)
    return results;
  else
    return std::tuple<Results>(std::move(results));
}

/// Records now where a value takes part; makes lazy expressions of arrays. Operands are values, identities
/// and the mask, each with the type in which a number is held.
template <operation Op, bool Plain, bool Masked, element_type... Met, class Combine, class Values,
          class... Results, class... Operands>
auto combine_operands(const location& at, const combining_request& request, const Combine& combine,
                      Values values, type_list<Results...> results, Operands&&... operands) {
  if constexpr (is_recorded_now<Operands...>) {
    const typed_value recorded[] = {recorded_operand(operands, {Met}, at)...};
    return combined_results<Plain>(
        results_from(record_combining<Op, Plain, Masked>(at, request, recorded, combine, values), results));
  } else {
    auto record = [at, request, combine,
                   nodes = std::tuple(node_of<Met>(at, std::forward<Operands>(operands))...)] {
      typed_value recorded[sizeof...(Operands)];
      typed_value* next = recorded;
      std::apply([&](const auto&... each) { ((*next++ = each.replay()), ...); }, nodes);
      return record_combining<Op, Plain, Masked>(at, request, recorded, combine, Values());
    };
    return combined_results<Plain>(
        lazy_results(std::move(record), std::make_index_sequence<sizeof...(Results)>(), results));
  }
}

template <class Value, unsigned Rank>
using combined_result = value<spelling_of<operand_info<Value>::type.type, false>, Rank>;

/// Takes the arguments apart: values, identities and the mask one after the other. `Types` is a list of the
/// values' types.
template <operation Op, bool Plain, unsigned Rank, class Types>
struct combining_call;
template <operation Op, bool Plain, unsigned Rank, class... Types>
struct combining_call<Op, Plain, Rank, type_list<Types...>> {
  template <std::size_t... Position, class Combine, class Identities, class Values, class... Options>
  static auto make(const location& at, std::index_sequence<Position...>, const Combine& combine,
                   Identities&& identities, Values&& values, Options&&... options) {
    constexpr combining_request request =
        combining_request_of<sizeof...(Types), Rank, std::remove_cvref_t<Options>...>();
    constexpr unsigned kept = kept_rank<Op, Rank, std::remove_cvref_t<Options>...>();
    constexpr type_list<combined_result<Types, kept>...> results;
    // NOLINTBEGIN(bugprone-use-after-move): each part is taken out once
    if constexpr (times_given<option_kind::mask, Options...> != 0)
      return combine_operands<Op, Plain, true, operand_info<Types>::type.type...,
                              operand_info<Types>::type.type..., element_type::boolean>(
          at, request, combine, type_list<Types...>(), results,
          combined_part<Position>(std::forward<Values>(values))...,
          combined_part<Position>(std::forward<Identities>(identities))...,
          option_of<option_kind::mask>(std::forward<Options>(options)...).take());
    else
      return combine_operands<Op, Plain, false, operand_info<Types>::type.type...,
                              operand_info<Types>::type.type...>(
          at, request, combine, type_list<Types...>(), results,
          combined_part<Position>(std::forward<Values>(values))...,
          combined_part<Position>(std::forward<Identities>(identities))...);
    // NOLINTEND(bugprone-use-after-move)
  }
};

template <class Value>
constexpr unsigned rank_of_part() {
  if constexpr (is_operand_type<Value>()) return operand_info<Value>::rank;
  return 0;
}
template <class... Values>
constexpr unsigned rank_together(type_list<Values...>) {
  return highest_of({0u, rank_of_part<Values>()...});
}

template <class... Values>
constexpr std::size_t count_of_types(type_list<Values...>) {
  return sizeof...(Values);
}

/// The type of a result after an error: that of identity and elements together, as far as these are operands.
template <class Identity, class Elements, unsigned Rank>
struct refused_result {
  using type = value<float, Rank>;
};
template <operand Identity, operand Elements, unsigned Rank>
struct refused_result<Identity, Elements, Rank> {
  using type = combined_result<strong_state<first_combined<Identity, Elements>>, Rank>;
};
template <unsigned Rank, class... Identities, class... Elements>
constexpr auto refused_results(type_list<Identities...>, type_list<Elements...>) {
  if constexpr (sizeof...(Identities) == sizeof...(Elements))
    return type_list<typename refused_result<Identities, Elements, Rank>::type...>();
  else
    return type_list<typename refused_result<Elements, Elements, Rank>::type...>();
}

/// The types of values, or void after an error, of which the compiler is told here.
template <operation Op, class Combine, class Identities, class Values, class... Options>
constexpr auto checked_types() {
  using identity_list = typename combined_list_of<Identities>::type;
  using value_list = typename combined_list_of<Values>::type;
  constexpr bool plain = !combined_list_of<Identities>::is_tuple;
  if constexpr (check_combine<Combine>()) {
    constexpr bool alike = plain == !combined_list_of<Values>::is_tuple;
    static_assert(alike, "identities and values are both one, or both a std::tuple of as many");
    if constexpr (alike) {
      if constexpr (check_combined_operands(identity_list(), value_list())) {
        if constexpr (check_combining_options<Op, rank_together(value_list()), Options...>())
          return combined_types<plain, Combine>(identity_list(), value_list());
      }
    }
  }
}

/// `reduce` or `scan`. After an error the result still has a type, so that what uses it is no second error.
template <operation Op, class Combine, class Identities, class Values, class... Options>
auto combine_by(const location& at, const Combine& combine, Identities&& identities, Values&& values,
                Options&&... options) {
  using identity_list = typename combined_list_of<Identities>::type;
  using value_list = typename combined_list_of<Values>::type;
  constexpr bool plain = !combined_list_of<Values>::is_tuple;
  constexpr unsigned rank = rank_together(value_list());
  using types = decltype(checked_types<Op, Combine, Identities, Values, std::remove_cvref_t<Options>...>());
  if constexpr (!std::is_void_v<types>) {
    return combining_call<Op, plain, rank, types>::make(
        at, std::make_index_sequence<count_of_types(value_list())>(), combine,
        std::forward<Identities>(identities), std::forward<Values>(values),
        std::forward<Options>(options)...);
  } else {
    constexpr unsigned kept = kept_rank<Op, rank, std::remove_cvref_t<Options>...>();
    return combined_results<plain>(
        after_error<Identities, Values>(refused_results<kept>(identity_list(), value_list())));
  }
}

}  // namespace sinter::inline v0::detail
