#pragma once
// Members that other libraries' arrays have and a value has not: each says what to write instead.

#include <sinter/dsl/detail/operators.hpp>

#include <cstddef>

namespace sinter::inline v0::detail {

#define SINTER_REFUSED_MEMBER(name, text)                                                     \
  template <class... Arguments>                                                               \
  auto name(const Arguments&...) const {                                                      \
    static_assert(sizeof...(Arguments) == ~std::size_t{0}, "x." #name "() is written " text); \
  }
// With a result that is deduced, the message stands before others about what the result is used for.
struct refused_members {
  SINTER_REFUSED_MEMBER(shape, "extent<0>(x), extent<1>(x) and so on: extents are values while recording")
  SINTER_REFUSED_MEMBER(size, "extent<0>(x), extent<1>(x) and so on: extents are values while recording")
  SINTER_REFUSED_MEMBER(extent, "extent<0>(x), extent<1>(x) and so on: extents are values while recording")
  SINTER_REFUSED_MEMBER(sum, "sum(x)")
  SINTER_REFUSED_MEMBER(prod, "prod(x)")
  SINTER_REFUSED_MEMBER(mean, "mean(x)")
  SINTER_REFUSED_MEMBER(max, "max(x)")
  SINTER_REFUSED_MEMBER(min, "min(x)")
  SINTER_REFUSED_MEMBER(all, "all(x)")
  SINTER_REFUSED_MEMBER(any, "any(x)")
  SINTER_REFUSED_MEMBER(var, "var(x)")
  SINTER_REFUSED_MEMBER(argmax, "argmax(x)")
  SINTER_REFUSED_MEMBER(argmin, "argmin(x)")
  SINTER_REFUSED_MEMBER(cumsum, "cumsum(x)")
  SINTER_REFUSED_MEMBER(dot, "matmul(x, y)")
  SINTER_REFUSED_MEMBER(reshape, "reshape(x, 2, 3)")
  SINTER_REFUSED_MEMBER(flatten, "flatten(x)")
  SINTER_REFUSED_MEMBER(transpose, "transpose(x)")
  SINTER_REFUSED_MEMBER(abs, "abs(x)")
  SINTER_REFUSED_MEMBER(astype, "astype<T>(x)")
  SINTER_REFUSED_MEMBER(copy, "x: a value has no elements while recording")
  SINTER_REFUSED_MEMBER(data, "nothing: a value has no elements while recording")
  SINTER_REFUSED_MEMBER(to_vector, "nothing: a value has no elements while recording")

  template <class Index>
  auto operator[](const Index&) const {
    static_assert(never<Index>, "x[i] is written x(i), and x[i, j] or x[i][j] x(i, j)");
  }
};
#undef SINTER_REFUSED_MEMBER

}  // namespace sinter::inline v0::detail
