"""Reductions and scans by bodies of floating numbers.

The result is computed in long double. How far Sinter's may lie from it is measured: the row is combined in
several orders, and each operation is off at random by as much as it may round. The bound is the farthest of
these results from the exact one, times what stands for roundings that do not average out."""

import copy

import numpy as np

from ..element_types import (
    DTYPES,
    FLOAT32,
    HALF_TYPES,
    LARGEST,
    ROUNDING_UNIT,
    SMALLEST,
    kind,
    scalar_array,
    to_floating,
    to_integer,
)
from ..program import Apply, Argument, Cast, Literal
from .bodies import Work
from .combining_orders import Sides, rows_of
from .elementwise import apply
from .error_bounds import FAST_ROUNDINGS, FUNCTION_ROUNDINGS
from .operation_table import COMPARISONS, EXACT, FUNCTIONS, LOGICAL, NUMPY, PREDICATES, QUOTIENTS
from .promotion import convert, types_of
from .value import TooLarge, Value

SAMPLES = 5
# How often the farthest sample the bound is; and more for long rows.
SPREAD, SPREAD_OF_LENGTH = 48, 4
# Operations that do not round.
CHOOSE = set("maximum minimum fmax fmin negative absolute positive clip sign floor ceil trunc rint".split())
INEXACT_IN_FAST = QUOTIENTS | {"true_divide", "sqrt", "reciprocal"}
LONG = np.longdouble


class Wide:
    """A value of a body: numbers of a type, floating ones as long double. `rounded`: where one was rounded."""

    def __init__(self, array, dtype, rounded=False, scalar=None):
        self.array, self.dtype, self.scalar = np.asarray(array), dtype, scalar
        self.rounded = np.broadcast_to(rounded, self.array.shape)

    shape = property(lambda self: self.array.shape)

    def typed(self):
        """A value of the type alone, as the rules of promotion take it."""
        return self.scalar or Value(np.zeros((), self.dtype))

    def __getitem__(self, index):
        return Wide(self.array[index], self.dtype, self.rounded[index])

    def join(self, other):
        array = np.concatenate([self.array, other.array], -1)
        return Wide(array, self.dtype, np.concatenate([self.rounded, other.rounded], -1))

    def reshape(self, *shape):
        return Wide(self.array.reshape(*shape), self.dtype, self.rounded.reshape(*shape))

    def turned(self):
        return Wide(np.swapaxes(self.array, -1, -2), self.dtype, np.swapaxes(self.rounded, -1, -2))

    def broadcast(self, shape):
        return Wide(np.broadcast_to(self.array, shape), self.dtype, np.broadcast_to(self.rounded, shape))


def widen_long(array, dtype):
    return (to_floating(array, FLOAT32) if dtype in HALF_TYPES else array).astype(LONG)


def rounding_of(operation, dtype, mode):
    """How far an operation may be off, relative to its result."""
    unit = ROUNDING_UNIT[dtype]
    if operation in EXACT:
        return unit * 64 if mode == "fast" and operation in INEXACT_IN_FAST else unit
    if mode == "fast":
        return FAST_ROUNDINGS * ROUNDING_UNIT[FLOAT32 if dtype in HALF_TYPES else dtype] + unit
    return FUNCTION_ROUNDINGS * unit


class Order:
    """One way to compute the body: exactly, or off at random."""

    def __init__(self, body, captured, mode, seed):
        self.body, self.mode = body, mode
        self.random = None if seed is None else np.random.default_rng(seed)
        self.captured = [self.first(each) for each in captured]

    def first(self, value):
        """An operand of the node."""
        if kind(value.dtype) != "f":
            return Wide(value.array, value.dtype, scalar=copy.copy(value) if value.weak else None)
        wide = widen_long(value.array, value.dtype)
        if value.bound is None:
            return Wide(wide, value.dtype)
        if self.random is not None:
            wide = wide + self.noise(wide.shape) * value.finite_bounds
        return Wide(wide, value.dtype, value.bounds > 0)

    def noise(self, shape):
        """Between half and one, of either sign."""
        size = self.random.uniform(0.5, 1, shape)
        return np.where(self.random.random(shape) < 0.5, -size, size)

    def combine(self, left, right):
        values, arguments = [], [*left, *right, *self.captured]
        for node in self.body.nodes:
            if isinstance(node, Argument):
                values.append(arguments[len(values)])
            else:
                values.append(self.evaluate(node, [values[operand] for operand in node.operands]))
        Work.pay([Value(each.array) for each in values] * 2)
        return [values[result].broadcast(left[0].shape) for result in self.body.results]

    def evaluate(self, node, operands):
        if isinstance(node, Literal):
            array = scalar_array(node.value, DTYPES[node.type])
            wide = widen_long(array, array.dtype) if kind(array.dtype) == "f" else array
            return Wide(wide, array.dtype, scalar=Value(array, None, node.weak, node.value))
        if isinstance(node, Cast):
            return self.cast(operands[0], DTYPES[node.type])
        if isinstance(node, Apply):
            return self.apply(node.operation, operands)
        raise TooLarge  # what templates of floating numbers do not hold

    def in_type(self, operand, dtype):
        """The numbers of an operand in the type that is computed in."""
        if operand.scalar is not None and operand.scalar.weak:
            array = scalar_array(operand.scalar.number, dtype)
            return widen_long(array, dtype) if kind(dtype) == "f" else array
        if kind(dtype) == "f" and kind(operand.dtype) == "f":
            return operand.array
        if kind(operand.dtype) != "f":
            array = convert(operand.array, dtype)
            return widen_long(array, dtype) if kind(dtype) == "f" else array
        return operand.array != 0 if kind(dtype) == "b" else to_integer(operand.array, dtype)

    def rounded(self, array, dtype, relative, before):
        """The result of an operation that rounds."""
        with np.errstate(all="ignore"):
            changes = np.isfinite(array) & (array != 0)
            if self.random is not None:
                far = np.isfinite(array) & (np.abs(array) > 0.4 * LARGEST[dtype])
                array = np.where(changes, array * (1 + self.noise(array.shape) * LONG(relative)), array)
                array = array + np.where(changes, self.noise(array.shape) * LONG(SMALLEST[dtype]), 0)
                array = np.where(far, LONG(np.nan), array)  # it may overflow, so that nothing is known
        return Wide(array, dtype, before | changes)

    def cast(self, operand, dtype):
        array = self.in_type(operand, dtype)
        if kind(dtype) == "f" and kind(operand.dtype) == "f" and dtype.itemsize < operand.dtype.itemsize:
            return self.rounded(array, dtype, ROUNDING_UNIT[dtype], operand.rounded)
        return Wide(array, dtype, operand.rounded)

    def apply(self, operation, operands):
        compute, result = types_of(operation, [operand.typed() for operand in operands])
        rounded = np.any(np.broadcast_arrays(*[operand.rounded for operand in operands]), 0)
        with np.errstate(all="ignore"):
            if operation in LOGICAL:
                return Wide(NUMPY[operation](*[each.array != 0 for each in operands]), result, rounded)
            if operation == "where":
                condition = operands[0].array != 0
                sides = [self.in_type(each, compute) for each in operands[1:]]
                return Wide(np.where(condition, *sides), result, rounded)
            arrays = [self.in_type(operand, compute) for operand in operands]
            if kind(compute) != "f":
                typed = [Value(array) for array in arrays]
                return Wide(apply(operation, typed, self.mode).array, result, rounded)
            if operation in COMPARISONS | PREDICATES:
                return Wide(NUMPY[operation](*arrays), result, rounded)
            array = np.asarray(FUNCTIONS[operation](*arrays))
        if operation in CHOOSE:
            return Wide(array, result, rounded)
        return self.rounded(array, result, rounding_of(operation, result, self.mode), rounded)


