"""Draws a part that is refused: a wrong axis, integer or shape."""

from ..program import (
    Apply,
    Concatenate,
    Diagonal,
    Extended,
    Extent,
    Literal,
    Merged,
    Parameter,
    Reduce,
    Split,
    View,
    Window,
)


class Refusals:
    """Methods return a node that is not in the program, or None where the array allows none."""

    def __init__(self, parts, x):
        self.drawer, self.random, self.parts = parts.drawer, parts.random, parts
        self.x, self.shape = x, parts.shape(x)
        self.axis = self.random.randrange(len(self.shape)) if self.shape else None

    def integer(self, value):
        return self.parts.parts.integer(value)

    def extended(self, rule, extent):
        return Extended(self.axis, rule, operands=(self.x, self.integer(0), self.integer(extent)))

    def negative_extent(self):
        rule = self.random.choice(["edge", "reflect", "wrap", "repeat", "broadcast"])
        return self.extended(rule, self.random.choice([-1, -2, -(2**40)]))

    def other_extent(self):
        extent = self.shape[self.axis]
        return (
            None if extent == 1 else self.extended("broadcast", self.random.choice([extent + 1, extent - 1]))
        )

    def empty_axis(self):
        empty = self.parts.parts.repeat_elements(self.x, self.axis, 0)
        if empty is None:
            return None
        operands = (empty, self.integer(0), self.integer(self.random.choice([1, 3])))
        return Extended(self.axis, self.random.choice(["edge", "reflect", "wrap"]), operands=operands)

    def unequal_shapes(self):
        if len(self.shape) < 2:
            return None
        others = [axis for axis in range(len(self.shape)) if axis != self.axis]
        changed = list(self.shape)
        changed[self.random.choice(others)] += self.random.choice([1, 2])
        return self.concatenation(self.parts.array(changed), self.axis)

    def unequal_ranks(self):
        rank = len(self.shape)
        return self.concatenation(self.parts.array([2] * (rank + self.random.choice([-1, 1]))), self.axis)

    def concatenation(self, other, axis):
        if other is None:
            return None
        operands = [self.x, other]
        self.random.shuffle(operands)
        return Concatenate(axis, operands=tuple(operands))

    def no_windows(self):
        extent = self.random.choice([0, -1, self.shape[self.axis] + 1])
        return Window(self.axis, operands=(self.x, self.integer(extent)))

    def left_over(self):
        extent = self.shape[self.axis]
        parts = [each for each in (0, 2, 3, 5, -1, extent + 1) if each <= 0 or extent % each]
        return Split(self.axis, False, operands=(self.x, self.integer(self.random.choice(parts))))

    def other_whole(self):
        extent = self.shape[self.axis] + self.random.choice([1, -1, 5])
        return Split(self.axis, True, operands=(self.x, self.integer(extent)))

    def no_such_axis(self):
        axis = len(self.shape) + self.random.choice([0, 1, 7])
        one = self.integer(1)
        return self.random.choice(
            [
                Extended(axis, "edge", operands=(self.x, one, one)),
                Concatenate(axis, operands=(self.x, self.x)),
                Window(axis, operands=(self.x, one)),
                Diagonal(self.axis, axis, operands=(self.x, one)),
                Diagonal(axis, self.axis, operands=(self.x, one)),
                Diagonal(self.axis, self.axis, operands=(self.x, one)),
                Merged(axis, operands=(self.x,)),
                Merged(len(self.shape) - 1, operands=(self.x,)),
                Split(axis, True, operands=(self.x, one)),
            ]
        )

    def not_on_the_host(self):
        """An integer that elements of an array decide."""
        row = self.parts.array([3], "int64")
        if row is None:
            return None
        integer = self.random.choice(
            [
                View(("i:0",), operands=(row,)),
                Reduce("sum", 1, False, operands=(row,)),
            ]
        )
        number = self.drawer.add(integer)
        if number is not None and self.random.random() < 0.5:
            extent = self.drawer.add(Extent(0, operands=(row,)))
            number = self.drawer.add(Apply("add", operands=(number, extent)))
        return None if number is None else Window(self.axis, operands=(self.x, number))

    def beyond_64_bits(self):
        """An integer that is computed with numbers that do not fit int64."""
        draw, apply = self.random, self.parts.parts.integers.apply
        extent = self.drawer.add(Extent(self.axis, operands=(self.x,)))
        least, largest = (self.far(number) for number in (-(2**63), 2**63 - 1))
        number = draw.choice(
            [
                lambda: apply("add", apply("add", extent, largest), largest),
                lambda: apply("add", largest, self.far(1)),
                lambda: apply("subtract", apply("negative", apply("add", extent, self.far(2))), largest),
                lambda: apply("multiply", apply("add", extent, self.far(4)), self.far(2**62)),
                lambda: apply("negative", least),
                lambda: apply("absolute", least),
            ]
        )()
        if draw.random() < 0.3:
            number = apply(draw.choice(["minimum", "maximum"]), number, self.integer(3))
        if number is None:
            return None
        one = self.integer(1)
        return draw.choice(
            [
                Extended(self.axis, draw.choice(["edge", "reflect", "wrap"]), operands=(self.x, one, number)),
                Extended(self.axis, draw.choice(["edge", "reflect", "wrap"]), operands=(self.x, number, one)),
                Extended(self.axis, "broadcast", operands=(self.x, self.integer(0), number)),
                Window(self.axis, operands=(self.x, number)),
                Split(self.axis, draw.random() < 0.5, operands=(self.x, number)),
            ]
        )

    def far(self, value):
        """A number or a parameter."""
        if self.random.random() < 0.5:
            return self.drawer.add(Literal("int64", value, False))
        return self.drawer.add(Parameter("int64", value, False))

    def no_integer(self):
        if self.drawer.profile == "int":
            return None
        return Window(self.axis, operands=(self.x, self.drawer.add(Literal("float64", 1.0, True))))


KINDS = [
    Refusals.negative_extent,
    Refusals.other_extent,
    Refusals.empty_axis,
    Refusals.unequal_shapes,
    Refusals.unequal_ranks,
    Refusals.no_windows,
    Refusals.left_over,
    Refusals.other_whole,
    Refusals.no_such_axis,
    Refusals.not_on_the_host,
    Refusals.no_integer,
    Refusals.beyond_64_bits,
]


def draw_refused(parts):
    """A node that the program ends with, or None."""
    refusals = Refusals(parts, parts.pick())
    if refusals.axis is None:
        return None
    node = parts.random.choice(KINDS)(refusals)
    return None if node is None or None in node.operands else node
