#pragma once
// Values: the operands and results inside a function that is being recorded.
//
// Threads: a value is the thread's that records it.
// Throws: error where a value is used outside of its recording; types do not compile, and shapes are checked
// by the call: shape_error.
// After a failure: values are as they were; a recording that the exception leaves is dropped, and nothing has
// run.

#include <sinter/dsl/detail/operand.hpp>
#include <sinter/dsl/messages/refused_members.hpp>

namespace sinter::inline v0 {

namespace detail {
/// Checks that every item is a valid index item, and that there are no more of them than axes.
template <unsigned Rank, class... Items>
constexpr bool check_index() {
  constexpr bool kinds = (index<Items> && ...);
  static_assert(kinds, "x(...) takes integers, slice(...), all(), newaxis and ellipsis");
  if constexpr (kinds) {
    constexpr bool one_ellipsis = times_listed<ellipsis_index, Items...> <= 1;
    static_assert(axes_taken<Items...> <= Rank, "more indices than axes");
    static_assert(one_ellipsis, "an index has one ellipsis");
    return axes_taken<Items...> <= Rank && one_ellipsis;
  } else {
    return false;
  }
}
template <unsigned Rank, class... Items>
inline constexpr unsigned rank_of_index = Rank - axes_dropped<Items...> + axes_added<Items...>;
}  // namespace detail

/// One result inside a function that is being recorded: element type and rank are static, extents are
/// unknown. The type is `weak<T>` where it is computed from C++ numbers alone. Copies are cheap; assigning
/// another value of the same type rebinds the name. Using it after its recording, or in another one, throws
/// sinter::error.
template <class T, unsigned Rank>
class SINTER_RESULT value : public detail::compound_operators<value<T, Rank>>,
                            public detail::refused_members {
 public:
  using value_type = typename detail::unmarked<T>::type;
  static constexpr unsigned rank = Rank;

  explicit value(detail::recorded_value recorded) : recorded_(recorded) {}
  /// Converts a weak value where a function declares a value of strong type.
  template <class Scalar>
    requires(!detail::is_weak<T>)
  value(const value<weak<Scalar>, Rank>& number)
      : recorded_(detail::record_cast(detail::erased(number), detail::operand_type_of<T>.type, {})) {}
  value(const value&) = default;
  value& operator=(const value&) & = default;
  /// An assigned number takes this value's type.
  template <class Scalar>
    requires(!detail::is_weak<T>)
  value& operator=(const value<weak<Scalar>, Rank>& number) & {
    constexpr bool fits = becomes(detail::operand_type_of<weak<Scalar>>, detail::operand_type_of<T>.type);
    static_assert(fits, "assignment cannot change element type: say astype<T>(x)");
    if constexpr (fits) recorded_ = value(number).recorded();
    return *this;
  }
  template <operand Other>
  auto operator=(const Other&) & {
    static_assert(
        detail::never<Other>,
        "assignment cannot change element type or rank: give the result a name of its own with auto");
  }
  /// `x(0) = v`: nothing would have the name of what is assigned.
  template <operand Other>
  auto operator=(const Other&) && {
    static_assert(detail::never<Other>,
                  "elements of a value are not assigned to: say scatter(x, i, v) or where(condition, v, x)");
  }

  /// Indexing, as NumPy does it: integers, slice(…), all(), newaxis, ellipsis; remaining axes are kept whole.
  template <class... Items>
    requires(!(detail::index_array<Items> || ...))
  auto operator()(Items... items) const {
    if constexpr (detail::check_index<Rank, Items...>()) {
      const detail::item_list<Rank, Items...> list(items...);
      return value<T, detail::rank_of_index<Rank, Items...>>(
          detail::record_view(detail::erased(*this), list.items, list.count, {}));
    }
  }

  /// The same with arrays of indices among the items, as NumPy does it: axes of theirs, which are broadcast
  /// together, take the place of those that they index, or come first where other items separate them.
  template <class... Items>
    requires(detail::index_array<Items> || ...)
  auto operator()(const Items&... items) const {
    return detail::indexed(*this, items...);
  }

  template <class Bool>
    requires std::is_same_v<Bool, bool>
  explicit operator Bool() const {
    static_assert(detail::never<Bool>,
                  "a value has no value while recording: use where(condition, a, b), and maximum, minimum "
                  "and clip for std::max, std::min and std::clamp");
    return false;
  }

  detail::recorded_value recorded() const { return recorded_; }

 private:
  detail::recorded_value recorded_;
};

}  // namespace sinter::inline v0
