#pragma once
// The public reductions: their options, their types, the lazy node.

#include <sinter/codegen/base/export.hpp>
#include <sinter/dsl/composed/compose_reduction.hpp>
#include <sinter/dsl/expression.hpp>

namespace sinter::inline v0::detail {

/// Appends the operations of a reduction to the current recording.
SINTER_API recorded_value record_reduction(const reduction_request& request, const typed_value* operands,
                                           const location& at);

/// The types of a reduction of these elements; a given accumulator sets them.
constexpr operation_types reduction_types(reduction what, operand_type elements) {
  elements = settled(elements);
  if (is_of_floating(what)) {
    if (!is_inexact(elements.type)) elements.type = element_type::float64;
    const element_type result = is_real_of_complex(what) ? component_of(elements.type) : elements.type;
    return {{result}, {facts_of(elements.type).compute}, takes_complex(what) || !is_complex(elements.type)};
  }
  if (is_sum_or_product(what)) return apply_rule(type_rule::accumulated, elements);
  if (what == reduction::count_nonzero) return {{element_type::int64}, {element_type::boolean}};
  if (finds_position(what)) return apply_rule(type_rule::position, elements);
  return apply_rule(facts_of(row_of(what)).rule, elements);
}
constexpr operation_types reduction_types_in(reduction what, element_type accumulator) {
  const element_type result = is_real_of_complex(what) ? component_of(accumulator) : accumulator;
  return {{result},
          {is_of_floating(what) ? facts_of(accumulator).compute : accumulator},
          takes_complex(what) || !is_complex(accumulator)};
}

// ---- options ----

struct no_option {};
struct ordered_tag {};
/// Refers to an lvalue and owns an rvalue, as expressions do.
template <class Mask>
struct mask_option {
  Mask mask;
  const Mask& take() const& { return mask; }
  Mask&& take() && { return static_cast<Mask&&>(mask); }
};
template <class Number>
struct ddof_option {
  Number number;
};

enum class option_kind : std::uint8_t { none, axes, keepdims, mask, ddof, ordered, unknown };

template <class T>
inline constexpr option_kind option_kind_of = option_kind::unknown;
template <>
inline constexpr option_kind option_kind_of<no_option> = option_kind::none;
template <int... Axes>
inline constexpr option_kind option_kind_of<axis_tag<Axes...>> = option_kind::axes;
template <>
inline constexpr option_kind option_kind_of<keepdims_tag> = option_kind::keepdims;
template <class Mask>
inline constexpr option_kind option_kind_of<mask_option<Mask>> = option_kind::mask;
template <class Number>
inline constexpr option_kind option_kind_of<ddof_option<Number>> = option_kind::ddof;

template <>
inline constexpr option_kind option_kind_of<ordered_tag> = option_kind::ordered;

template <option_kind Kind, class... Options>
inline constexpr unsigned times_given = (0u + ... + (option_kind_of<std::remove_cvref_t<Options>> == Kind));

/// The option of a kind; it is given exactly once.
template <option_kind Kind, class First, class... Rest>
decltype(auto) option_of(First&& first, Rest&&... rest) {
  if constexpr (option_kind_of<std::remove_cvref_t<First>> == Kind)
    return std::forward<First>(first);
  else
    return option_of<Kind>(std::forward<Rest>(rest)...);
}

template <int... Axes>
constexpr std::uint32_t axes_mask(axis_tag<Axes...>, [[maybe_unused]] unsigned rank) {
  return (std::uint32_t{0} | ... | (std::uint32_t{1} << axis_position(Axes, rank)));
}
/// The axes that an option names, as bits; 0 for other options.
template <class Option>
constexpr std::uint32_t axes_of(unsigned rank) {
  if constexpr (option_kind_of<Option> == option_kind::axes) return axes_mask(Option{}, rank);
  return 0;
}

template <unsigned Rank, int... Axes>
constexpr bool check_axes(axis_tag<Axes...> named) {
  constexpr bool exist = ((axis_position(Axes, Rank) < Rank) && ...);
  static_assert(exist, "there is no such axis: the operand's rank is smaller");
  constexpr bool once =
      !exist || std::popcount(axes_mask(decltype(named){}, Rank)) == static_cast<int>(sizeof...(Axes));
  static_assert(once, "axis<...> names an axis twice");
  return exist && once;
}

template <unsigned Rank, class Mask>
constexpr bool check_mask() {
  using info = info_of<Mask>;
  constexpr bool boolean = info::type.type == element_type::boolean;
  static_assert(boolean, "only_where(mask): the mask is not boolean: say x > 0, or astype<bool>(x)");
  constexpr bool fits = boolean && info::rank <= Rank;
  static_assert(fits || !boolean, "only_where(mask): the mask has more axes than the operand");
  return fits;
}

template <reduction What, unsigned Rank, class Option>
constexpr bool check_option() {
  constexpr option_kind kind = option_kind_of<Option>;
  constexpr bool known = kind != option_kind::unknown && kind != option_kind::ordered;
  static_assert(
      !std::is_arithmetic_v<Option>,
      "a reduction takes axis<...>, which the types of results follow: sum(x, 1) is sum(x, axis<1>)");
  static_assert(known || std::is_arithmetic_v<Option>,
                "a reduction takes axis<...>, keepdims, only_where(mask) and ddof(n) after its operand");
  if constexpr (kind == option_kind::axes) {
    return check_axes<Rank>(Option{});
  } else if constexpr (kind == option_kind::mask) {
    constexpr bool fits = check_mask<Rank, decltype(Option::mask)>();
    static_assert(!finds_position(What),
                  "positions take no only_where: replace elements with where(mask, x, inf)");
    return fits && !finds_position(What);
  } else if constexpr (kind == option_kind::ddof) {
    static_assert(has_deviations(What), "only var and stddev take ddof(n)");
    return has_deviations(What);
  } else {
    static_assert(kind != option_kind::keepdims || !keeps_shape(What),
                  "this result has the operand's shape anyway");
    return known && (kind != option_kind::keepdims || !keeps_shape(What));
  }
}

/// Makes the compiler report in one line why a reduction cannot have these options.
template <reduction What, class Accumulator, element_type Elements, unsigned Rank, class... Options>
constexpr bool check_reduction() {
  constexpr bool once = times_given<option_kind::axes, Options...> <= 1 &&
                        times_given<option_kind::keepdims, Options...> <= 1 &&
                        times_given<option_kind::mask, Options...> <= 1 &&
                        times_given<option_kind::ddof, Options...> <= 1;
  static_assert(once, "an option of a reduction is given twice: name several axes as axis<0, 1>");
  constexpr bool ordered = takes_complex(What) || !is_complex(Elements);
  static_assert(ordered,
                "not defined for complex numbers, which have no order: take real(x), imag(x) or abs(x)");
  bool floating = true;
  if constexpr (is_of_floating(What) && !std::is_void_v<Accumulator>) {
    constexpr bool accumulates = is_inexact(element_type_of<Accumulator>);
    static_assert(accumulates, "this accumulates in a floating type only");
    floating = accumulates;
  }
  if constexpr (!std::is_void_v<Accumulator>) {
    constexpr bool whole = !is_complex(Elements) || is_complex(element_type_of<Accumulator>);
    static_assert(whole, "complex numbers accumulate in a complex type: take real(x) or imag(x)");
    floating = floating && whole;
  }
  constexpr bool options = (check_option<What, Rank, Options>() && ...);
  bool along_one = true;
  if constexpr (is_scan(What) && once && options) {
    constexpr unsigned axes = times_given<option_kind::axes, Options...> == 0
                                  ? Rank
                                  : static_cast<unsigned>(std::popcount((0u | ... | axes_of<Options>(Rank))));
    static_assert(axes == 1, "a scan goes along one axis: name it, as in cumsum(x, axis<0>)");
    along_one = axes == 1;
  }
  return once && ordered && floating && options && along_one;
}

/// Request and result of a reduction of `Operand`; `Accumulator` is void if none is given.
template <reduction What, class Accumulator, class Operand, class... Options>
struct reduction_of {
  static constexpr unsigned operand_rank = info_of<Operand>::rank;
  static constexpr operation_types types() {
    if constexpr (std::is_void_v<Accumulator>)
      return reduction_types(What, info_of<Operand>::type);
    else
      return reduction_types_in(What, element_type_of<Accumulator>);
  }
  static constexpr reduction_request request(double order) {
    constexpr bool some = times_given<option_kind::axes, Options...> != 0;
    constexpr std::uint32_t named = (std::uint32_t{0} | ... | axes_of<Options>(operand_rank));
    constexpr auto all_axes = static_cast<std::uint32_t>((std::uint64_t{1} << operand_rank) - 1);
    return {What,
            types().compute.type,
            types().result.type,
            times_given<option_kind::keepdims, Options...> != 0,
            times_given<option_kind::mask, Options...> != 0,
            times_given<option_kind::ddof, Options...> != 0,
            some ? named : all_axes,
            std::bit_cast<std::uint64_t>(order)};
  }
  static constexpr bool keeps = keeps_shape(What) || times_given<option_kind::keepdims, Options...> != 0;
  static constexpr unsigned rank =
      operand_rank - (keeps ? 0u : static_cast<unsigned>(std::popcount(request(0).axes)));
  static constexpr element_type result = types().result.type;
  /// The type in which operand `position` is held if it is a scalar.
  static constexpr element_type met(unsigned position) {
    if (request(0).masked && position == 1) return element_type::boolean;
    return position == 0 ? types().compute.type : component_of(types().compute.type);
  }
};

// ---- recording ----

/// A reduction of nodes: the elements, the mask, the degrees of freedom.
template <element_type Type, unsigned Rank, class... Nodes>
struct reduction_node {
  class SINTER_RESULT type : public lazy<type> {
   public:
    static constexpr operand_type result_type{Type, false};
    static constexpr unsigned result_rank = Rank;
    static constexpr unsigned max_operands = operand_nodes<Nodes...>::max_operands;
    static constexpr unsigned max_scalars = operand_nodes<Nodes...>::max_scalars;
    static constexpr unsigned max_key = 2 + operand_nodes<Nodes...>::max_key;

