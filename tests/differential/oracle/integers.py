"""Operations on integers, where Sinter defines what NumPy leaves to the machine."""

import numpy as np

from .operation_table import NUMPY


def truncating_quotient(first, second):
    zero = second == 0
    divisor = np.where(zero, first.dtype.type(1), second)
    return np.where(zero, first.dtype.type(0), np.floor_divide(first - np.fmod(first, divisor), divisor))


def power(base, exponent):
    dtype = base.dtype
    base, exponent = np.broadcast_arrays(base, exponent)
    negative = exponent < 0
    left = np.where(negative, 0, exponent).astype(dtype).astype(np.uint64)
    square, result = base.copy(), np.ones_like(base)
    while left.any():
        result = np.where(left & np.uint64(1), result * square, result).astype(dtype)
        square = (square * square).astype(dtype)
        left = left >> np.uint64(1)
    if not negative.any():
        return result
    reciprocal = np.where(base == 1, 1, np.where(base == -1, np.where(exponent % 2 == 0, 1, -1), 0))
    return np.where(negative, reciprocal.astype(dtype), result)


def reciprocal(number):
    one, zero = number.dtype.type(1), number.dtype.type(0)
    negative = number == -1 if number.dtype.kind == "i" else np.zeros(number.shape, bool)
    return np.where(number == 1, one, np.where(negative, zero - one, zero))


def divide(operation):
    """The least integer divided by -1 wraps around."""

    def function(first, second):
        if first.dtype.kind != "i":
            return NUMPY[operation](first, second)
        wraps = second == -1
        result = NUMPY[operation](first, np.where(wraps, first.dtype.type(1), second))
        negated = first.dtype.type(0) - first if operation == "floor_divide" else first.dtype.type(0)
        return np.where(wraps, negated, result)

    return function


def least_common_multiple(first, second):
    dtype = first.dtype
    unsigned = np.dtype(f"u{dtype.itemsize}")
    first, second = (
        np.abs(number).astype(dtype).astype(unsigned) for number in np.broadcast_arrays(first, second)
    )
    divisor = np.gcd(first, second)
    quotient = first // np.where(divisor == 0, unsigned.type(1), divisor)
    return np.where(divisor == 0, unsigned.type(0), quotient * second)


FUNCTIONS = {
    "trunc_divide": truncating_quotient,
    "power": power,
    "reciprocal": reciprocal,
    "lcm": least_common_multiple,
    "clip": lambda number, low, high: np.minimum(np.maximum(number, low), high),
    "imag": np.zeros_like,
    "isfinite": lambda number: np.ones(number.shape, bool),
    "isinf": lambda number: np.zeros(number.shape, bool),
    "isnan": lambda number: np.zeros(number.shape, bool),
    "signbit": lambda number: number < 0,
}
FUNCTIONS |= {name: divide(name) for name in ("floor_divide", "remainder", "fmod")}
FUNCTIONS |= {
    name: lambda number: number for name in "round real conj positive floor ceil trunc rint".split()
}
KEEP_TYPE = {"isfinite", "isinf", "isnan", "signbit"}


def apply_to_integers(operation, arrays, result_type):
    result = np.asarray(FUNCTIONS.get(operation, NUMPY.get(operation))(*arrays))
    if operation in FUNCTIONS and operation not in KEEP_TYPE:
        result = result.astype(arrays[0].dtype)
    return result.astype(result_type)
