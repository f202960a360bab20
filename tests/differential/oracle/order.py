"""Elements in order: NumPy's argsort and sort (stable), the largest elements, median, quantile and unique; and random
orders, which are the argsort of a stream's words."""

import numpy as np

from ..element_types import FLOAT64, INT64, LARGEST, ROUNDING_UNIT, SMALLEST, is_complex, kind, to_floating, widen
from ..program import Gather
from .parts import evaluate_part, gathered_shape
from .promotion import common_type
from .random_numbers import Stream, integer_of
from .value import Refused, Value, unknown_where

MAX_TOP = 32
# Roundings of a median and of a quantile: differences, products, sums, and casts of the elements.
ROUNDINGS = 8


# Those that complex numbers have no answer to.
REAL_ALONE = ("top_positions", "top_elements", "median", "quantile")


def without(shape, axis):
    return (*shape[:axis], *shape[axis + 1 :])


def order_shape(node, operands):
    """The shape of the result; raises Refused."""
    x, axis = operands[0], node.axis
    shape = x.array.shape
    if node.function == "permutation":
        count = integer_of(x, "the number of elements")
        if count < 0:
            raise Refused("shape_error", "a negative number of elements")
        return (count,)
    is_refused = node.function in REAL_ALONE and is_complex(x.dtype)
    if is_refused or node.function == "quantile" and is_complex(operands[1].dtype):
        raise Refused("type_error", "complex numbers have no order")
    if axis >= len(shape):
        raise Refused("shape_error", "there is no such axis")
    if node.function in ("first_of_equal", "unique") and len(shape) != 1:
        raise Refused("shape_error", "more axes than one")
    if node.function in ("top_positions", "top_elements"):
        if not 1 <= node.setting <= MAX_TOP or node.setting > shape[axis]:
            raise Refused("shape_error", "no such number of elements")
        return (*shape[:axis], node.setting, *shape[axis + 1 :])
    if node.function in ("median", "quantile"):
        fractions = operands[1].array.shape if node.function == "quantile" else ()
        if len(fractions) > 1:
            raise Refused("shape_error", "fractions of another rank")
        result = (*fractions, *without(shape, axis))
        # of floating numbers the last element is asked for NaN, also where there are no fractions
        asked = without(shape, axis) if kind(x.dtype) == "f" else result
        if shape[axis] == 0 and 0 not in asked:
            raise Refused("shape_error", "there are no elements")
        return result
    if node.function == "sort_values":  # a gather, which may have other extents than the keys
        return gathered_shape(node, operands[1].array.shape, shape)
    return shape


class Rows:
    """Elements with the axis last. `order` has the positions of the elements in order; `moved` how far the elements of a row may
    be from what they are here, so that the element at a place of the order moves no farther."""

    def __init__(self, value, axis, is_reversed=False):
        self.array, self.bounds = np.moveaxis(value.array, axis, -1), np.moveaxis(value.bounds, axis, -1)
        keys = widen(self.array) if kind(value.dtype) == "f" else self.array
        if is_reversed:  # equal ones still in the order of their positions
            _, ranks = np.unique(keys, return_inverse=True)
            self.order = np.argsort(-ranks.reshape(keys.shape), axis=-1, kind="stable")
        else:
            self.order = np.argsort(keys, axis=-1, kind="stable")
        self.moved = self.bounds.max(axis=-1, keepdims=True, initial=0.0)
        if kind(value.dtype) != "f":
            self.moved = unknown_where(self.moved > 0)
        self.sorted = self.take(self.array)

    def take(self, array):
        return np.take_along_axis(array, self.order, -1)

    def gaps(self):
        """Whether an element in order is farther from the one before it than both may move; NaN never is."""
        wide = widen(self.sorted)
        steps = np.abs(np.diff(wide, axis=-1))
        return (self.moved == 0) | (steps > 2 * self.moved)

    def unknown_positions(self):
        """Whether another element may be at a place."""
        apart, ends = self.gaps(), np.ones((*self.array.shape[:-1], 1), bool)
        if self.array.shape[-1] == 0:
            return np.zeros(self.array.shape, bool)
        known = np.concatenate([ends, apart], -1) & np.concatenate([apart, ends], -1)
        return ~known & (self.moved > 0)


