"""Reductions; sums and products are in accumulation.py."""

import numpy as np

from ..element_types import BOOL, INT64, kind, to_floating, widen
from .accumulation import accumulate
from .promotion import convert
from .value import Refused, Value, may_be_zero, unknown_where

EXTREMES = {"max": np.max, "min": np.min, "nanmax": np.fmax.reduce, "nanmin": np.fmin.reduce}
POSITIONS = {"argmax": np.argmax, "argmin": np.argmin}
OF_COMPLEX = {"sum", "prod", "any", "all"}


def axes_of_bits(bits, rank):
    return tuple(axis for axis in range(rank) if bits >> axis & 1)


def reduced_shape(shape, axes, keep):
    if keep:
        return tuple(1 if axis in axes else extent for axis, extent in enumerate(shape))
    return tuple(extent for axis, extent in enumerate(shape) if axis not in axes)


def reduce_truth(operation, value, axes, keep):
    """any and all."""
    function = np.any if operation == "any" else np.all
    result = np.asarray(function(convert(value.array, BOOL), axis=axes, keepdims=keep))
    if value.bound is None:
        return Value(result)
    unknown = np.broadcast_to(may_be_zero(value), value.array.shape)
    return Value(result, unknown_where(np.any(unknown, axis=axes, keepdims=keep)))


def reduce_position(operation, value, axes, keep):
    """argmax and argmin: the first position, in row-major order of the reduced axes; NaN is first of all."""
    shape = value.array.shape
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    rows = [shape[axis] for axis in kept] + [int(np.prod([shape[axis] for axis in axes], dtype=np.int64))]

    def in_rows(array):
        return np.transpose(array, kept + list(axes)).reshape(rows)

    array = widen(value.array) if kind(value.dtype) == "f" else value.array
    result = POSITIONS[operation](in_rows(array), axis=-1) if rows[-1] else np.zeros(rows[:-1], np.int64)
    result = np.asarray(result, dtype=INT64).reshape(reduced_shape(shape, axes, keep))
    if value.bound is None:
        return Value(result)
    unknown = np.any(in_rows(value.bounds) > 0, axis=-1)
    return Value(result, unknown_where(unknown).reshape(result.shape))


def moved_extreme(function, result, value, wide, where):
    """How far an extreme moves with its elements."""
    moved = [function(wide + sign * value.finite_bounds, **where) for sign in (1, -1)]
    bound = np.maximum(*[np.where(number == result, 0, np.abs(number - result)) for number in moved])
    bound = np.where(np.isnan(bound), np.where(np.isnan(result), 0, np.inf), bound)
    return np.where(np.any(np.isinf(value.bounds), **where), np.inf, bound)


def sign_of_zero(operation, result, wide, where):
    """An extreme of zeros of both signs: -0 is less than 0."""
    largest = operation.endswith("max")
    signs = np.where(wide == 0, np.where(np.signbit(wide), -1.0, 1.0), -2.0 if largest else 2.0)
    sign = (np.max if largest else np.min)(signs, **where)
    return np.where(
        np.any(wide == 0, **where) & (result == 0), np.copysign(np.zeros_like(result), sign), result
    )


def reduce_extreme(operation, value, axes, keep):
    where = {"axis": axes, "keepdims": keep}
    shape = reduced_shape(value.array.shape, axes, keep)
    if value.array.size == 0:
        return Value(np.zeros(shape, value.dtype))
    if kind(value.dtype) in "biu":
        function = np.max if operation.endswith("max") else np.min
        result = np.asarray(function(value.array, **where)).astype(value.dtype)
        return Value(
            result, None if value.bound is None else unknown_where(np.any(value.bounds > 0, **where))
        )
    wide, function = widen(value.array), EXTREMES[operation]
    result = sign_of_zero(operation, np.asarray(function(wide, **where)), wide, where)
    bound = None if value.bound is None else moved_extreme(function, result, value, wide, where)
    return Value(to_floating(result, value.dtype), bound)


def scan_extreme(operation, value, axis):
    """cummax and cummin: the extreme of the elements up to each one."""
    if kind(value.dtype) == "c":
        raise Refused("type_error", "complex numbers have no order")
    function = np.maximum if operation == "cummax" else np.minimum
    bound = None if value.bound is None else np.maximum.accumulate(value.bounds, axis=axis)
    if kind(value.dtype) in "biu":
        result = function.accumulate(value.array, axis=axis).astype(value.dtype)
        return Value(result, None if bound is None else unknown_where(bound > 0))
    wide = widen(value.array)
    result = function.accumulate(wide, axis=axis)
    beyond = -2.0 if operation == "cummax" else 2.0
    signs = np.where(wide == 0, np.where(np.signbit(wide), -1.0, 1.0), beyond)
    result = np.where(result == 0, np.copysign(0.0, function.accumulate(signs, axis=axis)), result)
    return Value(to_floating(result, value.dtype), bound)


def scan_value(operation, value, axis, mode):
    if operation in ("cummax", "cummin"):
        return scan_extreme(operation, value, axis)
    return accumulate(operation == "cumprod", value, axis, False, mode, True)


def reduce_value(operation, value, axis_bits, keep, mode):
    shape = value.array.shape
    axes = axes_of_bits(axis_bits, len(shape))
    if kind(value.dtype) == "c" and operation not in OF_COMPLEX:
        raise Refused("type_error", "complex numbers have no order")
    reduced = [shape[axis] for axis in axes]
    others = [extent for axis, extent in enumerate(shape) if axis not in axes]
    if 0 in reduced and 0 not in others and operation in EXTREMES | POSITIONS:
        raise Refused("shape_error", "there are no elements")
    if operation in ("any", "all"):
        return reduce_truth(operation, value, axes, keep)
    if operation in POSITIONS:
        return reduce_position(operation, value, axes, keep)
    if operation in EXTREMES:
        return reduce_extreme(operation, value, axes, keep)
    return accumulate("prod" in operation, value, axes, keep, mode)