class FloatOrders:
    def __init__(self, combination):
        self.combination, self.node = combination, combination.node

    def in_order(self, seed, arrange):
        """The results in one order of the elements."""
        combination = self.combination
        order = Order(self.node.bodies[0], combination.captured, combination.mode, seed)
        rows = [self.row(order, value) for value in combination.values]
        return arrange(Sides(order.combine, combination.is_scan), rows)

    def row(self, order, value):
        wide, shape = order.first(value), self.combination.shape
        arrays = [
            rows_of(np.broadcast_to(array, shape), self.combination.axes)
            for array in (wide.array, wide.rounded)
        ]
        return Wide(arrays[0], wide.dtype, arrays[1])

    def arrangements(self):
        chunks = [lambda sides, rows, chunk=chunk: sides.in_chunks(rows, chunk) for chunk in (8, 2, 3, 16, 5)]
        if self.combination.is_scan or self.node.ordered:
            return chunks
        others = [lambda sides, rows: sides.backwards(rows, 4), lambda sides, rows: sides.in_lanes(rows, 7)]
        return chunks[:3] + others

    def results(self):
        combination = self.combination
        exact = self.in_order(None, lambda sides, rows: sides.in_chunks(rows, 8))
        samples = []
        for sample, arrange in enumerate(self.arrangements()[:SAMPLES]):
            samples.append(self.in_order(1000 + sample, arrange))
        unknown = combination.unknown()
        return [
            self.judged(value, [results[k] for results in samples], unknown) for k, value in enumerate(exact)
        ]

    def judged(self, exact, samples, unknown):
        """The value and how far a right one may lie from it."""
        shape = exact.shape
        if kind(exact.dtype) != "f":
            differs = np.any([sample.array != exact.array for sample in samples], 0) | unknown
            return Value(exact.array, np.where(differs, np.inf, 0.0) if differs.any() else None)
        dtype, wide = exact.dtype, exact.array
        with np.errstate(all="ignore"):
            farthest, same_bits = np.zeros(shape), np.ones(shape, bool)
            for sample in samples:
                same = (sample.array == wide) | (np.isnan(sample.array) & np.isnan(wide))
                same_bits &= same & ((np.signbit(sample.array) == np.signbit(wide)) | np.isnan(wide))
                distance = np.abs(sample.array - wide)
                distance = np.where(np.isfinite(distance), distance, np.inf)
                farthest = np.maximum(farthest, np.where(same, 0, distance).astype(float))
            rounded = exact.rounded | ~same_bits | np.any([sample.rounded for sample in samples], 0)
            size = np.where(np.isfinite(wide), np.abs(wide), 0).astype(float)
            own = 4 * ROUNDING_UNIT[dtype] * size + 4 * SMALLEST[dtype]
            if self.combination.mode == "fast":
                own = own * 16
            inexact = np.where(farthest > 0, np.inf, 0)
            bound = np.where(rounded & np.isfinite(wide), self.spread() * farthest + own, inexact)
            unknown = unknown | np.isinf(farthest) | (size > 0.45 * LARGEST[dtype]) & rounded
            result = to_floating(wide.astype(np.float64), dtype)
        bound = np.where(unknown, np.inf, bound)
        return Value(result, bound if (bound > 0).any() else None)

    def spread(self):
        combination = self.combination
        length = int(np.prod([combination.shape[axis] for axis in combination.axes], dtype=np.int64))
        return SPREAD + (length / 2 if combination.is_scan else SPREAD_OF_LENGTH * length**0.5)
