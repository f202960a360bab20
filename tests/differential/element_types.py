"""Element types as NumPy's dtypes, and conversions between them that round once, as Sinter's casts do."""

import ml_dtypes
import numpy as np

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
DTYPES = {
    name: np.dtype(name) for name in INTEGERS + ("float16", "float32", "float64", "complex64", "complex128")
}
DTYPES["bool"] = np.dtype(bool)
DTYPES["bfloat16"] = BFLOAT16
NAMES = {dtype: name for name, dtype in DTYPES.items()}

BOOL, INT64, UINT64 = DTYPES["bool"], DTYPES["int64"], DTYPES["uint64"]
FLOAT16, FLOAT32, FLOAT64 = DTYPES["float16"], DTYPES["float32"], DTYPES["float64"]
COMPLEX64, COMPLEX128 = DTYPES["complex64"], DTYPES["complex128"]
HALF_TYPES = (FLOAT16, BFLOAT16)

# Half of the distance from 1 to the next number, the smallest number (or half of it), and the largest.
ROUNDING_UNIT = {FLOAT16: 2.0**-11, BFLOAT16: 2.0**-8, FLOAT32: 2.0**-24, FLOAT64: 2.0**-53}
SMALLEST = {FLOAT16: 2.0**-25, BFLOAT16: 2.0**-134, FLOAT32: 2.0**-149, FLOAT64: 5e-324}
LARGEST = {FLOAT16: 65504.0, BFLOAT16: 3.3895e38, FLOAT32: 3.4028235e38, FLOAT64: 1.797e308}


def kind(dtype):
    """b, i, u, f or c; bfloat16 is f."""
    return "f" if dtype == BFLOAT16 else dtype.kind


def is_complex(dtype):
    return kind(dtype) == "c"


def part_of(dtype):
    """The type of a complex type's parts; other types are their own."""
    return {COMPLEX64: FLOAT32, COMPLEX128: FLOAT64}.get(dtype, dtype)


def widen(array):
    """The same numbers as float64 or complex128."""
    if is_complex(array.dtype):
        return array.astype(np.complex128)
    if array.dtype == BFLOAT16:
        return array.astype(np.float32).astype(np.float64)
    return array.astype(np.float64)


def round_to_bfloat16(array):
    """float64 to bfloat16. Rounds to odd in float32 first, so that the second rounding is the only one."""
    with np.errstate(all="ignore"):
        narrow = array.astype(np.float32)
        too_far = np.isfinite(array) & (np.abs(narrow.astype(np.float64)) > np.abs(array))
        narrow = np.asarray(np.where(too_far, np.nextafter(narrow, np.float32(0)), narrow), np.float32)
        inexact = np.isfinite(array) & (narrow.astype(np.float64) != array)
        bits = np.array(narrow, np.float32, ndmin=1).view(np.uint32).copy()
        bits |= np.where(np.atleast_1d(inexact), np.uint32(1), np.uint32(0))
        return bits.view(np.float32).reshape(np.shape(array)).astype(BFLOAT16)


def integer_to_bfloat16(array):
    """Replaces what float64 cannot hold of a wide integer by one sticky bit, and rounds that."""
    number = array.astype(np.float64)
    if array.dtype in (INT64, UINT64):
        low_bits = array & array.dtype.type(4095)
        sticky = (array - low_bits).astype(np.float64) + np.where(low_bits != 0, 2048.0, 0.0)
        number = np.where(np.abs(number) > 2.0**24, sticky, number)
    return round_to_bfloat16(number)


def to_floating(array, dtype):
    """Any real array as a floating type, rounded once."""
    if array.dtype == dtype:
        return array
    if array.dtype.kind in "iub":
        if dtype == BFLOAT16:
            return integer_to_bfloat16(array)
        return array.astype(np.float64).astype(FLOAT16) if dtype == FLOAT16 else array.astype(dtype)
    if array.dtype in HALF_TYPES:
        return array.astype(np.float32).astype(dtype)
    if dtype == BFLOAT16:
        return round_to_bfloat16(array.astype(np.float64))
    return array.astype(dtype)


def to_integer(array, dtype):
    """Floating to integer: towards zero, clamped to the type's range; NaN gives 0."""
    number = np.trunc(widen(array))
    limits = np.iinfo(dtype)
    low, high = number <= float(limits.min), number >= float(limits.max)
    inside = np.where(low | high | np.isnan(number), 0, number).astype(dtype)
    clamped = np.where(high, dtype.type(limits.max), np.where(low, dtype.type(limits.min), inside))
    return np.where(np.isnan(number), dtype.type(0), clamped).astype(dtype)


def scalar_array(value, dtype):
    """A Python number as an array of rank 0."""
    if dtype == BFLOAT16:
        return round_to_bfloat16(np.array(float(value)))
    return np.array(value).astype(dtype)
