"""Searches in sorted arrays: NumPy's searchsorted and interp."""

import numpy as np

from ..element_types import FLOAT64, LARGEST, ROUNDING_UNIT, SMALLEST, is_complex, kind, to_floating, widen
from .elementwise import cast
from .error_bounds import FAST_ROUNDINGS
from .promotion import common_type
from .value import Refused, Value

# Roundings of one interpolation: two differences and their quotient, a difference, a product and a sum; NumPy's, too.
ROUNDINGS = 16
# Integers up to here are float64s.
MAX_EXACT = 2**53


def comparable(array):
    """The elements in a type that NumPy compares: half types become float64."""
    return widen(array) if kind(array.dtype) == "f" else array


def is_ascending(array):
    """NaN is the greatest number."""
    if array.ndim != 1 or is_complex(array.dtype):
        return False
    keys = comparable(array)
    return bool(((keys[:-1] <= keys[1:]) | np.isnan(keys[1:])).all())


def ascending(array):
    """The same elements in order."""
    return array[np.argsort(comparable(array), kind="stable")]


def check_operands(keys, *others):
    if keys.array.ndim != 1:
        raise Refused("shape_error", "what is sorted has another rank than 1")
    if any(is_complex(value.dtype) for value in (keys, *others)):
        raise Refused("type_error", "complex numbers have no order")


def count_before(keys, wanted, side):
    """How many keys come before what is wanted, and where that is not known: keys and wanted numbers may lie anywhere
    within their bounds."""
    given, numbers = comparable(keys.array), comparable(wanted.array)
    count = np.asarray(np.searchsorted(given, numbers, side), np.int64)
    if not is_ascending(keys.array) or np.isinf(keys.bounds).any():
        return count, np.ones(count.shape, bool)
    if not keys.bounds.any() and not wanted.bounds.any():
        return count, np.zeros(count.shape, bool)
    if kind(keys.dtype) != "f":
        return count, wanted.bounds > 0
    least = np.searchsorted(np.sort(given + keys.bounds), numbers - wanted.finite_bounds, side)
    most = np.searchsorted(np.sort(given - keys.bounds), numbers + wanted.finite_bounds, side)
    return count, (least != most) | np.isinf(wanted.bounds)


def search(keys, wanted, side):
    common = common_type([keys, wanted])
    return count_before(cast(keys, common), cast(wanted, common), side)


def evaluate_search(node, operands):
    check_operands(*operands)
    count, unknown = search(*operands, node.side)
    return Value(count, np.where(unknown, np.inf, 0.0) if unknown.any() else None)


def type_of_interp(x, points, values):
    """The library promotes two types, then the third."""
    pair = Value(np.zeros((), common_type([x, points])), weak=False)
    common = common_type([pair, values])
    return common if kind(common) == "f" else FLOAT64


class Interpolation:
    """`x`, `points` and `values` are Values of the result's type."""

    def __init__(self, x, points, values, dtype):
        self.x, self.dtype = widen(x.array), dtype
        self.x_bound, self.point_bounds, self.value_bounds = x.bounds, points.bounds, values.bounds
        self.points, self.values = widen(points.array), widen(values.array)
        last = self.points.size - 1
        count = np.searchsorted(self.points, self.x, "right")
        self.before = np.clip(count - 1, 0, max(last - 1, 0))
        self.behind = np.minimum(self.before + 1, last)
        self.is_beyond = [self.x < self.points[0], self.x > self.points[-1]]

    def exact(self, left, right):
        made = np.asarray(np.interp(self.x, self.points, self.values, left, right))
        return np.where(np.isnan(self.x), np.nan, made)  # of one point NumPy has no NaN

    def bound(self, made, mode):
        """Of what lies between two points; what lies beyond them is not known here."""
        x0, x1 = self.points[self.before], self.points[self.behind]
        f0, f1 = self.values[self.before], self.values[self.behind]
        steps = [f1 - f0, x1 - x0, (f1 - f0) / (x1 - x0)]
        steps += [steps[2] * (self.x - x0), steps[2] * (self.x - x1)]
        rise, run, slope, product, _ = steps
        unit, smallest, largest = (table[self.dtype] for table in (ROUNDING_UNIT, SMALLEST, LARGEST))
        roundings = FAST_ROUNDINGS if mode == "fast" else ROUNDINGS
        size = np.abs(product) + np.abs(f0) + np.abs(f1)
        own = roundings * (unit * size + smallest * (1 + np.abs(self.x - x0)))
        around = self.point_bounds[self.before] + self.point_bounds[self.behind]
        given = self.value_bounds[self.before] + self.value_bounds[self.behind]
        moved = 2 * np.abs(slope) * (self.x_bound + around) + given
        is_moved = (self.x_bound > 0) | (around > 0)
        is_point = (self.x == x0) | (self.x == x1)
        is_copied = is_point & ~is_moved
        at_point = np.where(self.x == x1, self.behind, self.before)
        bound = np.where(is_copied, self.value_bounds[at_point], own + moved)
        finite = np.isfinite(x0) & np.isfinite(x1) & np.isfinite(f0) & np.isfinite(f1) & np.isfinite(self.x)
        bound = np.where(~finite & ~is_copied, np.where(is_moved | (given > 0), np.inf, 0), bound)
        # in a narrower type, or in another order, a step may overflow
        overflows = np.any([~(np.abs(step) <= 0.98 * largest) for step in steps], axis=0)
        unknown = finite & ~is_copied & overflows | is_moved & (4 * around > np.abs(run))
        return np.where(unknown, np.inf, bound)


def beyond_of(node, operands, values, dtype):
    """What the result is before the first and behind the last point."""
    given = iter(operands)
    ends = []
    for side, position in (("left", 0), ("right", -1)):
        if node.beyond in (side, "both"):
            ends.append(cast(next(given), dtype))
        else:
            ends.append(Value(values.array[position], np.array(values.bounds[position])))
    return ends


def evaluate_interp(node, operands, mode):
    x, points, values, *given = operands
    check_operands(points, x)
    check_operands(values, x, *given)
    if points.array.size == 0:
        raise Refused("shape_error", "no points")
    if points.array.size != values.array.size:
        raise Refused("shape_error", "other values than points")
    dtype = type_of_interp(x, points, values)
    searched = common_type([x, points])
    unknown = search(points, x, "right")[1] | search(points, x, "left")[1]
    converted = [cast(value, dtype) for value in (x, points, values)]
    ends = beyond_of(node, given, converted[2], dtype)
    made = Interpolation(*converted, dtype)
    exact = made.exact(*[float(widen(end.array)) for end in ends])
    bound = made.bound(exact, mode)
    for is_beyond, end in zip(made.is_beyond, ends):
        bound = np.where(is_beyond, end.bounds, bound)
    bound = np.where(np.isnan(made.x), np.where(np.isinf(made.x_bound), np.inf, 0), bound)
    # points that differ may be equal in the result's type; beside NaN, NumPy takes the search before as a guess
    if kind(searched) in "iu" and any((np.abs(widen(value.array)) > MAX_EXACT).any() for value in (x, points)):
        unknown = np.ones(exact.shape, bool)
    if np.isnan(made.points).any() or x.weak and searched != dtype:
        unknown = np.ones(exact.shape, bool)
    bound = np.where(unknown, np.inf, bound)
    return Value(np.asarray(to_floating(exact, dtype)), bound if bound.any() else None)