    type(const location& at, const reduction_request& request, nodes<Nodes...>&& operands)
        : operands_(std::move(operands)), request_(request), at_(at) {}
    void gather(gatherer& into) const {
      operands_.gather(into);
      // types need no key: they are template arguments; mask and ddof differ in type
      into.add_key(std::uint64_t{request_.axes} << 32 | static_cast<std::uint64_t>(request_.compute) << 16 |
                   static_cast<std::uint64_t>(request_.what) << 8 | std::uint64_t{request_.keepdims} << 1 |
                   std::uint64_t{request_.masked});
      into.add_key(request_.order);
    }
    typed_value replay() const {
      const auto record_values = [this](const typed_value* values, unsigned) {
        return record_reduction(request_, values, at_);
      };
      return {operands_.replay(record_values), result_type, Rank};
    }

   private:
    operand_nodes<Nodes...> operands_;
    reduction_request request_;
    location at_;
  };
};

template <class Made, class... Nodes>
auto make_reduction(const location& at, const reduction_request& request, Nodes&&... made) {
  return typename reduction_node<Made::result, Made::rank, Nodes...>::type(
      at, request, nodes<Nodes...>{std::move(made)...});
}

template <class Made, std::size_t... Position, class... Operands>
auto reduce_operands(const location& at, const reduction_request& request, std::index_sequence<Position...>,
                     Operands&&... operands) {
  if constexpr (((kind_of_operand<Operands> == operand_kind::value) || ...)) {
    const typed_value recorded[] = {recorded_operand(operands, {Made::met(Position)}, at)...};
    return value<storage_type<Made::result>, Made::rank>(record_reduction(request, recorded, at));
  } else {
    return make_reduction<Made>(at, request,
                                node_of<Made::met(Position)>(at, std::forward<Operands>(operands))...);
  }
}

/// Records a reduction, or makes it an expression.
template <reduction What, class Accumulator, class Operand, class... Options>
auto reduce(const location& at, double order, Operand&& x, Options&&... options) {
  if constexpr (check_reduction<What, Accumulator, info_of<Operand>::type.type, info_of<Operand>::rank,
                                std::remove_cvref_t<Options>...>()) {
    using made = reduction_of<What, Accumulator, Operand, std::remove_cvref_t<Options>...>;
    constexpr bool masked = made::request(0).masked, corrected = made::request(0).corrected;
    constexpr std::make_index_sequence<1 + masked + corrected> positions;
    const reduction_request request = made::request(order);
    if constexpr (masked && corrected)
      return reduce_operands<made>(at, request, positions, std::forward<Operand>(x),
                                   option_of<option_kind::mask>(std::forward<Options>(options)...).take(),
                                   option_of<option_kind::ddof>(options...).number);
    else if constexpr (masked)
      return reduce_operands<made>(at, request, positions, std::forward<Operand>(x),
                                   option_of<option_kind::mask>(std::forward<Options>(options)...).take());
    else if constexpr (corrected)
      return reduce_operands<made>(at, request, positions, std::forward<Operand>(x),
                                   option_of<option_kind::ddof>(options...).number);
    else
      return reduce_operands<made>(at, request, positions, std::forward<Operand>(x));
  }
}

}  // namespace sinter::inline v0::detail
