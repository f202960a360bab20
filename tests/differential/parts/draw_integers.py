"""Draws the integers of parts: numbers, parameters, extents of arrays, and what operations make of these."""

import numpy as np

from ..element_types import DTYPES
from ..program import Apply, Cast, Extent, Input, Literal, Parameter

PARAMETER_TYPES = ["int64", "int64", "int64", "int32", "uint8", "int16"]


def has_value(name, value):
    limits = np.iinfo(DTYPES[name])
    return limits.min <= value <= limits.max


class Integers:
    """Adds nodes whose value is a given integer."""

    def __init__(self, drawer, depth=2):
        self.drawer, self.random, self.depth = drawer, drawer.random, depth

    def draw(self, value, depth=None):
        """The number of a node of rank 0 that has the value."""
        depth = self.depth if depth is None else depth
        chance = self.random.random()
        if chance < 0.45 or abs(value) >= 1 << 32:
            return self.literal(value)
        if chance < 0.6:
            return self.parameter(value)
        if chance < 0.75 or depth == 0:
            found = self.extent(value)
            return self.literal(value) if found is None else found
        made = self.computed(value, depth - 1)
        # narrow types wrap around
        return self.literal(value) if made is None or self.value_of(made) != value else made

    def literal(self, value):
        return self.drawer.add(Literal("int64", value, self.random.random() < 0.8))

    def parameter(self, value):
        name = self.random.choice(PARAMETER_TYPES)
        name = name if has_value(name, value) else "int64"
        return self.drawer.add(Parameter(name, value, name == "int64" and self.random.random() < 0.5))

    def extents(self):
        """The axes of the values so far: (extent, value, axis)."""
        return [
            (extent, number, axis)
            for number, value in enumerate(self.drawer.values)
            for axis, extent in enumerate(value.array.shape)
        ]

    def extent(self, value=None):
        """An extent of an array; of this value, if it is given."""
        found = [each for each in self.extents() if value is None or each[0] == value]
        # Mostly of inputs: what an extent alone uses is no output of the program.
        inputs = [each for each in found if isinstance(self.drawer.nodes[each[1]], Input)]
        found = inputs if inputs and self.random.random() < 0.7 else found
        if not found:
            return None
        _, number, axis = self.random.choice(found[-12:])
        return self.drawer.add(Extent(axis, operands=(number,)))

    def value_of(self, number):
        return int(self.drawer.values[number].array)

    def apply(self, operation, *operands):
        """Also of numbers alone, of which the drawer itself makes nothing."""
        return None if None in operands else self.drawer.add(Apply(operation, operands=operands))

    def computed(self, value, depth):
        """A sum, a difference, a product, a quotient, an extreme or a negative that is the value."""
        operation = self.random.choice(
            ["add", "add", "subtract", "multiply", "floor_divide", "maximum", "minimum", "negative", "cast"]
        )
        if operation == "negative":
            return self.apply("negative", self.draw(-value, depth))
        if operation == "cast":
            return self.cast(value)
        first = self.extent()
        first = self.draw(self.random.randrange(1, 5), depth) if first is None else first
        has = self.value_of(first)
        if operation in ("maximum", "minimum"):
            operation = "maximum" if has <= value else "minimum"
            return self.apply(operation, first, self.draw(value, depth))
        if operation == "add":
            return self.apply("add", first, self.draw(value - has, depth))
        if operation == "subtract":
            return self.apply("subtract", first, self.draw(has - value, depth))
        if operation == "multiply":
            return self.product(value, depth)
        factor = self.random.randrange(1, 4)
        rest = self.random.randrange(factor)
        return self.apply("floor_divide", self.draw(value * factor + rest, depth), self.draw(factor, depth))

    def product(self, value, depth):
        factors = [factor for factor in (2, 3, 5, 7, -1, 1) if value % factor == 0]
        factor = self.random.choice(factors)
        return self.apply("multiply", self.draw(value // factor, depth), self.draw(factor, depth))

    def cast(self, value):
        """From a type that has the value."""
        names = [name for name in ("int8", "int32", "uint16") if has_value(name, value)]
        if not names:
            return None
        narrow = self.drawer.add(Literal(self.random.choice(names), value, False))
        return self.drawer.add(Cast("int64", operands=(narrow,)))
