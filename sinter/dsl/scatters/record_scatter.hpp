#pragma once
// How the functions of scatter.hpp, histogram.hpp and compress.hpp are recorded, or made expressions.
//
// Threads: any thread may call these, also on the same arrays; values are the thread's that records them.
// Throws: error for a value outside of its recording, type_error for a number that does not fit or an operand
// that cannot be there. Shapes and indices are checked when it is computed: shape_error, index_error (on a
// GPU thrown by what waits for the stream).
// After a failure: until kernels run, nothing has changed; a recording that the exception leaves is dropped.
// After an index_error results are unspecified, and operands as they were.

#include <sinter/dsl/parts/gather.hpp>
#include <sinter/dsl/scatters/compose_histogram.hpp>

namespace sinter::inline v0 {

namespace detail {
struct unordered_tag {};
}  // namespace detail

/// Asks a sum of floating-point updates to add them in the order that happens: `scatter_add(x, i, v,
/// unordered)`. The last bits of the sum then differ between calls, in every mode. With n updates of an
/// element the sum is off by at most n units in the last place of the sum of their absolute values; the types
/// that are computed in float32 are added in it and rounded once. Other types are combined as without it.
inline constexpr detail::unordered_tag unordered{};

}  // namespace sinter::inline v0

namespace sinter::inline v0::detail {

/// Whether elements of one type are updates of another: integers and floating-point numbers convert to their
/// own kind alone, unless they are numbers of C++.
template <class Base, class Updates>
constexpr bool check_updates() {
  constexpr operand_type base = info_of<Base>::type, updates = info_of<Updates>::type;
  constexpr bool fits = updates.weak ? !is_inexact(updates.type) || is_inexact(base.type)
                                     : (!is_inexact(updates.type) || is_inexact(base.type)) &&
                                           (!is_boolean(base.type) || is_boolean(updates.type));
  constexpr bool real = !is_complex(updates.type) || is_complex(base.type);
  static_assert(fits, "updates are of another kind than the elements: convert them with astype<T>(updates)");
  static_assert(real, "complex updates of real elements: take real(x), imag(x) or absolute(x)");
  return fits && real;
}

template <class Base, class Indices, class Updates>
constexpr bool check_scatter_ranks() {
  constexpr unsigned base = info_of<Base>::rank, indices = info_of<Indices>::rank;
  constexpr bool known = base == 1 || indices <= 1 || indices == base;
  static_assert(known, "indices are those of rows, with one axis, or as many axes as the array has");
  constexpr bool fits = base == 1 || info_of<Updates>::rank <= base;
  static_assert(fits, "updates have no more axes than the array");
  return known && fits;
}

/// A scatter of the type and rank of its base.
template <int Axis, scatter_combine Combine, scatter_rule Rule, class Base, class Indices, class Updates>
auto scattered(const location& at, Base&& base, Indices&& indices, Updates&& updates) {
  using info = info_of<Base>;
  constexpr bool ordered = (Combine != scatter_combine::minimum && Combine != scatter_combine::maximum) ||
                           !is_complex(info::type.type);
  static_assert(ordered, "complex numbers have no order: update real(x), imag(x) or absolute(x)");
  static_assert(info::rank >= 1, "a scatter writes into an array with at least one axis");
  if constexpr (ordered && info::rank >= 1 && check_axis<Axis, info::rank>() && check_indices<Indices>() &&
                check_scatter_ranks<Base, Indices, Updates>() && check_updates<Base, Updates>())
    return make_part<settled_elements(info::type, info::rank), info::rank, 2>(
        at,
        {.what = composed_part::scatter,
         .number = packed_scatter({axis_position(Axis, info::rank), Combine, Rule})},
        std::forward<Base>(base), std::forward<Indices>(indices), std::forward<Updates>(updates));
}

}  // namespace sinter::inline v0::detail
