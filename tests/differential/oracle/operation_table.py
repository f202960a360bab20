"""The operations on elements: how many operands they take, what kind they are, and what they are in
NumPy."""

import math

import numpy as np
import scipy.special

# NumPy's functions under Sinter's names, where these are the same.
SAME_NAMES = """
    add subtract multiply true_divide floor_divide remainder fmod power negative positive reciprocal
    absolute sign square sqrt cbrt heaviside gcd lcm maximum minimum fmax fmin equal not_equal less
    less_equal greater greater_equal logical_and logical_or logical_xor logical_not bitwise_and
    bitwise_or bitwise_xor bitwise_not left_shift right_shift exp exp2 expm1 log log2 log10 log1p
    logaddexp logaddexp2 sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh
    hypot degrees radians isfinite isinf isnan signbit copysign nextafter rint floor ceil trunc""".split()
NUMPY = {name: getattr(np, name) for name in SAME_NAMES} | {
    "bit_count": np.bitwise_count,
    "conj": np.conjugate,
}

# What NumPy lacks follows the types of another function.
SAME_TYPES_AS = {
    "rsqrt": np.cbrt,
    "erf": np.cbrt,
    "erfc": np.cbrt,
    "erfinv": np.cbrt,
    "expit": np.cbrt,
    "frexp_mantissa": np.cbrt,
    "frexp_exponent": np.cbrt,
    "modf_fraction": np.cbrt,
    "logit": np.cbrt,
    "ndtr": np.cbrt,
    "tgamma": np.cbrt,
    "gammaln": np.cbrt,
    "sinc": np.cbrt,
    "entr": np.cbrt,
    "softplus": np.cbrt,
    "silu": np.cbrt,
    "gelu": np.cbrt,
    "xlogy": np.arctan2,
    "huber": np.arctan2,
    "trunc_divide": np.fmod,
}
ARITY = {name: function.nin for name, function in (NUMPY | SAME_TYPES_AS).items()}
ARITY |= {"clip": 3, "where": 3, "round": 1, "real": 1, "imag": 1, "angle": 1, "make_complex": 2, "ldexp": 2}

COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
LOGICAL = {"logical_and", "logical_or", "logical_xor", "logical_not"}
PREDICATES = {"isfinite", "isinf", "isnan", "signbit"}
# Their result has one type, whatever their operands have.
NAME_THEIR_TYPE = COMPARISONS | LOGICAL | PREDICATES | {"bit_count", "frexp_exponent"}
# Correctly rounded in strict mode, of real numbers.
EXACT = set("""
    add subtract true_divide floor_divide trunc_divide remainder fmod negative positive reciprocal
    absolute sign sqrt heaviside maximum minimum fmax fmin clip copysign nextafter rint round floor ceil
    trunc real imag conj multiply square ldexp frexp_mantissa modf_fraction""".split())
QUOTIENTS = {"floor_divide", "trunc_divide", "remainder", "fmod"}
ROUNDING = {
    "add",
    "subtract",
    "true_divide",
    "multiply",
    "square",
    "sqrt",
    "reciprocal",
    "remainder",
    "floor_divide",
    "trunc_divide",
    "ldexp",
}
ERROR_FUNCTIONS = {"erf", "erfc", "erfinv"}
REFUSE_COMPLEX = set("""
    floor_divide trunc_divide remainder fmod rsqrt cbrt heaviside maximum minimum fmax fmin clip less
    less_equal greater greater_equal logaddexp logaddexp2 arctan2 hypot degrees radians signbit copysign
    nextafter floor ceil trunc erf erfc erfinv expit ldexp frexp_mantissa frexp_exponent modf_fraction
    logit ndtr tgamma gammaln sinc entr softplus silu gelu xlogy huber gcd lcm bitwise_and bitwise_or bitwise_xor
    bitwise_not left_shift right_shift bit_count make_complex""".split())
REFUSE_FLOATING = set(
    "gcd lcm bitwise_and bitwise_or bitwise_xor bitwise_not left_shift right_shift bit_count".split()
)
COMPLEX_BRANCHES = set("""
    log log2 log10 log1p sqrt arcsin arccos arctan arcsinh arccosh arctanh power angle exp exp2 expm1
    sinh cosh tanh sin cos tan sign""".split())


def choose_extreme(first, second, largest, ignore_nan):
    """The larger or smaller of two numbers; -0 is less than 0 in Sinter."""
    take_second = (second > first) if largest else (second < first)
    zeros = (first == second) & (np.signbit(first) != np.signbit(second))
    take_second = take_second | (zeros & (np.signbit(first) if largest else np.signbit(second)))
    chosen = np.where(take_second, second, first)
    chosen = np.where(np.isnan(second), first if ignore_nan else second, chosen)
    return np.where(np.isnan(first), second if ignore_nan else first, chosen)


def truncating_quotient(first, second):
    quotient = np.rint((first - np.fmod(first, second)) / second)
    quotient = np.where(quotient == 0, np.copysign(np.zeros_like(quotient), first / second), quotient)
    return np.where(second == 0, first / second, quotient)


