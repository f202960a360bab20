#pragma once
// How the functions of parts.hpp are recorded, or made expressions.

#include <sinter/dsl/functions.hpp>
#include <sinter/dsl/parts/compose_parts.hpp>

#include <bit>
#include <tuple>

namespace sinter::inline v0::detail {

SINTER_API recorded_value record_part(const part_request& request, const typed_value* operands,
                                      unsigned count, const location& at);
/// The number of the extent that is -1; as many as there are if none is. Throws shape_error if several are.
SINTER_API std::size_t unknown_extent(std::span<const scalar_source> extents);

// ---- operands ----

/// An integer of rank 0: a size, a count, a distance.
template <class Operand>
concept host_integer =
    operand<Operand> && info_of<Operand>::rank == 0 && is_integer(info_of<Operand>::type.type);

template <class... Operands>
constexpr bool check_integers() {
  constexpr bool integers = (host_integer<Operands> && ...);
  static_assert(
      integers,
      "sizes, counts and distances are integers: numbers, scalar arguments, extent<A>(x), or computed "
      "from these");
  return integers;
}

/// For a C++ number what it is, for all else no number.
template <class Operand>
scalar_source number_of(const Operand& from) {
  if constexpr (kind_of_operand<Operand> == operand_kind::scalar) return source_of(from);
  return {};
}

// ---- recording ----

template <element_type Type, bool Weak, unsigned Rank, class... Nodes>
struct part_node {
  class SINTER_RESULT type : public lazy<type> {
   public:
    static constexpr operand_type result_type{Type, Weak};
    static constexpr unsigned result_rank = Rank;
    static constexpr unsigned max_operands = (0u + ... + Nodes::max_operands);
    static constexpr unsigned max_scalars = (0u + ... + Nodes::max_scalars);
    static constexpr unsigned max_key = (1u + ... + Nodes::max_key);

    type(const location& at, const part_request& request, Nodes&&... operands)
        : operands_(std::move(operands)...), request_(request), at_(at) {}
    void gather(gatherer& into) const {
      std::apply([&](const Nodes&... nodes) { (nodes.gather(into), ...); }, operands_);
      into.add_key(packed_part(request_));
    }
    typed_value replay() const {
      return std::apply(
          [&](const Nodes&... nodes) -> typed_value {
            const typed_value values[] = {nodes.replay()...};
            return {record_part(request_, values, sizeof...(Nodes), at_), result_type, Rank};
          },
          operands_);
    }

