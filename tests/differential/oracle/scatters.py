"""Writes at positions that are values: NumPy's add.at, minimum.at and maximum.at, assignment, bincount, nonzero and
compress. Sums are exact and rounded once; histograms are in histograms.py."""

import fractions
import math

import numpy as np

from ..element_types import (
    BOOL,
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
from .elementwise import apply, cast
from .parts import integer_of
from .promotion import convert
from .value import Refused, Value, may_be_zero

# The bits of the integer that terms are added in, and the most that a term of a short type has below the largest.
BITS_OF_SUM, MOST_BITS = 62, 50
ORDERS = {"minimum": np.minimum, "maximum": np.maximum}


class Targets:
    """Where updates go: `ids` has the position in the flat base of each update, row-major along the axis, along which
    there are `length` updates."""

    def __init__(self, size, ids, length):
        self.size, self.ids, self.length = size, ids, length
        self.touched = np.zeros(size, bool)
        self.touched[ids] = True

    def accumulate(self, function, base, updates):
        result = np.array(base)
        function.at(result, self.ids, updates)
        return result

    def groups(self, base, updates):
        """Each element that updates go to, with its terms."""
        order = np.argsort(self.ids, kind="stable")
        ids, updates = self.ids[order], updates[order].tolist()
        ends = np.flatnonzero(np.append(ids[1:] != ids[:-1], True)) + 1 if ids.size else []
        begin = 0
        for end in ends:
            yield ids[begin], [float(base[ids[begin]]), *updates[begin:end]]
            begin = end


def exact_sum(terms):
    """Of finite terms, rounded once."""
    try:
        return math.fsum(terms)
    except OverflowError:
        total = sum(map(fractions.Fraction, terms))
        try:
            return float(total)
        except OverflowError:
            return math.inf if total > 0 else -math.inf


def sum_floating(dtype, base, updates, bounds, targets):
    """The sum and its bound; `base` and `updates` are float64. A term is rounded by at most 2^-bits of the largest."""
    finite_base, finite = (np.where(np.isfinite(array), array, 0) for array in (base, updates))
    exact = np.array(finite_base)
    for target, terms in targets.groups(finite_base, finite):
        exact[target] = exact_sum(terms)
    special = [np.where(np.isfinite(array), 0, array) for array in (base, updates)]
    special = targets.accumulate(np.add, *special)
    is_special = special != 0
    largest = targets.accumulate(np.maximum, np.abs(finite_base), np.abs(finite))
    count = targets.accumulate(np.add, np.ones(targets.size), 1.0)
    bits = BITS_OF_SUM - (targets.length + 1).bit_length()
    bits = 2 * bits if dtype == FLOAT64 else min(bits, MOST_BITS)
    size = np.where(np.isfinite(exact), np.abs(exact), 0)
    unit, smallest = ROUNDING_UNIT[dtype], SMALLEST[dtype]
    own = count * largest * 2.0**-bits + 2 * unit * size * (1 + 2.0**-20) + 2 * smallest
    if dtype in HALF_TYPES:
        own += 2 * ROUNDING_UNIT[FLOAT32] * size
    # the sign of a sum of zeros is not promised, also of -0 alone
    is_negative_zero = (exact == 0) & np.signbit(base)
    bound = bounds + np.where(targets.touched, own, np.where(is_negative_zero, smallest, 0))
    bound = np.where(size > 0.98 * LARGEST[dtype], np.inf, bound)
    bound = np.where(np.isinf(exact) & ~is_special, np.inf, bound)
    exact = np.where(is_special, special, exact)
    bound = np.where(is_special & np.isfinite(bound), 0, bound)
    return exact, np.where(np.isinf(bounds), np.inf, bound)


def sum_unordered(dtype, base, updates, bounds, targets):
    """The sum by atomics, in any order: each addition rounds a part of it, which is no more than all terms together."""
    exact, bound = sum_floating(dtype, base, updates, bounds, targets)
    finite_base, finite = (np.where(np.isfinite(array), np.abs(array), 0) for array in (base, updates))
    computed = FLOAT64 if dtype == FLOAT64 else FLOAT32
    with np.errstate(over="ignore"):
        size = targets.accumulate(np.add, finite_base, finite)
    count = targets.accumulate(np.add, np.ones(targets.size), 1.0)
    # GPUs take denormal float32 for 0
    smallest = 2.0**-126 if computed == FLOAT32 else SMALLEST[computed]
    own = count * (ROUNDING_UNIT[computed] * size * (1 + 2.0**-10) + smallest)
    bound = bound + np.where(targets.touched, own, 0)
    return exact, np.where(targets.touched & (size > 0.98 * LARGEST[computed]), np.inf, bound)


def add_floating(base, updates, targets, sum_of):
    bounds = targets.accumulate(np.add, base.bounds.reshape(-1), updates.bounds.reshape(-1))
    flat = [widen(value.array).reshape(-1) for value in (base, updates)]
    dtype = part_of(base.dtype)
    if not is_complex(base.dtype):
        exact, bound = sum_of(dtype, *flat, bounds, targets)
        return to_floating(exact, dtype), bound
    result = np.empty(targets.size, base.dtype)
    real, real_bound = sum_of(dtype, *[array.real for array in flat], bounds, targets)
    imaginary, imaginary_bound = sum_of(dtype, *[array.imag for array in flat], bounds, targets)
    result.real, result.imag = real, imaginary
    return result, real_bound + imaginary_bound


def extreme_floating(combine, base, updates, targets):
    """NaN if any is; -0 is below 0. An extreme moves no farther than its terms."""
    flat = [widen(value.array).reshape(-1) for value in (base, updates)]
    result = targets.accumulate(ORDERS[combine], *flat)
    none = 2.0 if combine == "minimum" else -2.0
    signs = [np.where(array == 0, np.where(np.signbit(array), -1.0, 1.0), none) for array in flat]
    signs = targets.accumulate(ORDERS[combine], *signs)
    result = np.where(result == 0, np.copysign(0.0, signs), result)
    return to_floating(result, base.dtype), worst_bound(base, updates, targets)


def worst_bound(base, updates, targets):
    return targets.accumulate(np.maximum, base.bounds.reshape(-1), updates.bounds.reshape(-1))


SUMS = {"add": sum_floating, "add_unordered": sum_unordered}


def combine_at(combine, base, updates, targets):
    """The flat result and its bound."""
    flat = [value.array.reshape(-1) for value in (base, updates)]
    if combine == "last":
        result, bound = np.array(flat[0]), np.array(base.bounds.reshape(-1))
        # NumPy promises the last one as well
        result[targets.ids], bound[targets.ids] = flat[1], updates.bounds.reshape(-1)
        return result, bound
    if kind(base.dtype) in "fc":
        if combine in SUMS:
            return add_floating(base, updates, targets, SUMS[combine])
        return extreme_floating(combine, base, updates, targets)
    added = np.logical_or if base.dtype == BOOL else np.add
    function = {**dict.fromkeys(SUMS, added), **ORDERS}[combine]
    return targets.accumulate(function, *flat), worst_bound(base, updates, targets)


def check_scatter(base, index, updates, axis, combine):
    rank = base.array.ndim
    if axis >= rank:
        raise Refused("shape_error", "there is no such axis")
    if rank > 1 and (index.array.ndim > 1 and index.array.ndim != rank or updates.array.ndim > rank):
        raise Refused("shape_error", "the ranks differ")
    if is_complex(updates.dtype) and not is_complex(base.dtype):
        raise Refused("type_error", "complex updates of real elements")
    if combine in ORDERS and is_complex(base.dtype):
        raise Refused("type_error", "complex numbers have no order")
    if kind(index.dtype) not in "iu":
        raise Refused("type_error", "an index is no integer")


def shape_of_updates(base, index, updates, axis):
    """The shape that index and updates have together, with which they are broadcast."""
    try:
        if len(base) == 1:
            return np.broadcast_shapes(index, updates, (1,))
        if len(index) <= 1:
            index = (*index, 1)[:1] + (1,) * (len(base) - 1 - axis)
        along = list(base)
        index, updates = ((1,) * (len(base) - len(shape)) + tuple(shape) for shape in (index, updates))
        along[axis] = np.broadcast_shapes(index[axis : axis + 1], updates[axis : axis + 1])[0]
        for shape in (index, updates):
            if np.broadcast_shapes(shape, tuple(along)) != tuple(along):
                raise Refused("shape_error", "more updates than the array has")
    except ValueError as error:
        raise Refused("shape_error", str(error)) from error
    return tuple(along)


def positions_of(index, extent, rule, has_updates):
    """The positions of indices, and where they are in range."""
    given = index.astype(object) if index.dtype == UINT64 else index.astype(np.int64)
    if rule == "reported":
        given = np.where(given < 0, given + extent, given)
    inside = np.asarray((given >= 0) & (given < extent), bool)
    if rule != "dropped" and not inside.all():
        raise Refused("shape_error", "an index is out of range", if_used=not has_updates, if_needed=True)
    return np.where(inside, given, 0).astype(np.int64), inside


def scatter(base, index, updates, axis, combine, rule):
    """`base`, `index` and `updates` are Values."""
    check_scatter(base, index, updates, axis, combine)
    updates = cast(updates, base.dtype)
    shape = shape_of_updates(base.array.shape, index.array.shape, updates.array.shape, axis)
    rank, extent = base.array.ndim, base.array.shape[axis]
    positions, inside = positions_of(index.array, extent, rule, 0 not in shape)
    if rank > 1 and index.array.ndim <= 1:
        rows = (-1,) + (1,) * (rank - 1 - axis)
        positions, inside = positions.reshape(rows), inside.reshape(rows)

    def in_rows(array):
        """Along the axis last."""
        array = np.broadcast_to(array, shape)
        return array.reshape(1, -1) if rank == 1 else np.moveaxis(array, axis, -1)

    positions, inside, elements, bounds = map(in_rows, (positions, inside, updates.array, updates.bounds))
    inside, length = inside.reshape(-1), positions.shape[-1]
    turned = Value(np.moveaxis(base.array, axis, -1), np.moveaxis(base.bounds, axis, -1))
    outer = np.arange(positions.size // max(length, 1)).repeat(length)
    ids = (outer * extent + positions.reshape(-1))[inside]
    kept = Value(np.asarray(elements).reshape(-1)[inside], bounds.reshape(-1)[inside])
    result, bound = combine_at(combine, turned, kept, Targets(base.array.size, ids, length))
    result, bound = (
        np.ascontiguousarray(np.moveaxis(array.reshape(turned.array.shape), -1, axis))
        for array in (result, bound)
    )
    if (index.bounds > 0).any():
        bound = np.full(result.shape, np.inf)
    return Value(result.astype(base.dtype), bound if bound.any() else None)


def size_of(value):
    """A number of results that the host knows before a call."""
    count = integer_of(value)
    if value.overflows or count < 0:
        raise Refused("shape_error", "a negative number, or one that is computed with numbers beyond 64 bits")
    return count


def type_of_counts(weights):
    if weights is None or kind(weights.dtype) in "bi":
        return INT64
    return UINT64 if kind(weights.dtype) == "u" else weights.dtype


def count(index, n, weights, rule):
    """How often each index is there, or the sums of weights."""
    dtype = type_of_counts(weights)
    updates = Value(np.ones((), INT64)) if weights is None else cast(weights, dtype)
    return scatter(Value(np.zeros(n, dtype)), index, updates, 0, "add", rule)


def evaluate_bincount(node, operands):
    index, *weights = operands[: node.arrays]
    return count(index, size_of(operands[-1]), weights[0] if weights else None, "counted")


def neutral(result, dtype):
    """What a segment without rows has."""
    if result not in ORDERS:
        return np.zeros((), dtype)
    if dtype == BOOL:
        return np.array(result == "minimum")
    if kind(dtype) == "f":
        return to_floating(np.array(np.inf if result == "minimum" else -np.inf), dtype)
    limits = np.iinfo(dtype)
    return np.array(limits.max if result == "minimum" else limits.min, dtype)


def evaluate_segment(node, operands, mode):
    rows, segments, n = operands
    if segments.array.ndim != 1:
        raise Refused("shape_error", "there is a number of a segment for each row")
    if node.axis >= rows.array.ndim:
        raise Refused("shape_error", "there is no such axis")
    if is_complex(rows.dtype) and node.result in ORDERS:
        raise Refused("type_error", "complex numbers have no order")
    if segments.array.size != rows.array.shape[node.axis]:
        raise Refused("shape_error", "there is a number of a segment for each row")
    n = size_of(n)
    if node.result == "mean" and kind(rows.dtype) in "biu":
        rows = cast(rows, FLOAT64)
    shape = list(rows.array.shape)
    shape[node.axis] = n
    base = Value(np.array(np.broadcast_to(neutral(node.result, rows.dtype), shape)))
    combine = node.result if node.result in ORDERS else "add_unordered" if node.result == "sum_unordered" else "add"
    made = scatter(base, segments, rows, node.axis, combine, "counted")
    if node.result != "mean":
        return made
    counts = cast(count(segments, n, None, "counted"), rows.dtype)
    counts = Value(counts.array.reshape((-1,) + (1,) * (rows.array.ndim - 1 - node.axis)))
    return apply("true_divide", [made, counts], mode)


def evaluate_nonzero(operands):
    mask = operands[0]
    positions = np.zeros(mask.array.size, np.int64)
    found = np.flatnonzero(convert(mask.array, BOOL))
    positions[: found.size] = found
    is_unknown = mask.bound is not None and may_be_zero(mask).any()
    return Value(positions, np.full(positions.shape, np.inf) if is_unknown else None)


def evaluate_compress(operands):
    elements, mask = operands
    if elements.array.shape != mask.array.shape:
        raise Refused("shape_error", "a mask has the shape of the array")
    found = np.flatnonzero(convert(mask.array, BOOL))
    result, bound = np.zeros(elements.array.size, elements.dtype), np.zeros(elements.array.size)
    result[: found.size] = elements.array.reshape(-1)[found]
    bound[: found.size] = elements.bounds.reshape(-1)[found]
    if mask.bound is not None and may_be_zero(mask).any():
        bound[:] = np.inf
    return Value(result, bound if bound.any() else None)
