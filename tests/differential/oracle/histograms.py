"""Counts in bins: NumPy's histogram and histogram2d, by the edges of its linspace and its quotient."""

import numpy as np

from ..element_types import DTYPES, FLOAT64, HALF_TYPES, ROUNDING_UNIT, is_complex, kind, to_floating, widen
from .elementwise import cast
from .scatters import count, size_of, type_of_counts
from .value import Refused, Value

# Rounding moves an element by no more than so many units of the largest number, where one bin is half.
MOST_UNITS = 16


class Bins:
    """The bins of one axis. `is_known` is false where NumPy has no such bins."""

    def __init__(self, operands, count, edges, mode):
        low, high = operands
        self.count, self.dtype = count, edges
        self.low, self.high = (float(widen(np.asarray(value.array))) for value in (low, high))
        if self.low == self.high:
            self.low, self.high = self.low - 0.5, self.high + 0.5
        self.length = self.high - self.low
        step = self.length / count if count else 1
        self.edges = to_floating(np.arange(count + 1) * step + self.low, edges)
        self.edges[-1] = to_floating(np.array(self.high), edges)
        self.first, self.last = self.edge(self.low), self.edge(self.high)
        self.denominator = self.edge(self.length)
        ends = [widen(np.asarray(each)) for each in (self.first, self.last, self.denominator)]
        is_finite = np.isfinite(ends).all() and not low.bounds.any() and not high.bounds.any()
        self.is_known = bool(is_finite and step != 0 and ends[2] != 0)
        self.are_none = self.low > self.high
        if self.are_none:
            self.is_known = bool(ends[0] > ends[1])
        is_rounded = edges in HALF_TYPES and mode != "strict" or mode == "fast"
        if self.is_known and not self.are_none and is_rounded:
            size = max(abs(self.low), abs(self.high)) / self.length + 1
            self.is_known = MOST_UNITS * ROUNDING_UNIT[edges] * size * count < 0.5

    def edge(self, number):
        return to_floating(np.array(number), self.dtype)

    def of(self, x):
        """The bin of each element, which has the type of the edges; -1 for none."""
        inside = np.asarray((x >= self.first) & (x <= self.last), bool)
        if self.are_none or not self.count:
            return np.full(x.shape, -1)
        kept = np.where(inside, x, self.first).astype(self.dtype)
        place = ((kept - self.first) / self.denominator * self.edge(float(self.count))).astype(self.dtype)
        bins = np.clip(widen(place).astype(np.int64), 0, self.count - 1)
        bins = np.where(kept < self.edges[bins], bins - 1, bins)
        is_above = (kept >= self.edges[bins + 1]) & (bins != self.count - 1)
        return np.where(inside, np.where(is_above, bins + 1, bins), -1)

    def around(self, x, bounds):
        """The bins of an element's numbers at both ends of its bound."""
        ends = []
        for sign in (-1, 1):
            moved = widen(x) + sign * bounds * (1 + 2.0**-20)
            moved += sign * ROUNDING_UNIT[self.dtype] * 4 * np.abs(moved)
            ends.append(self.of(to_floating(moved, self.dtype)))
        return ends


def bins_of(x, bins):
    """The bin of each element, and where it is not known."""
    x = cast(x, bins.dtype)
    found = np.asarray(bins.of(x.array))
    unknown = np.isinf(x.bounds)
    inexact = (x.bounds > 0) & ~unknown
    if inexact.any():
        before, behind = bins.around(x.array, x.finite_bounds)
        unknown = unknown | inexact & ((before != found) | (behind != found))
    return found, unknown


def check_numpy(x, bins, made):
    """Holds the oracle's counts to NumPy's, where NumPy has the type of the edges; it refuses edges that are equal."""
    if bins.dtype.kind == "f" and bins.count and (bins.edges[:-1] < bins.edges[1:]).all():
        x = x.reshape(-1)
        wanted = np.histogram(x[~np.isnan(x)], bins.count, (bins.low, bins.high))[0]
        if not np.array_equal(made, wanted):
            raise ValueError("the oracle's histogram is not NumPy's")


def check_operands(elements, ends):
    if any(is_complex(value.dtype) for value in (*elements, *ends)):
        raise Refused("type_error", "complex numbers have no order")
    if any(value.array.ndim for value in ends):
        raise Refused("shape_error", "low and high are of rank 0")


def evaluate_histogram(node, operands, mode):
    x, low, high, *weights = operands[: node.arrays]
    check_operands([x], [low, high])
    number, edges = size_of(operands[-1]), DTYPES[node.edges]
    if kind(edges) != "f":
        raise Refused("type_error", "edges are of a floating type")
    weights = weights[0] if weights else None
    bins = Bins([low, high], number, edges, mode)
    if not bins.is_known:
        return Value(np.zeros(number, type_of_counts(weights)), np.full(number, np.inf))
    found, unknown = bins_of(x, bins)
    made = count(Value(found), number, weights, "dropped")
    if weights is None and not unknown.any():
        check_numpy(cast(x, edges).array, bins, made.array)
    return all_unknown(made) if unknown.any() else made


def evaluate_histogram2d(node, operands, mode):
    x, y, *ends = operands[:6]
    check_operands([x, y], ends)
    rows, columns = (size_of(value) for value in operands[-2:])
    weights = operands[6] if node.arrays > 6 else None
    bins = [Bins(ends[:2], rows, FLOAT64, mode), Bins(ends[2:], columns, FLOAT64, mode)]
    if not all(each.is_known for each in bins):
        return Value(np.zeros((rows, columns), type_of_counts(weights)), np.full((rows, columns), np.inf))
    (row, first), (column, second) = (bins_of(value, each) for value, each in zip((x, y), bins))
    both = np.where((row < 0) | (column < 0), -1, row * columns + column)
    made = count(Value(np.asarray(both)), rows * columns, weights, "dropped")
    bound = None if made.bound is None else made.bounds.reshape(rows, columns)
    made = Value(made.array.reshape(rows, columns), bound)
    return all_unknown(made) if first.any() or second.any() else made


def all_unknown(value):
    return Value(value.array, np.full(value.array.shape, np.inf))