   private:
    std::tuple<Nodes...> operands_;
    part_request request_;
    location at_;
  };
};

template <element_type Type, bool Weak, unsigned Rank, class... Nodes>
auto make_part_node(const location& at, const part_request& request, Nodes&&... made) {
  return typename part_node<Type, Weak, Rank, std::remove_cvref_t<Nodes>...>::type(at, request,
                                                                                   std::move(made)...);
}

/// Records a part of this type and rank, or makes it an expression. C++ numbers among the operands are
/// integers; that of rank 0 at `Element` is an element.
template <operand_type Type, unsigned Rank, std::size_t Element, std::size_t... Position, class... Operands>
auto part_of(const location& at, const part_request& request, std::index_sequence<Position...>,
             Operands&&... operands) {
  constexpr auto met = [](std::size_t position) {
    return position == Element ? operand_type{Type.type} : operand_type{element_type::int64};
  };
  if constexpr (((kind_of_operand<Operands> == operand_kind::value) || ...) ||
                ((kind_of_operand<Operands> == operand_kind::scalar) && ...)) {
    const typed_value recorded[] = {recorded_operand(operands, met(Position), at)...};
    return value<spelling_of<Type.type, Type.weak>, Rank>(
        record_part(request, recorded, sizeof...(Operands), at));
  } else {
    return make_part_node<Type.type, Type.weak, Rank>(
        at, request, node_of<met(Position).type>(at, std::forward<Operands>(operands))...);
  }
}
template <operand_type Type, unsigned Rank, std::size_t Element = SIZE_MAX, class... Operands>
auto make_part(const location& at, const part_request& request, Operands&&... operands) {
  return part_of<Type, Rank, Element>(at, request, std::make_index_sequence<sizeof...(Operands)>(),
                                      std::forward<Operands>(operands)...);
}

/// The same where each C++ number has a type of its own, of which `Met` has one for each operand.
template <operand_type Type, unsigned Rank, element_type... Met, class... Operands>
auto make_part_meeting(const location& at, const part_request& request, Operands&&... operands) {
  if constexpr (((kind_of_operand<Operands> == operand_kind::value) || ...)) {
    const typed_value recorded[] = {recorded_operand(operands, {Met}, at)...};
    return value<spelling_of<Type.type, Type.weak>, Rank>(
        record_part(request, recorded, sizeof...(Operands), at));
  } else {
    return make_part_node<Type.type, Type.weak, Rank>(at, request,
                                                      node_of<Met>(at, std::forward<Operands>(operands))...);
  }
}

// ---- axes ----

/// A part along one axis of x, with integers: the type and rank of x.
template <composed_part What, int Axis, class X, class... Integers>
auto along_axis(const location& at, X&& x, Integers&&... integers) {
  using info = info_of<X>;
  if constexpr (check_axis<Axis, info::rank>() && check_integers<Integers...>())
    return make_part<info::type, info::rank>(at, {.what = What, .number = axis_position(Axis, info::rank)},
                                             std::forward<X>(x), std::forward<Integers>(integers)...);
}

/// The types of arrays that are concatenated, together.
template <class First, class... Others>
constexpr operand_type common_type() {
  operand_type common = info_of<First>::type;
  ((common = settled_elements(promote(common, info_of<Others>::type), 1)), ...);
  return common;
}

/// Arrays one after the other along an axis of the result, which has `Added` axes more than they have.
template <composed_part What, int Axis, unsigned Added, class First, class... Others>
auto concatenated(First&& first, Others&&... others) {
  constexpr unsigned rank = info_of<First>::rank;
  constexpr bool same = ((info_of<Others>::rank == rank) && ...);
  static_assert(same, "arrays of one rank are put together: give the others axes with newaxis");
  if constexpr (same && check_axis<Axis, rank + Added>())
    return make_part<common_type<First, Others...>(), rank + Added>(
        location{}, {.what = What, .number = axis_position(Axis, rank + Added)}, std::forward<First>(first),
        std::forward<Others>(others)...);
}

/// Axes as bits; each one once.
template <unsigned Rank, int... Axes>
constexpr std::uint64_t axes_as_bits() {
  std::uint64_t named = 0;
  ((named |= std::uint64_t{1} << axis_position(Axes, Rank)), ...);
  return named;
}
template <unsigned Rank, int... Axes>
constexpr bool check_axes() {
  constexpr bool exist = (check_axis<Axes, Rank>() && ...);
  constexpr bool once =
      static_cast<unsigned>(std::popcount(axes_as_bits<Rank, Axes...>())) == sizeof...(Axes);
  static_assert(!exist || once, "an axis is named twice");
  return exist && once;
}

/// Index items that add axes of extent 1 where bits are set.
template <unsigned Rank>
constexpr auto items_with_axes(std::uint64_t added) {
  struct {
    index_item items[Rank + 1]{};
  } made;
  for (unsigned axis = 0; axis < Rank; ++axis)
    if ((added >> axis & 1) != 0) made.items[axis].what = view_item::kind::newaxis;
  return made;
}

/// Where axis i of the result of moveaxis is in the operand.
constexpr int moved_axis(unsigned from, unsigned to, unsigned axis) {
  if (axis == to) return static_cast<int>(from);
  const unsigned other = axis < to ? axis : axis - 1;  // among the axes that keep their order
  return static_cast<int>(other < from ? other : other + 1);
}

template <int From, int To, class X, int... Axes>
auto with_moved_axis(const location& at, X&& x, std::integer_sequence<int, Axes...>) {
  constexpr unsigned rank = sizeof...(Axes), from = axis_position(From, rank), to = axis_position(To, rank);
  return permute<moved_axis(from, to, Axes)...>(std::forward<X>(x), at);
}

// ---- boundaries ----

template <extension Rule>
struct boundary_tag {};
/// Of indices: what is out of range is the nearest position, or an error.
struct clip_boundary {};
struct checked_index {};
template <class Element>
struct constant_boundary {
  Element element;
};

template <int Axis, class X, class Before, class After, extension Rule>
auto padded(const location& at, X&& x, Before&& before, After&& after, boundary_tag<Rule>) {
  using info = info_of<X>;
  if constexpr (check_axis<Axis, info::rank>() && check_integers<Before, After>())
    return make_part<info::type, info::rank>(at, {composed_part::pad, Rule, axis_position(Axis, info::rank)},
                                             std::forward<X>(x), std::forward<Before>(before),
                                             std::forward<After>(after));
}
template <int Axis, class X, class Before, class After, class Element>
auto padded(const location& at, X&& x, Before&& before, After&& after,
            const constant_boundary<Element>& rule) {
  using info = info_of<X>;
  if constexpr (check_axis<Axis, info::rank>() && check_integers<Before, After>())
    return make_part<settled(info::type), info::rank, 3>(
        at, {.what = composed_part::pad_constant, .number = axis_position(Axis, info::rank)},
        std::forward<X>(x), std::forward<Before>(before), std::forward<After>(after), rule.element);
}

// ---- a list of conditions ----

template <class Otherwise>
Otherwise&& selected(Otherwise&& otherwise) {
  return std::forward<Otherwise>(otherwise);
}
template <class Condition, class Value, class... Others>
auto selected(Condition&& condition, Value&& chosen, Others&&... others) {
  return apply<operation::where>(location{}, std::forward<Condition>(condition), std::forward<Value>(chosen),
                                 selected(std::forward<Others>(others)...));
}

}  // namespace sinter::inline v0::detail
