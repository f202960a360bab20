"""The type that an operation computes in and the type of its result: NumPy 2's, and those of bfloat16."""

import functools

import numpy as np

from ..element_types import (
    BFLOAT16,
    BOOL,
    COMPLEX64,
    COMPLEX128,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT64,
    is_complex,
    kind,
    part_of,
    scalar_array,
    to_floating,
    to_integer,
    widen,
)
from .operation_table import (
    COMPARISONS,
    LOGICAL,
    NUMPY,
    PREDICATES,
    REFUSE_COMPLEX,
    REFUSE_FLOATING,
    SAME_TYPES_AS,
)
from .value import Refused


def convert(array, dtype):
    """A cast, of exact values."""
    source = array.dtype
    if source == dtype:
        return array
    if kind(dtype) == "b":
        return widen(array) != 0 if kind(source) == "f" else array != 0
    if is_complex(source):
        if is_complex(dtype):
            return array.astype(dtype)
        raise Refused("type_error", "complex to real")
    if is_complex(dtype):
        return to_floating(array, part_of(dtype)).astype(dtype)
    if kind(dtype) == "f":
        return to_floating(array, dtype)
    return to_integer(array, dtype) if kind(source) == "f" else array.astype(dtype)


def floating_type_of(dtype):
    """The floating type that holds what a small integer type can hold."""
    if kind(dtype) in "fc":
        return dtype
    return {1: FLOAT16, 2: FLOAT32}.get(dtype.itemsize, FLOAT64)


def promote(first, second):
    if first == second:
        return first
    if BFLOAT16 not in (first, second):
        return np.result_type(first, second)
    other = second if first == BFLOAT16 else first
    if kind(other) == "b" or kind(other) in "iu" and other.itemsize == 1:
        return BFLOAT16
    return FLOAT32 if other == FLOAT16 else floating_type_of(other)


def strong_type(dtypes):
    """NumPy does not promote three types by twos: those of int8, uint16 and float32 are float32."""
    if BFLOAT16 not in dtypes:
        return np.result_type(*dtypes) if dtypes else None
    return functools.reduce(promote, sorted(dtypes, key=lambda dtype: kind(dtype) in "biu"))


# Python's numbers, which are weak in NumPy.
NUMBERS = {"i": int, "u": int, "f": float, "c": complex}


def weak_type(values):
    """The type of numbers alone: of the highest kind among them, and the widest of that kind."""
    weak = [value.dtype for value in values if value.weak]
    order = {"i": 0, "u": 0, "f": 1, "c": 2}
    return max(weak, key=lambda dtype: (order[kind(dtype)], dtype.itemsize), default=None)


def common_type(values):
    """Numbers take the type they meet; one of a higher kind has its own type, with the parts' type of what it
    meets if that is floating."""
    common, weak = strong_type([value.dtype for value in values if not value.weak]), weak_type(values)
    if common is None or weak is None:
        return weak if common is None else common
    if kind(weak) == "c" and kind(common) == "f":
        return COMPLEX128 if common == FLOAT64 else COMPLEX64
    yields = {"c": "c", "f": "fc", "i": "iufc", "u": "iufc"}[kind(weak)]
    return common if kind(common) in yields else weak


def types_of_make_complex(values):
    strong = [value.dtype for value in values if not value.weak]
    if len(strong) == 2:
        compute = promote(floating_type_of(strong[0]), floating_type_of(strong[1]))
    else:
        compute = floating_type_of(strong[0])
        weak = weak_type(values)
        if kind(strong[0]) in "biu" and (kind(weak) == "f" or kind(strong[0]) == "b"):
            compute = floating_type_of(weak)
    return (FLOAT64, COMPLEX128) if compute == FLOAT64 else (FLOAT32, COMPLEX64)


def types_of_bfloat16(operation, values):
    if operation in REFUSE_FLOATING:
        raise Refused("type_error", "bits of floating numbers")
    compute = common_type(values)
    if operation in COMPARISONS | LOGICAL | PREDICATES:
        return compute, BOOL
    return compute, part_of(compute) if operation == "absolute" else compute


def types_of(operation, values):
    """(compute type, result type); raises Refused."""
    if operation == "where":
        values = values[1:]
    if operation in REFUSE_COMPLEX and any(is_complex(value.dtype) for value in values):
        raise Refused("type_error", "complex numbers have no order and no bits")
    first = values[0].dtype
    if operation in ("clip", "where"):
        return (common_type(values),) * 2
    if operation in ("round", "real", "imag"):
        return first, first if operation == "round" else part_of(first)
    if operation == "angle":
        compute = FLOAT64 if kind(first) == "b" else floating_type_of(first)
        return compute, part_of(compute)
    if operation == "ldexp":
        compute = floating_type_of(first)
        return compute, compute
    if operation == "frexp_exponent":
        return floating_type_of(first), np.dtype(np.int32)
    if operation == "make_complex":
        return types_of_make_complex(values)
    if BFLOAT16 in [value.dtype for value in values]:
        return types_of_bfloat16(operation, values)
    function = NUMPY.get(operation) or SAME_TYPES_AS[operation]
    weak = weak_type(values)
    is_alone = all(value.weak for value in values)
    if is_alone or weak in (FLOAT32, COMPLEX64) and common_type(values) == weak:
        given = [weak] * len(values)  # a C++ float, which NumPy does not have, or numbers alone
    else:
        given = [NUMBERS[kind(value.dtype)] if value.weak else value.dtype for value in values]
    try:
        resolved = function.resolve_dtypes(tuple(given) + (None,) * function.nout)
    except TypeError as error:
        raise Refused("type_error", f"NumPy has no {operation} of {given}") from error
    return resolved[0], resolved[-1]


def argument(value, dtype):
    """An operand in the type that is computed in."""
    return scalar_array(value.number, dtype) if value.weak else convert(value.array, dtype)


def check_weak_range(value, dtype):
    """Refuses a weak integer that the integer type it takes cannot hold."""
    if value.weak and not value.wraps and kind(value.dtype) in "iu" and dtype is not None and kind(dtype) in "iu":
        limits = np.iinfo(dtype)
        if not limits.min <= int(value.number) <= limits.max:
            raise Refused("type_error", "a weak literal is out of range")


def check_exponent(values, compute):
    """Refuses an integer to a power that is known to be negative before the call."""
    exponent = values[1]
    if kind(compute) in "iu" and exponent.from_scalars and kind(exponent.dtype) == "i":
        if exponent.array.size == 1 and int(exponent.array.reshape(())) < 0:
            raise Refused("type_error", "integers to negative integer powers are not allowed")