def power(base, exponent):
    """IEEE 754's pow: NumPy takes the square root for an exponent of 0.5, which differs at -infinity
    and -0."""
    result = np.power(base, exponent)
    if np.iscomplexobj(result):
        return result
    fraction = np.isfinite(exponent) & (exponent != np.trunc(exponent))
    special = fraction & (np.isneginf(base) | (base == 0))
    return np.where(
        special, np.where((exponent > 0) == np.isinf(base), np.inf, 0.0).astype(result.dtype), result
    )


def erfc(number):
    """SciPy gives 0 where the result is below the smallest normal number, and is wrong by 31 units in the last
    place at 8.09; the C library is not."""
    result = np.asarray(scipy.special.erfc(number))
    small = (np.asarray(number) > 1) & (np.asarray(number) < 28)
    if small.any():
        result = result.copy()
        result[small] = [math.erfc(element) for element in np.asarray(number, np.float64)[small]]
    return result


def log1p(number):
    """NumPy's takes the logarithm of |1 + z| of complex numbers, whose digits are lost near 1."""
    if not np.iscomplexobj(number):
        return np.log1p(number)
    return np.log1p(np.asarray(number, np.clongdouble)).astype(np.complex128)


def exp2(number):
    """NumPy's rounds the product by log(2), which loses digits far from 0, of complex numbers."""
    if not np.iscomplexobj(number):
        return np.exp2(number)
    return np.exp2(np.asarray(number, np.clongdouble)).astype(np.complex128)


def angle(number):
    return np.angle(number) if np.iscomplexobj(number) else np.arctan2(np.zeros_like(number), number)


def ldexp(number, exponent):
    """NumPy's takes integers, and scales in its own type."""
    whole = np.trunc(np.clip(np.where(np.isnan(exponent), 0, exponent), -40000, 40000)).astype(np.int64)
    return np.where(np.isnan(exponent), np.asarray(exponent), np.ldexp(number, whole))


def frexp_exponent(number):
    """What it is for infinities and NaN the C library decides."""
    return np.where(np.isfinite(number), np.frexp(number)[1], 0).astype(np.int32)


def logit(number):
    near = np.log1p((2 * number - 1) / (1 - number))
    return np.where(np.abs(number - 0.5) < 0.2, near, np.log(number / (1 - number)))


def tgamma(number):
    """SciPy's, which takes negative integers for poles with a sign in some versions."""
    is_pole = (number < 0) & (number == np.trunc(number))
    return np.where(is_pole, np.nan, scipy.special.gamma(np.where(is_pole, 1.5, number)))


def gammaln(number):
    """SciPy alone has -inf at -inf, where C, Python and PyTorch have infinity, and infinity beside 0."""
    result = scipy.special.gammaln(np.where(np.isneginf(number), np.inf, number))
    return np.where((np.abs(number) < 1e-300) & (number != 0), -np.log(np.abs(number)), result)


def gated(number, gate):
    """The number times a gate between 0 and 1; at -inf the limit, which is -0."""
    return np.where(np.isneginf(number), -0.0, number * gate(np.where(np.isneginf(number), 0, number)))


def silu(number):
    return gated(number, lambda finite: np.where(finite < -40, np.exp(finite), scipy.special.expit(finite)))


FUNCTIONS = NUMPY | {
    "ldexp": ldexp,
    "frexp_mantissa": lambda number: np.frexp(number)[0],
    "frexp_exponent": frexp_exponent,
    "modf_fraction": lambda number: np.modf(number)[0],
    "logit": logit,
    "ndtr": scipy.special.ndtr,
    "tgamma": tgamma,
    "gammaln": gammaln,
    "sinc": np.sinc,
    "entr": scipy.special.entr,
    "softplus": lambda number: np.logaddexp(0.0, number),
    "silu": silu,
    "gelu": lambda number: gated(number, scipy.special.ndtr),
    "xlogy": scipy.special.xlogy,
    "huber": scipy.special.huber,
    "rsqrt": lambda number: 1 / np.sqrt(number),
    "erf": scipy.special.erf,
    "erfc": erfc,
    "erfinv": scipy.special.erfinv,
    "expit": lambda number: np.where(number < -40, np.exp(number), scipy.special.expit(number)),
    "exp2": exp2,
    "log1p": log1p,
    "power": power,
    "trunc_divide": truncating_quotient,
    "maximum": lambda first, second: choose_extreme(first, second, True, False),
    "minimum": lambda first, second: choose_extreme(first, second, False, False),
    "fmax": lambda first, second: choose_extreme(first, second, True, True),
    "fmin": lambda first, second: choose_extreme(first, second, False, True),
    "clip": lambda number, low, high: choose_extreme(
        choose_extreme(number, low, True, False), high, False, False
    ),
    "round": np.rint,
    "real": np.real,
    "imag": np.imag,
    "angle": angle,
    "make_complex": lambda real, imaginary: real + 1j * imaginary,
}
