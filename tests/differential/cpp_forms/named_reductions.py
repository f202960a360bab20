"""Reductions of the C++ front end by name: masks, accumulators, and compositions such as softmax.

Each is drawn as the nodes that NumPy's or SciPy's definition has, which the oracle evaluates with their bounds
and the run-time builder runs, and is remembered by its name, which the printer writes instead."""

import dataclasses

import numpy as np

from ..element_types import BOOL, DTYPES, FLOAT64, HALF_TYPES, INT64, NAMES, UINT64, is_complex, kind, part_of
from ..program import Cast, Coordinate, Extent, Literal, Reduce, Scan, View

ROWS = ("max", "min", "nanmax", "nanmin", "all", "any", "cummax", "cummin")
POSITIONS = ("argmax", "argmin", "nanargmax", "nanargmin")
SUMS = ("sum", "prod", "nansum", "nanprod", "cumsum", "cumprod")
DEVIATIONS = ("var", "stddev", "nanvar", "nanstddev")
EXPONENTIALS = ("logsumexp", "softmax", "log_softmax")
OF_FLOATING = ("mean", "nanmean", "norm", *DEVIATIONS, *EXPONENTIALS)
OF_INTEGERS = ROWS + POSITIONS + SUMS + ("count_nonzero",)
KEEP_SHAPE = ("softmax", "log_softmax", "cumsum", "cumprod", "cummax", "cummin")
OF_COMPLEX = ("all", "any", "count_nonzero", "mean", "nanmean", "norm", *SUMS, *DEVIATIONS)
ACCUMULATING = SUMS + tuple(name for name in OF_FLOATING if name != "norm")
ORDERS = ("", "1", "2", "inf", "-inf", "0", "3")


@dataclasses.dataclass(frozen=True)
class NamedReduction:
    """`axes` is a set of bits; `accumulator` is a type or "", `order` that of a norm, as it is spelled."""

    function: str
    operand: int
    axes: int
    keep: bool = False
    mask: object = None
    accumulator: str = ""
    ddof: object = None
    order: str = ""

    @property
    def operands(self):
        return (self.operand,) if self.mask is None else (self.operand, self.mask)

    def renumber(self, order):
        mask = None if self.mask is None else order[self.mask]
        return dataclasses.replace(self, operand=order[self.operand], mask=mask)

    @property
    def skips_nan(self):
        return self.function.startswith("nan")


def types_of_reduction(named, dtype):
    """The type that elements are converted to, and the result's."""
    function = named.function
    given = DTYPES[named.accumulator] if named.accumulator else None
    if function in OF_FLOATING:
        elements = given or (dtype if kind(dtype) in "fc" else FLOAT64)
        is_real = function in DEVIATIONS or function == "norm"
        return DTYPES["float32"] if elements in HALF_TYPES else elements, (
            part_of(elements) if is_real else elements
        )
    if function in SUMS:
        wide = {"b": INT64, "i": INT64, "u": UINT64}.get(kind(dtype), dtype)
        return (given or wide,) * 2
    if function == "count_nonzero":
        return BOOL, INT64
    return (BOOL, BOOL) if function in ("all", "any") else (dtype, INT64 if function in POSITIONS else dtype)


def start_of_extreme(function, dtype):
    """What changes no element that it is compared with."""
    largest = function.endswith("max")
    if kind(dtype) == "b":
        return not largest
    if kind(dtype) in "iu":
        limits = np.iinfo(dtype)
        return int(limits.min if largest else limits.max)
    return float("nan") if function.startswith("nan") else float("-inf" if largest else "inf")


