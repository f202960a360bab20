#pragma once
// The index items of x(…), and the tags that name axes.
//
// Threads: nothing here has state: any thread may use it at any time.
// Throws: nothing.

#include <sinter/codegen/graph/graph_value.hpp>
#include <sinter/dsl/shape.hpp>

namespace sinter::inline v0 {

namespace detail {
struct end_tag {};
}  // namespace detail

/// An open slice bound, as None in Python. `slice(2, end)` runs to the last element; with a negative step,
/// `slice(end, end, -1)` runs from the last element to the first. It is never called: its name is the value.
template <class = void>
constexpr detail::end_tag end(detail::end_tag open) {
  return open;
}

/// One bound of a slice: any integer, counted from the back if negative, or `end`.
struct slice_bound {
  std::int64_t value = 0;
  bool open = true;
  bool literal = false;  ///< written into the graph even where integers are run-time parameters

  constexpr slice_bound() = default;
  template <detail::integer Integer>
  constexpr slice_bound(Integer at) : value(static_cast<std::int64_t>(at)), open(false) {}
  constexpr slice_bound(detail::end_tag (*)(detail::end_tag)) {}
};

namespace detail {

/// One item of an index list, in type-erased form.
struct index_item {
  view_item::kind what = view_item::kind::slice;
  slice_bound start, stop, step;
};

struct slice_index {
  slice_bound start, stop, step;
};
struct all_index {};
struct newaxis_index {};
struct ellipsis_index {};

constexpr slice_bound always(std::int64_t at) {
  slice_bound bound(at);
  bound.literal = true;
  return bound;
}

constexpr index_item item_of(const slice_index& index) {
  return {view_item::kind::slice, index.start, index.stop, index.step};
}
constexpr index_item item_of(all_index) { return {}; }
constexpr index_item item_of(newaxis_index) { return {view_item::kind::newaxis, {}, {}, {}}; }
template <integer Integer>
constexpr index_item item_of(Integer at) {
  return {view_item::kind::index, at, {}, {}};
}

template <class T>
concept index = integer<T> || std::is_same_v<T, slice_index> || std::is_same_v<T, all_index> ||
                std::is_same_v<T, newaxis_index> || std::is_same_v<T, ellipsis_index>;

/// How often a list of index items has an item of this type.
template <class Item, class... Items>
inline constexpr unsigned times_listed = (0u + ... + (std::is_same_v<Items, Item> ? 1u : 0u));
/// Axes that a list of index items names of its operand, and those that it adds to the result.
template <class... Items>
inline constexpr unsigned axes_taken =
    static_cast<unsigned>(sizeof...(Items)) - times_listed<newaxis_index, Items...> -
    times_listed<ellipsis_index, Items...>;
template <class... Items>
inline constexpr unsigned axes_dropped = (0u + ... + (integer<Items> ? 1u : 0u));
template <class... Items>
inline constexpr unsigned axes_added = times_listed<newaxis_index, Items...>;

/// Index items of an operand of some rank, with whole axes in place of an ellipsis; one more, for no items.
template <unsigned Rank, class... Items>
struct item_list {
  static constexpr unsigned left_out =
      times_listed<ellipsis_index, Items...> == 0 ? 0 : Rank - axes_taken<Items...>;
  static constexpr unsigned count =
      static_cast<unsigned>(sizeof...(Items)) - times_listed<ellipsis_index, Items...> + left_out;
  index_item items[count + 1]{};

  constexpr explicit item_list(const Items&... given) {
    [[maybe_unused]] unsigned at = 0;
    (append(at, given), ...);
  }

 private:
  template <class Item>
  constexpr void append(unsigned& at, const Item& item) {
    if constexpr (std::is_same_v<Item, ellipsis_index>)
      at += left_out;
    else
      items[at++] = item_of(item);
  }
};

}  // namespace detail

/// Elements start, start + step, … before stop, as in Python; bounds beyond the axis are clamped.
template <class = void>
constexpr detail::slice_index slice(slice_bound start, slice_bound stop, slice_bound step = {}) {
  return {start, stop, step};
}
/// Elements before stop, as in Python.
template <class = void>
constexpr detail::slice_index slice(slice_bound stop) {
  return {{}, stop, {}};
}

/// A whole axis.
template <class = void>
constexpr detail::all_index all() {
  return {};
}

/// A new axis of extent 1.
inline constexpr detail::newaxis_index newaxis{};

/// All axes that the other index items do not name, whole: `x(ellipsis, 0)` is the first element along the
/// last axis. At most one among the items of an index.
inline constexpr detail::ellipsis_index ellipsis{};

namespace detail {
template <int... Axes>
struct axis_tag {};
struct keepdims_tag {};

/// Position of an axis that may be counted from the back; `rank` if there is no such axis.
constexpr unsigned axis_position(int axis, unsigned rank) {
  const int position = axis < 0 ? axis + static_cast<int>(rank) : axis;
  return position >= 0 && position < static_cast<int>(rank) ? static_cast<unsigned>(position) : rank;
}
}  // namespace detail

/// Names axes: `axis<1>`, `axis<0, 2>`; negative ones count from the back.
template <int... Axes>
inline constexpr detail::axis_tag<Axes...> axis{};
/// Asks a reduction to keep the reduced axes with extent 1.
inline constexpr detail::keepdims_tag keepdims{};

}  // namespace sinter::inline v0
