"""Draws several nodes at once: means, softmax and others as a user would write them, and scalars beside
reductions."""

import numpy as np

from .draw_layouts import draw_layout
from .element_types import DTYPES, kind, to_floating
from .program import Cast, Input, Literal, Reduce
from .profiles import OPERATIONS, REDUCTIONS, STRUCTURE_OPERATIONS
from .oracle.operation_table import ARITY


class Composer:
    """Writes a composition over one set of axes of one array; the axes are drawn if none are given."""

    def __init__(self, drawer, array, axes=None):
        self.drawer, self.array = drawer, array
        shape = drawer.values[array].array.shape
        self.axes = axes or drawer.axes(len(shape)) or 1
        self.length = int(
            np.prod([extent for axis, extent in enumerate(shape) if self.axes >> axis & 1], dtype=np.int64)
        )

    def reduce(self, operation, operand):
        return (
            None
            if operand is None
            else self.drawer.add(Reduce(operation, self.axes, True, operands=(operand,)))
        )

    def literal(self, number):
        return self.drawer.add(Literal("float64", number, True))

    def truth(self):
        return self.drawer.add(Cast("bool", operands=(self.array,)))

    def deviation(self):
        return self.drawer.apply("subtract", self.array, self.mean())

    def mean(self):
        return self.drawer.apply(
            "true_divide", self.reduce("sum", self.array), self.literal(float(self.length))
        )

    def variance(self):
        deviation = self.deviation()
        square = self.drawer.apply("multiply", deviation, deviation)
        return self.drawer.apply("true_divide", self.reduce("sum", square), self.literal(float(self.length)))

    def softmax(self):
        power = self.drawer.apply(
            "exp", self.drawer.apply("subtract", self.array, self.reduce("max", self.array))
        )
        return self.drawer.apply("true_divide", power, self.reduce("sum", power))

    def logsumexp(self):
        largest = self.reduce("max", self.array)
        power = self.drawer.apply("exp", self.drawer.apply("subtract", self.array, largest))
        return self.drawer.apply("add", self.drawer.apply("log", self.reduce("sum", power)), largest)

    def nansum(self):
        cleaned = self.drawer.apply(
            "where", self.drawer.apply("isnan", self.array), self.literal(0.0), self.array
        )
        return self.reduce("sum", cleaned)

    def norm(self):
        square = self.drawer.apply("multiply", self.array, self.array)
        return self.drawer.apply("sqrt", self.reduce("sum", square))

    def count_nonzero(self):
        return self.reduce("sum", self.truth())

    def is_largest(self):
        return self.drawer.apply("equal", self.array, self.reduce("max", self.array))

    def mean_of_nonzero(self):
        return self.drawer.apply("floor_divide", self.reduce("sum", self.array), self.count_nonzero())

    def masked(self):
        other, mask = self.drawer.scalar(self.array), self.drawer.partner(self.array)
        chosen = self.drawer.apply("where", mask, self.array, other)
        return self.reduce(self.drawer.random.choice(["sum", "max", "min", "any"]), chosen)


OF_ANY = [Composer.count_nonzero, Composer.masked]
OF_INTEGERS = OF_ANY + [Composer.is_largest, Composer.mean_of_nonzero]
OF_FLOATING = [
    Composer.mean,
    Composer.variance,
    Composer.softmax,
    Composer.logsumexp,
    Composer.nansum,
    Composer.deviation,
    Composer.norm,
]


def draw_composition(drawer, array=None, axes=None):
    draw, array = drawer.random, drawer.pick() if array is None else array
    if drawer.rank(array) == 0:
        return None
    compose = draw.choice(OF_INTEGERS if drawer.profile == "int" else OF_ANY + OF_FLOATING)
    dtype = drawer.values[array].dtype
    if compose in OF_FLOATING and kind(dtype) != "f":
        if kind(dtype) == "c":
            return None
        array = drawer.add(Cast(draw.choice(["float32", "float64"]), operands=(array,)))
        if array is None:
            return None
    return compose(Composer(drawer, array, axes))


def folding_constant(drawer):
    """Operations on literals alone, which fold."""
    draw = drawer.random
    first = drawer.add(Literal(*drawer.strong_scalar(), False))
    second = (
        drawer.scalar(first, parameters=0)
        if draw.random() < 0.5
        else drawer.add(Literal(*drawer.strong_scalar(), False))
    )
    operations = [name for name in OPERATIONS[drawer.profile] if ARITY[name] == 2]
    folded = None if second is None else drawer.apply(draw.choice(operations), first, second)
    return first if folded is None else folded


def beside_scalar(drawer, operand):
    """An operation on a value and a literal, a parameter, a constant that folds, or the value itself."""
    draw = drawer.random
    partner = draw.choice(
        [
            lambda: drawer.scalar(operand, parameters=0),
            lambda: drawer.scalar(operand, parameters=0),
            lambda: drawer.scalar(operand, parameters=1),
            lambda: folding_constant(drawer),
            lambda: operand,
        ]
    )()
    if drawer.structure or draw.random() < 0.7:
        operations = STRUCTURE_OPERATIONS[drawer.profile]
    else:
        operations = [name for name in OPERATIONS[drawer.profile] if ARITY[name] == 2]
    operands = [operand, partner]
    draw.shuffle(operands)
    return drawer.apply(draw.choice(operations), *operands)


def sum_of_zeros(drawer):
    """A sum or a scan of short rows of zeros, of which most are negative."""
    draw = drawer.random
    names = [name for name in drawer.types if kind(DTYPES[name]) == "f"]
    if not names:
        return None
    shape = [draw.choice([1, 3, 17, 64]), draw.choice([1, 1, 2, 3, 4, 9])]
    zeros = [draw.choice([-0.0, -0.0, -0.0, -0.0, 0.0]) for _ in range(shape[0] * shape[1])]
    array = draw_layout(draw, to_floating(np.array(zeros).reshape(shape), DTYPES[draw.choice(names)]))
    operand = drawer.add(Input(array))
    if operand is None or draw.random() < 0.3:
        return None if operand is None else drawer.scan(operand)
    axes = draw.choice([0, 1, 2, 2, 2, 3])
    return drawer.add(Reduce("sum", axes, draw.random() < 0.5, operands=(operand,)))


def draw_beside_reduction(drawer):
    """A scalar before a reduction or a scan, after it, or both; or zeros alone."""
    draw = drawer.random
    if draw.random() < 0.06:
        return sum_of_zeros(drawer)
    inputs = [number for number, node in enumerate(drawer.nodes) if isinstance(node, Input)]
    operand = draw.choice(inputs) if draw.random() < 0.5 else drawer.pick()
    if draw.random() < 0.75:
        operand = beside_scalar(drawer, operand)
    if operand is None or drawer.values[operand].weak:
        return None
    reduced = (
        drawer.reduce(operand, sorted(set(REDUCTIONS))) if draw.random() < 0.75 else drawer.scan(operand)
    )
    return beside_scalar(drawer, reduced) if reduced is not None and draw.random() < 0.4 else reduced
