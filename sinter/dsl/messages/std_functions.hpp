#pragma once
// std::sin(x) of a value, array or expression: says what to write instead.
//
// The standard keeps its namespace for itself, but no other declaration is found by std::sin(x). These take
// Sinter's own types only, and none of them compiles. A conversion to double, which std::sin would take, is
// no way: it would be as good as the one by which operators know their source line, and x + 1.0f would be
// the built-in sum.

#include <sinter/dsl/detail/operators.hpp>

namespace std {

// The operand is converted to its base, so that sin(x) is Sinter's where both namespaces are searched. It is
// returned so that no error follows the sentence, which a deduced result puts before others.
#define SINTER_REFUSED_STD_BODY(name, text)                                            \
  static_assert(sinter::detail::never<Self>,                                           \
                "std::" #name " takes numbers only: for values and arrays say " text); \
  return static_cast<const Self&>(x);
#define SINTER_REFUSED_STD(name, text)                                           \
  template <class Self, class... Others>                                         \
  const auto& name(const sinter::detail::operators<Self>& x, const Others&...) { \
    SINTER_REFUSED_STD_BODY(name, text)                                          \
  }
#define SINTER_REFUSED_STD_BINARY(name, text)                                                  \
  SINTER_REFUSED_STD(name, text)                                                               \
  template <class First, class Self, class... Others>                                          \
    requires(!sinter::detail::has_operators<First>())                                          \
  const auto& name(const First&, const sinter::detail::operators<Self>& x, const Others&...) { \
    SINTER_REFUSED_STD_BODY(name, text)                                                        \
  }
#define SINTER_REFUSED_STD_1(name) \
  SINTER_REFUSED_STD(name, #name "(x) without std::, or sinter::" #name "(x)")
#define SINTER_REFUSED_STD_2(name) \
  SINTER_REFUSED_STD_BINARY(name, #name "(x, y) without std::, or sinter::" #name "(x, y)")

SINTER_REFUSED_STD_1(abs)
SINTER_REFUSED_STD_1(acos)
SINTER_REFUSED_STD_1(acosh)
SINTER_REFUSED_STD_1(asin)
SINTER_REFUSED_STD_1(asinh)
SINTER_REFUSED_STD_1(atan)
SINTER_REFUSED_STD_1(atanh)
SINTER_REFUSED_STD_1(cbrt)
SINTER_REFUSED_STD_1(ceil)
SINTER_REFUSED_STD_1(conj)
SINTER_REFUSED_STD_1(cos)
SINTER_REFUSED_STD_1(cosh)
SINTER_REFUSED_STD_1(erf)
SINTER_REFUSED_STD_1(erfc)
SINTER_REFUSED_STD_1(exp)
SINTER_REFUSED_STD_1(exp2)
SINTER_REFUSED_STD_1(expm1)
SINTER_REFUSED_STD_1(floor)
SINTER_REFUSED_STD_1(imag)
SINTER_REFUSED_STD_1(isfinite)
SINTER_REFUSED_STD_1(isinf)
SINTER_REFUSED_STD_1(isnan)
SINTER_REFUSED_STD_1(log)
SINTER_REFUSED_STD_1(log10)
SINTER_REFUSED_STD_1(log1p)
SINTER_REFUSED_STD_1(log2)
SINTER_REFUSED_STD_1(real)
SINTER_REFUSED_STD_1(rint)
SINTER_REFUSED_STD_1(signbit)
SINTER_REFUSED_STD_1(sin)
SINTER_REFUSED_STD_1(sinh)
SINTER_REFUSED_STD_1(sqrt)
SINTER_REFUSED_STD_1(tan)
SINTER_REFUSED_STD_1(tanh)
SINTER_REFUSED_STD_1(tgamma)
SINTER_REFUSED_STD_1(trunc)
SINTER_REFUSED_STD_2(atan2)
SINTER_REFUSED_STD_2(copysign)
SINTER_REFUSED_STD_2(fmax)
SINTER_REFUSED_STD_2(fmin)
SINTER_REFUSED_STD_2(fmod)
SINTER_REFUSED_STD_2(hypot)
SINTER_REFUSED_STD_2(ldexp)
SINTER_REFUSED_STD_2(nextafter)
SINTER_REFUSED_STD_2(pow)
// Those that have another name or another meaning here.
SINTER_REFUSED_STD(arg, "angle(x)")
SINTER_REFUSED_STD(fabs, "abs(x)")
SINTER_REFUSED_STD(lgamma, "gammaln(x)")
SINTER_REFUSED_STD(nearbyint, "rint(x)")
SINTER_REFUSED_STD(round, "round(x) without std::, which takes halves to even numbers")
SINTER_REFUSED_STD_BINARY(fdim, "maximum(x - y, 0)")
SINTER_REFUSED_STD_BINARY(fma, "x * y + z")
SINTER_REFUSED_STD_BINARY(lerp, "x + t * (y - x)")
SINTER_REFUSED_STD_BINARY(remainder, "remainder(x, y) without std::, which has the sign of y")

#undef SINTER_REFUSED_STD_1
#undef SINTER_REFUSED_STD_2
#undef SINTER_REFUSED_STD
#undef SINTER_REFUSED_STD_BINARY
#undef SINTER_REFUSED_STD_BODY

}  // namespace std
