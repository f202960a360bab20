"""What kinds of programs are drawn: their element types, operations and modes."""

from .element_types import INTEGERS

MODES = ("standard", "strict", "fast")
VARIANTS = ("fused", "call", "general", "quick", "unfused")
ALL_FLOATING = ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
# Types of inputs, casts and strong scalars; a type named twice is drawn twice as often.
PROFILES = {
    "int": ["bool", *INTEGERS],
    "mixed": ["bool", *INTEGERS, "float32", "float64"],
    "float": ["float32", "float64", "bool", "int32", "int64"],
    "f32": ["float32", "float32", "bool"],
    "half": ["float16", "float16", "float32", "bool", "int8", "int32"],
    "bhalf": ["bfloat16", "bfloat16", "float16", "float32", "bool", "int16", "float64"],
    "complex": ["complex64", "complex128", "float32", "float64", "int32", "bool"],
    "all": ["bool", *INTEGERS, *ALL_FLOATING],
}
PROFILE_WEIGHTS = [38, 10, 14, 8, 8, 6, 8, 8]
# Integers mean the same in every mode.
MODE_WEIGHTS = {"int": [45, 40, 15]}
OTHER_MODE_WEIGHTS = [38, 58, 4]

INTEGER_OPERATIONS = """
    add subtract multiply floor_divide trunc_divide remainder fmod power negative positive reciprocal
    absolute sign square gcd lcm maximum minimum clip equal not_equal less less_equal greater
    greater_equal logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor
    bitwise_not left_shift right_shift bit_count where where round floor ceil trunc isfinite
    isnan isinf""".split()
FLOATING_OPERATIONS = """
    add add subtract subtract multiply multiply multiply true_divide true_divide floor_divide
    trunc_divide remainder fmod power negative positive reciprocal absolute sign square square sqrt
    rsqrt cbrt heaviside maximum minimum fmax fmin clip equal not_equal less less_equal greater
    greater_equal logical_and logical_or logical_xor logical_not exp exp2 expm1 log log2 log10 log1p
    logaddexp logaddexp2 sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh
    hypot degrees radians isfinite isinf isnan signbit copysign nextafter rint round floor ceil trunc
    erf erfc erfinv expit ldexp frexp_mantissa frexp_exponent modf_fraction logit ndtr tgamma gammaln sinc
    entr softplus silu gelu xlogy huber where where where real imag angle conj""".split()
COMPLEX_OPERATIONS = """
    add subtract multiply multiply true_divide negative positive reciprocal absolute square sqrt equal
    not_equal logical_and logical_not exp log sin cos tan sinh cosh tanh power isfinite isnan isinf rint
    round where where real imag conj conj angle make_complex make_complex sign expm1 log1p exp2 log2
    log10 arcsin arctan arccos arcsinh arctanh""".split()
OPERATIONS = {profile: FLOATING_OPERATIONS for profile in PROFILES} | {
    "int": INTEGER_OPERATIONS,
    "mixed": INTEGER_OPERATIONS + FLOATING_OPERATIONS,
    "complex": COMPLEX_OPERATIONS,
    "all": INTEGER_OPERATIONS + FLOATING_OPERATIONS + COMPLEX_OPERATIONS,
}
# Cheap to compile: what is tried with them is the structure of programs.
STRUCTURE_OPERATIONS = {
    profile: ["add", "subtract", "multiply", "maximum", "less"] for profile in PROFILES
} | {"int": ["add", "subtract", "multiply", "maximum", "minimum", "less", "equal", "bitwise_xor"]}
REDUCTIONS = [
    "sum",
    "sum",
    "sum",
    "prod",
    "max",
    "min",
    "max",
    "min",
    "nanmax",
    "nanmin",
    "all",
    "any",
    "argmax",
    "argmin",
]
SCANS = ["cumsum", "cumsum", "cumprod", "cummax", "cummin"]

WEAK_INTEGERS = [0, 1, 2, 3, -1, 7, 100, 31, 8]
# Outside of the range of some types: only comparisons take them there.
FAR_INTEGERS = [-1, -129, 128, 200, 255, 256, -32769, 65536, 2**31, -(2**31) - 1, 2**32, 2**62]
WEAK_FLOATING = [
    0.0,
    0.5,
    1.0,
    2.0,
    -1.0,
    -0.0,
    1e-3,
    3.25,
    0.1,
    float("inf"),
    float("-inf"),
    float("nan"),
    0.3,
    8.0,
    -2.0,
]
STRONG_FLOATING = [0.0, -0.0, 0.5, 1.0, 2.0, -1.5, 0.25, float("inf"), float("nan")]
STRONG_INTEGERS = [0, 1, 2, 3, 5, 100]
EXTENTS = [0, 1, 2, 3, 5, 7, 16, 17, 33, 64, 100, 257, 1000, 4097]
SMALL_EXTENTS = EXTENTS[1:6]