class Definition:
    """Adds the nodes that define one reduction. Reduced axes stay, with extent 1, until the end. Methods give
    a node's number, or None where one before them was refused."""

    def __init__(self, drawer, named):
        self.drawer, self.named = drawer, named
        dtype = drawer.values[named.operand].dtype
        self.has_nan = kind(dtype) in "fc"
        self.compute, self.result = types_of_reduction(named, dtype)
        self.elements = self.cast(named.operand, self.compute)

    def add(self, make, *operands):
        return None if None in operands else self.drawer.add(make(operands))

    def apply(self, operation, *operands):
        return self.drawer.apply(operation, *operands)

    def cast(self, number, dtype):
        if number is None or self.drawer.values[number].dtype == dtype:
            return number
        return self.add(lambda operands: Cast(NAMES[dtype], operands=operands), number)

    def number(self, value):
        """A number that takes the type it meets."""
        return self.drawer.add(Literal("float64", value, True))

    def reduce(self, operation, number):
        axes = self.named.axes
        return self.add(lambda operands: Reduce(operation, axes, True, operands=operands), number)

    def sum(self, number):
        return self.reduce("sum", number)

    def where(self, condition, number, otherwise):
        return self.apply("where", condition, number, otherwise)

    def kept(self, number, otherwise):
        return number if self.named.mask is None else self.where(self.named.mask, number, otherwise)

    def numbers(self):
        """Where elements are no NaN and the mask is true; None where that is everywhere."""
        mask = self.named.mask
        if not (self.named.skips_nan and self.has_nan):
            return mask
        held = self.apply("logical_not", self.apply("isnan", self.named.operand))
        return held if mask is None else self.apply("logical_and", held, mask)

    def chosen(self, number, otherwise):
        held = self.numbers()
        return number if held is None else self.where(held, number, self.number(otherwise))

    def count(self):
        """How many elements are reduced to one, in the type of the elements' parts."""
        held, dtype, operand = self.numbers(), part_of(self.compute), self.named.operand
        if held is not None:
            # The condition may have fewer elements than what it holds back.
            if self.rank:
                place = self.add(lambda operands: Coordinate(0, operands=operands), operand)
                held = self.where(held, self.apply("greater_equal", place, place), self.false())
            return self.cast(self.sum(held), dtype)
        product = self.drawer.add(Literal("int64", 1, False))
        for axis in self.reduced():
            extent = self.add(lambda operands, axis=axis: Extent(axis, operands=operands), operand)
            product = self.apply("multiply", product, extent)
        return self.cast(product, dtype)

    def false(self):
        return self.drawer.add(Literal("bool", 0, False))

    @property
    def rank(self):
        return self.drawer.rank(self.named.operand)

    def reduced(self):
        return [axis for axis in range(self.rank) if self.named.axes >> axis & 1]

    def finish(self, number):
        """Drops the reduced axes, and converts to the result's type."""
        if not self.named.keep and self.named.function not in KEEP_SHAPE and self.reduced():
            items = tuple("i:0" if axis in self.reduced() else "s:_:_:_" for axis in range(self.rank))
            number = self.add(lambda operands: View(items, operands=operands), number)
        return self.cast(number, self.result)

    def row(self):
        """A reduction or a scan of the table, with its start value where the mask is false."""
        function, elements = self.named.function, self.elements
        if function in ROWS and self.named.mask is not None:
            dtype = self.compute
            start = function == "all" if function in ("all", "any") else start_of_extreme(function, dtype)
            elements = self.kept(elements, self.drawer.add(Literal(NAMES[dtype], start, False)))
        if function in SUMS:
            otherwise = 1 if "prod" in function else 0
            held = self.numbers()
            if held is not None:
                wide = {"b": INT64, "i": INT64, "u": UINT64}.get(kind(self.compute), self.compute)
                number = self.drawer.add(Literal("int64", otherwise, True))
                elements = self.where(held, self.cast(elements, wide), number)
        if function.startswith("cum"):
            axis = self.reduced()[0]
            return self.add(lambda operands: Scan(function, axis, operands=operands), elements)
        name = function.removeprefix("nan") if function in SUMS else function
        return self.reduce(name, elements)

    def count_nonzero(self):
        return self.sum(self.kept(self.elements, self.false()))

    def position(self):
        name = self.named.function.removeprefix("nan")
        if not (self.named.skips_nan and self.has_nan):
            return self.reduce(name, self.elements)
        missing = self.apply("isnan", self.elements)
        least = self.number(float("-inf" if name == "argmax" else "inf"))
        found = self.reduce(name, self.where(missing, least, self.elements))
        nothing = self.drawer.add(Literal("int64", -1, True))
        return self.where(self.reduce("all", missing), nothing, found)

    def mean(self):
        return self.apply("true_divide", self.sum(self.chosen(self.elements, 0.0)), self.count())

    def squared(self, number):
        if not is_complex(self.compute):
            return self.apply("multiply", number, number)
        parts = [self.apply(part, number) for part in ("real", "imag")]
        return self.apply("add", *[self.apply("multiply", part, part) for part in parts])

    def variance(self):
        distance = self.chosen(self.apply("subtract", self.elements, self.mean()), 0.0)
        squares, freedom = self.sum(self.squared(distance)), self.count()
        if self.named.ddof is not None:
            ddof = self.drawer.add(Literal("int64", self.named.ddof, True))
            freedom = self.apply("maximum", self.apply("subtract", freedom, ddof), self.number(0.0))
        quotient = self.apply("true_divide", squares, freedom)
        if not self.named.skips_nan or not self.has_nan:
            return quotient
        return self.where(
            self.apply("less_equal", freedom, self.number(0.0)), self.number(float("nan")), quotient
        )

    def deviation(self):
        return self.apply("sqrt", self.variance())

    def norm(self):
        order = self.named.order or "2"
        chosen = self.kept(self.elements, self.number(float("inf") if order == "-inf" else 0.0))
        if order == "0":
            return self.cast(self.sum(self.cast(chosen, BOOL)), part_of(self.compute))
        if order == "2":
            return self.apply("sqrt", self.sum(self.squared(chosen)))
        absolute = self.apply("absolute", chosen)
        if order == "1":
            return self.sum(absolute)
        if order.endswith("inf"):
            return self.reduce("min" if order.startswith("-") else "max", absolute)
        powers = self.sum(self.apply("power", absolute, self.number(float(order))))
        return self.apply("power", powers, self.number(1 / float(order)))

    def finite(self, number):
        return self.where(self.apply("isfinite", number), number, self.number(0.0))

    def held_down(self):
        """The elements, -inf where the mask is false."""
        return self.kept(self.elements, self.number(float("-inf")))

    def logsumexp(self):
        chosen = self.held_down()
        largest = self.finite(self.reduce("max", chosen))
        total = self.sum(self.apply("exp", self.apply("subtract", chosen, largest)))
        return self.apply("add", self.apply("log", total), largest)

    def softmax(self):
        chosen = self.held_down()
        powers = self.apply("exp", self.apply("subtract", chosen, self.reduce("max", chosen)))
        return self.kept(self.apply("true_divide", powers, self.sum(powers)), self.number(0.0))

    def log_softmax(self):
        chosen = self.held_down()
        distance = self.apply("subtract", chosen, self.finite(self.reduce("max", chosen)))
        total = self.apply("log", self.sum(self.apply("exp", distance)))
        return self.kept(self.apply("subtract", distance, total), self.number(float("-inf")))


DEFINITIONS = (
    dict.fromkeys(ROWS + SUMS, Definition.row)
    | dict.fromkeys(POSITIONS, Definition.position)
    | dict.fromkeys(("mean", "nanmean"), Definition.mean)
    | dict.fromkeys(("var", "nanvar"), Definition.variance)
    | dict.fromkeys(("stddev", "nanstddev"), Definition.deviation)
    | {
        "count_nonzero": Definition.count_nonzero,
        "norm": Definition.norm,
        "logsumexp": Definition.logsumexp,
        "softmax": Definition.softmax,
        "log_softmax": Definition.log_softmax,
    }
)


def define(drawer, named):
    """Adds the nodes of a reduction; gives the number of its result, or None."""
    definition = Definition(drawer, named)
    return definition.finish(DEFINITIONS[named.function](definition))