def settle(array, bound, axis):
    bound = np.moveaxis(np.broadcast_to(bound, array.shape), -1, axis)
    return Value(np.ascontiguousarray(np.moveaxis(array, -1, axis)), bound.astype(float) if bound.any() else None)


def evaluate_top(node, x):
    rows = Rows(x, node.axis, is_reversed=True)
    count = node.setting
    if node.function == "top_positions":
        unknown = unknown_where(rows.unknown_positions())
        return settle(rows.order[..., :count].astype(INT64), unknown[..., :count], node.axis)
    return settle(rows.sorted[..., :count], rows.moved, node.axis)


def between(low, high, part):
    """Between two elements, as NumPy: from the nearer one."""
    difference = high - low
    return np.where(part < 0.5, low + difference * part, high - difference * (1 - part))


def finish(exact, low, high, moved, dtype):
    """A result and its bound; `low` and `high` are the elements around it."""
    finite = np.isfinite(exact)
    size = np.where(np.isfinite(low), np.abs(low), 0) + np.where(np.isfinite(high), np.abs(high), 0)
    bound = moved + np.where(finite, ROUNDINGS * (ROUNDING_UNIT[dtype] * size + SMALLEST[dtype]), 0)
    bound = np.where(finite & (size > 0.98 * LARGEST[dtype]), np.inf, bound)
    return to_floating(exact.astype(np.float64), dtype), bound.astype(float)


