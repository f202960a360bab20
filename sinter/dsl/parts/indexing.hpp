#pragma once
// x(…) with arrays among its items: elements at indices, to which can be assigned where x is an array or a
// view.
//
// - x(i) = v, x(i, all()) = v, x(i, j) = v: v is a number, or what is broadcast to the shape that x(…) has.
//   Indices are as in gather.hpp. Of several values for one element the last in row-major order stays. An
//   index out of range is an index_error, and its value is not written.
// - x(mask) = v: v is broadcast to the shape of x, and written where the mask holds. The mask has the shape
//   of x; others throw shape_error.
// - All of x is read and written.
//
// Threads: several threads may read the elements; one that assigns has them alone.
// Throws: type_error as an index is made, for a number that does not fit; an assignment what a call throws
// (dsl/fuse.hpp), with shape_error for a mask of another shape.
// After a failure: the elements are as they were, unless kernels already wrote them (index_error, a failed
// launch): then they are unspecified.

#include <sinter/dsl/parts/gather.hpp>

namespace sinter::inline v0 {

namespace detail {

/// An index item for a view: an array of indices stands for its whole axis.
template <class Item>
constexpr auto item_of_view(const Item& item) {
  if constexpr (index_array<Item>)
    return all_index{};
  else
    return item;
}

/// Where index arrays stand among the axes of what the other items make of an operand of some rank.
struct index_places {
  std::uint64_t axes = 0;
  unsigned place = 0;
};
template <unsigned Rank, class... Items>
constexpr index_places places_of() {
  index_places made;
  unsigned axis = 0, others = 0, position = 0, first = 0, last = 0, count = 0;
  const auto visit = [&](bool is_array, bool is_integer, unsigned axes) {
    if (is_array || is_integer) {
      if (count == 0) made.place = others;
      first = count == 0 ? position : first;
      last = position;
      ++count;
    }
    if (is_array) made.axes |= std::uint64_t{1} << axis;
    axis += axes;
    if (!is_array) others += axes;
    ++position;
  };
  (visit(index_array<Items>, integer<Items>,
         std::is_same_v<Items, ellipsis_index> ? Rank - axes_taken<Items...>
         : integer<Items>                      ? 0
                                               : 1),
   ...);
  // as NumPy: index arrays that others separate come first
  if (last - first + 1 != count) made.place = 0;
  return made;
}

// ---- assignment ----

#define SINTER_REFUSED_ASSIGNMENT(symbol)                                 \
  template <class Operand>                                                \
  void operator symbol(Operand&&) const {                                 \
    static_assert(never<Operand> || IsMask,                               \
                  "an index may name an element twice: use scatter_add "  \
                  "(scatter_min, scatter_max), or x(i) = an expression"); \
    static_assert(never<Operand> || !IsMask,                              \
                  "a mask is no index of a compound assignment: use "     \
                  "where, as in x += where(mask, v, 0)");                 \
  }

/// The compound assignments that elements at indices do not have.
template <bool IsMask>
struct no_compound_assignment {
  SINTER_REFUSED_ASSIGNMENT(+=)
  SINTER_REFUSED_ASSIGNMENT(-=)
  SINTER_REFUSED_ASSIGNMENT(*=)
  SINTER_REFUSED_ASSIGNMENT(/=)
  SINTER_REFUSED_ASSIGNMENT(%=)
  SINTER_REFUSED_ASSIGNMENT(&=)
  SINTER_REFUSED_ASSIGNMENT(|=)
  SINTER_REFUSED_ASSIGNMENT(^=)
  SINTER_REFUSED_ASSIGNMENT(<<=)
  SINTER_REFUSED_ASSIGNMENT(>>=)
};

#undef SINTER_REFUSED_ASSIGNMENT

/// Assigns what a part makes of a view, of values in its type and of indices or a mask.
template <class T, unsigned Rank, class Values, class... Nodes>
void assign_part(const part_request& request, const view<T, Rank>& to, Values&& values,
                 const Nodes&... nodes) {
  constexpr operand_type type{element_type_of<T>};
  assign_elements(
      location{}, to,
      make_part<type, Rank>(location{}, request, to,
                            convert<type.type>(location{}, std::forward<Values>(values)), nodes...));
}

/// The elements of a view at indices of the axes that are set; the expression, and what is assigned to.
template <std::uint64_t Axes, unsigned Place, class T, unsigned Rank, class... Nodes>
struct indexed_elements {
  class SINTER_RESULT type : public lazy<type>, public no_compound_assignment<false> {
    using read = decltype(taken<Axes, Place, index_rule::checked>(
        location{}, std::declval<const view<T, Rank>&>(), std::declval<const Nodes&>()...));

   public:
    static constexpr operand_type result_type = read::result_type;
    static constexpr unsigned result_rank = read::result_rank;
    static constexpr unsigned max_operands = read::max_operands, max_scalars = read::max_scalars,
                              max_key = read::max_key;

    type(const view<T, Rank>& elements, std::tuple<Nodes...> indices)
        : elements_(elements), indices_(std::move(indices)), read_(read_at(elements_, indices_)) {}
    type(const type&) = default;
    void gather(gatherer& into) const { read_.gather(into); }
    typed_value replay() const { return read_.replay(); }

