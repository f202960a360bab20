"""Sums, products, and their scans."""

import numpy as np

from ..element_types import (
    FLOAT32,
    FLOAT64,
    HALF_TYPES,
    INT64,
    LARGEST,
    ROUNDING_UNIT,
    SMALLEST,
    UINT64,
    is_complex,
    kind,
    part_of,
    to_floating,
    widen,
)
from .value import Value, unknown_where

# Roundings that a sum may be off by, relative to the sum of its terms' magnitudes; scans add up their
# length's root.
SUM_ROUNDINGS = 64
# A product whose factors' magnitudes multiply to more than this power of 2 may overflow on the way.
MAX_EXPONENT = {FLOAT32: 125, FLOAT64: 1020}


class Direction:
    """Sums and products over axes, or along an axis for scans."""

    def __init__(self, value, axes, keep, is_scan):
        self.is_scan = is_scan
        self.where = {"axis": axes} if is_scan else {"axis": axes, "keepdims": keep}
        shape = value.array.shape
        self.length = shape[axes] if is_scan else int(np.prod([shape[axis] for axis in axes], dtype=np.int64))

    def sum(self, array, **options):
        return np.asarray((np.cumsum if self.is_scan else np.sum)(array, **self.where, **options))

    def product(self, array, **options):
        return np.asarray((np.cumprod if self.is_scan else np.prod)(array, **self.where, **options))

    def any(self, array):
        return self.sum(array.astype(np.float64)) > 0


def accumulate_integers(is_product, value, direction):
    dtype = UINT64 if kind(value.dtype) == "u" else INT64
    function = direction.product if is_product else direction.sum
    result = function(value.array.astype(dtype), dtype=dtype)
    return Value(result, None if value.bound is None else unknown_where(direction.any(value.bounds > 0)))


def sum_error(value, magnitude, direction, dtype):
    """The bound of a sum, and where it is not known: where partial sums may overflow."""
    total = direction.sum(np.where(np.isfinite(magnitude), magnitude, 0)).astype(float)
    # A scan may add one element after the other, and its roundings may all have one sign.
    roundings = SUM_ROUNDINGS + (direction.length / 2 if direction.is_scan else 0)
    bound = (
        direction.sum(value.finite_bounds) + roundings * ROUNDING_UNIT[dtype] * total + 2 * SMALLEST[dtype]
    )
    return bound, total * 1.0001 > 0.5 * LARGEST[dtype]


def product_error(value, magnitude, direction, dtype, result):
    """The same of a product; intermediate products may overflow or vanish, in an order that is not known."""
    finite = np.isfinite(magnitude)
    factors = finite & (magnitude > 0)
    divisor = np.where(factors, magnitude, 1)
    own = value.finite_bounds
    relative = direction.sum(np.where(factors, own / divisor, unknown_where(own > 0))).astype(float)
    exponents = np.where(factors, np.log2(divisor), 0).astype(float)
    up, down = direction.sum(np.maximum(exponents, 0)), direction.sum(np.minimum(exponents, 0))
    size = np.abs(result).astype(float)
    size = np.where(np.isfinite(size), size, 0)
    roundings = 2 * (direction.length + 8) * (3 if is_complex(value.dtype) else 1)
    bound = size * (1.5 * relative + roundings * ROUNDING_UNIT[dtype]) + 4 * SMALLEST[dtype]
    limit = MAX_EXPONENT[dtype]
    # Infinity times what may or may not have vanished on the way.
    infinite = direction.any(~finite)
    vanishes = direction.any(magnitude == 0) | is_complex(value.dtype)
    unknown = (up > limit) | (down < -limit) | (relative > 0.1) | infinite & vanishes
    return np.where(np.isnan(bound), np.inf, bound), unknown


def accumulate(is_product, value, axes, keep, mode, is_scan=False):
    """`axes` is an axis for a scan and a tuple for a reduction."""
    direction = Direction(value, axes, keep, is_scan)
    if kind(value.dtype) in "biu":
        return accumulate_integers(is_product, value, direction)
    if not is_scan and not axes:
        # A sum starts at +0, as NumPy's does: -0 becomes +0 over no axes, too.
        return Value(
            value.array if is_product else np.asarray(value.array + value.dtype.type(0)), value.bound
        )
    wide = widen(value.array).astype(np.clongdouble if is_complex(value.dtype) else np.longdouble)
    part = part_of(value.dtype)
    computed = FLOAT32 if part in HALF_TYPES else part
    magnitude = np.abs(wide)
    result = direction.product(wide) if is_product else direction.sum(wide)
    if is_product:
        bound, unknown = product_error(value, magnitude, direction, computed, result)
    else:
        bound, unknown = sum_error(value, magnitude, direction, computed)
    unknown = unknown | direction.any(np.isinf(value.bounds))
    if is_complex(value.dtype):
        unknown = unknown | direction.any(~np.isfinite(magnitude))
        return Value(result.astype(value.dtype), finish_bound(value, result, bound, unknown, mode))
    exact = result.astype(np.float64)
    rounded = to_floating(exact, value.dtype)
    bound = finish_bound(value, exact, bound, unknown, mode)
    if not is_product:
        are_zeros, exact = signed_zeros(exact, value, direction)
        rounded, bound = to_floating(exact, value.dtype), np.where(are_zeros, 0, bound)
    overflowed = np.isinf(widen(rounded)) & np.isfinite(exact)
    overflows = overflowed | np.isfinite(exact) & (np.abs(exact) > LARGEST[part] * 0.98)
    bound = np.where(overflows, np.inf, np.where(np.isfinite(exact) | np.isinf(bound), bound, 0))
    return Value(rounded, np.where(unknown, np.inf, bound))


def signed_zeros(result, value, direction):
    """Where only zeros were added, and nothing was rounded before; and the result with the signs of its zeros.
    A sum starts at +0, as NumPy's does, and a scan at its first element."""
    terms = (value.array != 0) | (value.bounds > 0)
    are_zeros = ~direction.any(terms)
    if not direction.is_scan:
        return are_zeros, np.where(are_zeros, 0, result)
    is_negative = ~direction.any(~np.signbit(widen(value.array)))
    return are_zeros, np.where(are_zeros, np.where(is_negative, -0.0, 0.0), result)


def finish_bound(value, exact, bound, unknown, mode):
    """Adds the rounding to the result's type."""
    part = part_of(value.dtype)
    size = np.abs(np.where(np.isfinite(exact), exact, 0)).astype(float)
    bound = np.asarray(bound, dtype=float) + 2 * ROUNDING_UNIT[part] * size + 2 * SMALLEST[part]
    return np.where(unknown, np.inf, bound * 4 if mode == "fast" else bound)