def evaluate_median(node, x):
    rows = Rows(x, node.axis)
    dtype = x.dtype if kind(x.dtype) == "f" else FLOAT64
    count = rows.array.shape[-1]
    if 0 in without(x.array.shape, node.axis):
        return Value(np.zeros(without(x.array.shape, node.axis), dtype))
    elements = widen(rows.sorted)
    low, high = elements[..., (count - 1) // 2], elements[..., count // 2]
    has_nan, moved = np.isnan(elements[..., -1]), rows.moved[..., 0]
    if count % 2:
        array = rows.sorted[..., count // 2]
        array = np.where(has_nan, to_floating(np.array(np.nan), dtype), to_floating(array, dtype)).astype(dtype)
        return Value(array, moved if moved.any() else None)
    exact = np.where(has_nan, np.nan, (low.astype(np.longdouble) + high) / 2)
    result, bound = finish(exact, low, high, moved, dtype)
    return Value(np.asarray(result), bound)


def type_of_quantile(x, q):
    middle = Value(np.zeros((), x.dtype if kind(x.dtype) == "f" else FLOAT64))
    common = common_type([middle, q])
    return common if kind(common) == "f" else FLOAT64


def element_at(elements, place):
    """The elements at places of the order that lie between two of them."""
    place = np.clip(place, 0, elements.shape[-1] - 1)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, elements.shape[-1] - 1)
    low, high = (elements[..., each].astype(np.longdouble) for each in (below, above))
    return low, high, place - below


def evaluate_quantile(node, x, q):
    rows, dtype = Rows(x, node.axis), type_of_quantile(x, q)
    others = without(x.array.shape, node.axis)
    if 0 in (*q.array.shape, *others):
        return Value(np.zeros((*q.array.shape, *others), dtype))
    fraction = q.number if q.weak else widen(q.array)
    fraction, q_bound = np.atleast_1d(np.asarray(fraction, np.float64)), np.atleast_1d(q.bounds)
    is_fraction = (fraction >= 0) & (fraction <= 1)
    used = np.where(is_fraction, fraction, 0)
    elements, last = widen(rows.sorted), rows.array.shape[-1] - 1
    place = used * last
    is_exact = (used.astype(np.longdouble) * last == place) & (q_bound == 0)
    low, high, part = element_at(elements, place)
    exact = between(low, high, part)
    off = np.where(is_exact, 0, q_bound * last + 4 * ROUNDING_UNIT[FLOAT64] * place)
    result, bound = finish(exact, low.astype(float), high.astype(float), rows.moved, dtype)
    for sign in (-1, 1):  # the place lies elsewhere
        first, second, part = element_at(elements, np.where(is_exact, place, place + sign * off))
        change = np.abs(between(first, second, part) - exact)
        is_other = ~is_exact & ~(np.isfinite(first) & np.isfinite(second) & np.isfinite(exact))
        bound = bound + np.where(is_exact, 0, np.where(np.isfinite(change), change, 0)).astype(float)
        bound = np.where(is_other, np.inf, bound)
    has_nan = np.isnan(elements[..., -1:]) if kind(x.dtype) == "f" else False
    is_nan = has_nan | ~is_fraction
    bound = np.where(is_nan, np.where(np.isinf(rows.moved), np.inf, 0), bound)
    near = (q_bound > 0) & (np.minimum(np.abs(fraction), np.abs(fraction - 1)) <= q_bound) | np.isinf(q_bound)
    bound = np.where(near, np.inf, bound)
    result = np.where(is_nan, to_floating(np.array(np.nan), dtype), result).astype(dtype)
    if q.array.ndim:
        result, bound = (np.ascontiguousarray(np.moveaxis(array, -1, 0)) for array in (result, bound))
    else:
        result, bound = result[..., 0], bound[..., 0]
    return Value(np.asarray(result), bound if bound.any() else None)


def first_of_equal(rows):
    """Which elements in order differ from the one before them; all NaN are equal."""
    wide = widen(rows.sorted) if kind(rows.sorted.dtype) == "f" else rows.sorted
    first = np.ones(wide.shape, bool)
    if kind(wide.dtype) in "fc":
        first[1:] = (wide[1:] != wide[:-1]) & ~(np.isnan(wide[1:]) & np.isnan(wide[:-1]))
    else:
        first[1:] = wide[1:] != wide[:-1]
    return first


def evaluate_firsts(node, x):
    rows = Rows(x, 0)
    first = first_of_equal(rows)
    unknown = np.zeros(first.shape, bool)
    unknown[1:] = ~rows.gaps()
    if node.function == "first_of_equal":
        return settle(first, unknown_where(unknown), 0)
    result, bound = np.zeros(first.shape, x.dtype), np.zeros(first.shape)
    chosen = rows.sorted[first]
    result[: chosen.size] = chosen
    bound[: chosen.size] = rows.moved if rows.moved.size else 0
    if unknown.any():
        bound[:] = np.inf
    return settle(result, bound, 0)


def evaluate_permutation(node, x, seed, sequence):
    stream = Stream(integer_of(seed, "the seed"), integer_of(sequence, "the sequence"))
    count = int(x.array) if node.function == "permutation" else x.array.shape[node.axis]
    order = np.argsort(stream.draws(np.arange(count, dtype=np.uint64), True), kind="stable")
    is_known = not (seed.bounds > 0).any() and not (sequence.bounds > 0).any()
    if node.function == "permutation":
        return Value(order.astype(INT64), None if is_known else np.full(order.shape, np.inf))
    bound = np.take(x.bounds, order, node.axis) if is_known else np.full(x.array.shape, np.inf)
    return Value(np.take(x.array, order, node.axis), bound if bound.any() else None)


def evaluate_order(node, operands):
    x, *others = operands
    if node.function in ("permutation", "shuffled"):
        return evaluate_permutation(node, x, *others)
    if node.function in ("top_positions", "top_elements"):
        return evaluate_top(node, x)
    if node.function == "median":
        return evaluate_median(node, x)
    if node.function == "quantile":
        return evaluate_quantile(node, x, *others)
    if node.function in ("first_of_equal", "unique"):
        return evaluate_firsts(node, x)
    rows = Rows(x, node.axis)
    if node.function == "sort":
        return settle(rows.sorted, rows.moved, node.axis)
    order = settle(rows.order.astype(INT64), unknown_where(rows.unknown_positions()), node.axis)
    if node.function == "argsort":
        return order
    return evaluate_part(Gather(node.axis, "clip", operands=()), [others[0], order])
