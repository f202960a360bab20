"""A value of a program: an array, and a bound on how far from it a right answer may lie.

The bound is None for exact values, or an array of absolute errors, where infinity means that the element
is not compared, because the answer hangs on a rounding. Integers and booleans are exact or not compared."""

import dataclasses

import numpy as np

from ..element_types import kind, widen


class Refused(Exception):
    """Sinter should refuse this; `kind` is the class of its exception. `if_used`: only where something uses it.
    `if_needed`: a result needs it; of what is no result itself, operations may leave it out."""

    def __init__(self, kind, reason, if_used=False, if_needed=False):
        super().__init__(reason)
        self.kind, self.if_used, self.if_needed = kind, if_used, if_needed


class TooLarge(Exception):
    """A program would hold more than program.py allows, or its loops would run for too long."""


@dataclasses.dataclass(eq=False)
class Value:
    """`number` is the Python number of a scalar, which is weak if it takes its type from its partner.
    `from_scalars`: literals and parameters alone decide it, so the host knows it before a call.
    `on_host`: the same for what elementwise operations make of literals, parameters and extents.
    `overflows`: such an integer, computed with numbers beyond 64 bits.
    `wraps`: a weak number that converts to every integer type, as the iteration's number does.
    `whole`: in a body, an array of which elements are taken.
    `results`: all results of a node with bodies, whose value is the first."""

    array: np.ndarray
    bound: object = None
    weak: bool = False
    number: object = None
    from_scalars: bool = False
    on_host: bool = False
    overflows: bool = False
    wraps: bool = False
    whole: bool = False
    results: tuple = ()

    @property
    def dtype(self):
        return self.array.dtype

    @property
    def bounds(self):
        if self.bound is None:
            return np.zeros(self.array.shape)
        return np.broadcast_to(self.bound, self.array.shape)

    @property
    def finite_bounds(self):
        return np.where(np.isfinite(self.bounds), self.bounds, 0)

    @property
    def bytes(self):
        return self.array.nbytes + (0 if self.bound is None else np.asarray(self.bound).nbytes)


def unknown_where(condition):
    return np.where(condition, np.inf, 0.0)


def unknown_where_any(shape, bounds):
    """Not compared where any of some bounds is not zero."""
    known = [np.broadcast_to(unknown_where(bound > 0), shape) for bound in bounds if bound is not None]
    return np.maximum.reduce(known) if known else None


def may_be_zero(value):
    """Where a value's answer as a boolean hangs on a rounding."""
    if kind(value.dtype) not in "fc":
        return value.bounds > 0
    return np.isinf(value.bounds) | ((value.bounds > 0) & (np.abs(widen(value.array)) <= value.bounds))


def add_bounds(bound, more, shape):
    more = np.broadcast_to(more, shape)
    return more if bound is None else bound + more


def mark_unknown(bound, condition, shape):
    condition = np.broadcast_to(condition, shape)
    if bound is None and not condition.any():
        return None
    return np.where(condition, np.inf, np.zeros(shape) if bound is None else bound)
