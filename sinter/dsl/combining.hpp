#pragma once
// Reductions and scans of one's own: reduce and scan combine elements of one value, or of several at a time,
// by a callable that is recorded once, as part of the function around it, and runs inside of its kernel.
//
// Threads: as of values: a body is recorded, once, by the thread that records the function around it.
// Throws: type_error for what a body cannot do, error for a value of another recording, shape_error when the
// function is called; also what the body itself throws while it is recorded.
// After a failure: the body is dropped with the recording around it; nothing has run.

#include <sinter/dsl/detail/combine.hpp>
#include <sinter/dsl/reductions.hpp>

namespace sinter::inline v0 {

/// Asks reduce to combine elements in their order: what comes first is the left side.
inline constexpr detail::ordered_tag ordered{};

/// Combines elements along axes by `combine`: `reduce(combine, identities, values, options…)`. Identities
/// and values are a std::tuple of k each. `combine` takes two sides, each a std::tuple of k values of rank 0
/// (an element of every value, or what several elements combine to), and returns the std::tuple of k combined
/// ones. The result is a std::tuple of k values. With one identity and one value that are no std::tuple,
/// `combine` takes two values and returns one, and so does reduce.
///
///     auto [total, largest] = reduce(
///         [](auto a, auto b) {
///           auto [s, m] = a;
///           auto [t, n] = b;
///           return std::tuple(s + t, maximum(m, n));
///         },
///         std::tuple{0.f, -inf}, std::tuple{x, x}, axis<1>);
///     auto divisor = reduce([](auto a, auto b) { return gcd(a, b); }, 0, n);
///
/// - Options follow in any order: `axis<0, 1>`, `keepdims`, `ordered`, `only_where(mask)`.
/// - The values are broadcast together; their result has that shape without the reduced axes, or with these
///   as extent 1 for `keepdims`. Without `axis<…>` all axes are reduced, as by sum().
/// - The type of value k is found while compiling, as a loop's state is: first that of identity k and the
///   elements of value k together, then that of where(condition, value, combined value), until nothing
///   changes. A number that meets no other type becomes int64 or the floating type that it has. Elements are
///   converted to that type before they are combined. What never stops to change does not compile.
/// - `combine` is associative and commutative: elements are combined in an order of Sinter's choice, which
///   depends on shapes and the device. With `ordered` it need not be commutative: elements are combined in
///   row-major order over the reduced axes, what comes first as the left side, with brackets anywhere.
/// - An identity is the result over no elements, and is never combined with any: it need not be neutral.
///   It has rank 0.
/// - `only_where(mask)`: only elements where a boolean mask holds, which is broadcast with the values and has
///   no higher rank. `combine` is applied to no others. Where the mask holds nowhere, the results are the
///   identities.
/// - `combine` is a body, as those of repeat(): elementwise, recorded once, called as const. It may hold
///   repeat(), repeat_while() and when(). It uses values around it if these have rank 0: else shape_error is
///   thrown, or it does not compile. Where it is a combine itself, or in another body, reduce throws
///   type_error. A value of the body that is used after the body throws error.
/// - Numbers alone as values, like values, need a function that is being recorded: else error is thrown.
/// - With arrays or expressions, and no values, the result is a lazy expression, or a std::tuple of them,
///   each of which reduces by itself. They keep a copy of the combine and record it at each evaluation: what
///   it refers to must live as long. Arrays are not copied: `std::tie(x, y)` refers to them, and
///   `std::forward_as_tuple(1.f, x, y * 2)` also takes numbers and expressions.
template <class Combine, class Identities, class Values, class A = detail::no_option,
          class B = detail::no_option, class C = detail::no_option, class D = detail::no_option>
  requires(detail::combined_values<Identities> || detail::combined_values<Values>)
// NOLINTNEXTLINE(readability-function-size): nothing can follow a pack, so each option has a parameter
[[nodiscard]] auto reduce(const Combine& combine, Identities&& identities, Values&& values, A&& a = {},
                          B&& b = {}, C&& c = {}, D&& d = {},
                          std::source_location at = std::source_location::current()) {
  return detail::combine_by<operation::reduce>(at, combine, std::forward<Identities>(identities),
                                               std::forward<Values>(values), std::forward<A>(a),
                                               std::forward<B>(b), std::forward<C>(c), std::forward<D>(d));
}

/// For each element what it and all elements before it along one axis combine to:
/// `scan(combine, identities, values, axis<1>)`. The results have the shape of the values broadcast together.
/// For rank 1 the axis may be omitted. `combine` is associative, and need not be commutative: its left side
/// comes before its right one. Everything else is as for reduce().
///
///     // h[i] = a[i] * h[i - 1] + b[i]
///     auto [product, h] = scan(
///         [](auto left, auto right) {
///           auto [a, h] = left;
///           auto [b, g] = right;
///           return std::tuple(a * b, b * h + g);
///         },
///         std::tuple{1.f, 0.f}, std::tuple{a, b}, axis<1>);
template <class Combine, class Identities, class Values, class A = detail::no_option,
          class B = detail::no_option>
  requires(detail::combined_values<Identities> || detail::combined_values<Values>)
[[nodiscard]] auto scan(const Combine& combine, Identities&& identities, Values&& values, A&& a = {},
                        B&& b = {}, std::source_location at = std::source_location::current()) {
  return detail::combine_by<operation::scan>(at, combine, std::forward<Identities>(identities),
                                             std::forward<Values>(values), std::forward<A>(a),
                                             std::forward<B>(b));
}

}  // namespace sinter::inline v0