    template <operand Operand>
      requires(!std::is_same_v<std::remove_cvref_t<Operand>, type>)
    void operator=(Operand&& values) const&& {
      assign(std::forward<Operand>(values));
    }
    /// For non-const temporaries: without it, this and the assignment of copies are ambiguous.
    template <operand Operand>
      requires(!std::is_same_v<std::remove_cvref_t<Operand>, type>)
    void operator=(Operand&& values) && {
      assign(std::forward<Operand>(values));
    }
    void operator=(const type& values) && { assign(values); }

   private:
    static read read_at(const view<T, Rank>& elements, const std::tuple<Nodes...>& indices) {
      return std::apply(
          [&elements](const Nodes&... each) {
            return taken<Axes, Place, index_rule::checked>(location{}, elements, each...);
          },
          indices);
    }
    template <class Operand>
    void assign(Operand&& values) const {
      if constexpr (check_assignment<T, result_rank, Operand>())
        std::apply(
            [&](const Nodes&... each) {
              assign_part({.what = composed_part::assigned_at,
                           .number = packed_take(Axes, Place, index_rule::checked)},
                          elements_, std::forward<Operand>(values), each...);
            },
            indices_);
    }

    view<T, Rank> elements_;
    std::tuple<Nodes...> indices_;
    read read_;  ///< operands borrow the extents of its view: it lives as long as they do
  };
};

/// The type of the elements that a mask chooses, of which there is no expression.
template <class T>
constexpr operand_type type_of_masked() {
  static_assert(never<T>, "a boolean array is no index: use where or compress");
  return {};
}

/// The elements of a view where a mask holds, to which can be assigned.
template <class T, unsigned Rank, class Mask>
struct masked_elements {
  class SINTER_RESULT type : public lazy<type>, public no_compound_assignment<true> {
   public:
    static constexpr operand_type result_type = type_of_masked<T>();
    static constexpr unsigned result_rank = 1;

    type(const view<T, Rank>& elements, Mask mask) : elements_(elements), mask_(std::move(mask)) {}
    type(const type&) = default;

    template <class Operand>
      requires(!std::is_same_v<std::remove_cvref_t<Operand>, type>)
    void operator=(Operand&& values) && {
      constexpr bool same = Mask::result_rank == Rank;
      static_assert(same, "a mask has the shape of the array: broadcast it with broadcast_to");
      if constexpr (same && check_assignment<T, Rank, Operand>())
        assign_part({.what = composed_part::assigned_where}, elements_, std::forward<Operand>(values), mask_);
    }
    void operator=(const type&) && { (void)type_of_masked<T>(); }

   private:
    view<T, Rank> elements_;
    Mask mask_;
  };
};

// ---- indexing ----

template <class T, unsigned Rank, class Mask>
auto masked(const view<T, Rank>& x, const Mask& mask) {
  auto node = node_of<element_type::boolean>(location{}, mask);
  return typename masked_elements<T, Rank, decltype(node)>::type(x, std::move(node));
}

/// A value, or of views what can be assigned to.
template <std::uint64_t Axes, unsigned Place, class X, class... Indices>
auto elements_at(const X& x, const Indices&... indices) {
  constexpr bool is_assigned =
      is_view<X> && ((kind_of_operand<Indices> != operand_kind::value) && ...) && check_indices<Indices...>();
  if constexpr (!is_assigned) {
    return taken<Axes, Place, index_rule::checked>(location{}, x, indices...);
  } else {
    std::tuple nodes{node_of<info_of<Indices>::type.type>(location{}, indices)...};
    return [&]<class T, unsigned Rank, class... Nodes>(const view<T, Rank>& from, std::tuple<Nodes...>& all) {
      return typename indexed_elements<Axes, Place, T, Rank, Nodes...>::type(from, std::move(all));
    }(x, nodes);
  }
}

/// Whether x(…) has a mask of an array or a view as its only item.
template <class X, class... Items>
constexpr bool is_masked() {
  if constexpr (is_view<X> && sizeof...(Items) == 1)
    return ((kind_of_operand<Items> != operand_kind::value && is_boolean(info_of<Items>::type.type)) && ...);
  return false;
}

template <class X, class... Items>
auto indexed(const X& x, const Items&... items) {
  constexpr unsigned rank = info_of<X>::rank;
  constexpr bool kinds = ((index<Items> || index_array<Items>) && ...);
  static_assert(kinds, "x(...) takes integers, slice(...), all(), newaxis, ellipsis and arrays of indices");
  if constexpr (kinds && is_masked<X, Items...>()) {
    return masked(x, items...);
  } else if constexpr (kinds) {
    constexpr index_places places = places_of<rank, Items...>();
    const auto indices = std::tuple_cat([](const auto& item) {
      if constexpr (index_array<std::remove_cvref_t<decltype(item)>>)
        return std::tie(item);
      else
        return std::tuple<>();
    }(items)...);
    return std::apply(
        [&](const auto&... each) {
          return elements_at<places.axes, places.place>(x(item_of_view(items)...), each...);
        },
        indices);
  }
}

}  // namespace detail

}  // namespace sinter::inline v0
