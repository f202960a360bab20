"""Writes what sinter/dsl/parts.hpp has as the parts of a graph: pads, rolls, tiles, reshapes and others."""

from ..element_types import NAMES
from ..program import (
    Cast,
    Concatenate,
    Coordinate,
    Diagonal,
    Extended,
    Extent,
    Literal,
    Merged,
    Split,
    View,
    Window,
)
from .draw_integers import Integers

NEW, ALL = "n", "s:_:_:_"


class PartWriter:
    """Adds parts to a drawer's program. As of Writer, methods return None where an operand is None, or where the oracle
    refuses a node."""

    def __init__(self, drawer):
        self.drawer, self.random = drawer, drawer.random
        self.integers = Integers(drawer)

    def shape(self, number):
        return self.drawer.values[number].array.shape

    def add(self, node):
        return None if None in node.operands else self.drawer.add(node)

    def integer(self, value):
        return self.integers.draw(value)

    def extent_of(self, number, axis):
        """The extent of an axis, mostly as a node that reads it."""
        if self.random.random() < 0.3:
            return self.integer(self.shape(number)[axis])
        return self.add(Extent(axis, operands=(number,)))

    def extended(self, x, axis, rule, first, extent):
        return self.add(Extended(axis, rule, operands=(x, first, extent)))

    def pad(self, x, axis, before, after, rule):
        """Half of the time as the functions of the front end write it."""
        if x is None:
            return None
        if self.random.random() < 0.5:
            whole = self.shape(x)[axis] + before + after
            return self.extended(x, axis, rule, self.integer(-before), self.integer(whole))
        before, after = self.integer(before), self.integer(after)
        apply = self.integers.apply
        whole = apply("add", apply("add", self.add(Extent(axis, operands=(x,))), before), after)
        return self.extended(x, axis, rule, apply("negative", before), whole)

    def pad_constant(self, x, axis, before, after, element):
        """`element` is a value of rank 0 and the type of x."""
        sides = [self.filled(element, x, axis, count) for count in (before, after)]
        return self.concatenate([sides[0], x, sides[1]], axis)

    def filled(self, element, x, axis, count):
        """An element in the shape of x, but for the extent of an axis."""
        if element is None or x is None:
            return None
        made = self.add(View((NEW,) * len(self.shape(x)), operands=(element,)))
        for other in range(len(self.shape(x))):
            extent = self.integer(count) if other == axis else self.extent_of(x, other)
            made = self.broadcast(made, other, extent)
        return made

    def element(self, x):
        """A number of the type of x."""
        name = NAMES[self.drawer.values[x].dtype]
        if self.random.random() < 0.3:
            return self.add(Cast(name, operands=(self.drawer.add(Literal("bool", False, False)),)))
        number = self.drawer.add(Literal("int64", self.random.choice([0, 1, 2, 3, 7]), True))
        return self.add(Cast(name, operands=(number,)))

    def broadcast(self, x, axis, extent):
        return self.extended(x, axis, "broadcast", self.drawer.add(Literal("int64", 0, True)), extent)

    def broadcast_to(self, x, shape):
        while x is not None and len(self.shape(x)) < len(shape):
            x = self.with_axis(x, 0)
        for axis, extent in enumerate(shape):
            if x is not None and (self.shape(x)[axis] != extent or self.random.random() < 0.3):
                x = self.broadcast(x, axis, self.integer(extent))
        return x

    def with_axis(self, x, axis):
        return self.add(View((ALL,) * axis + (NEW,), operands=(x,)))

    def roll(self, x, axis, distance):
        if self.random.random() < 0.5:
            first = self.integer(-distance)
        else:
            first = self.integers.apply("negative", self.integer(distance))
        return self.extended(x, axis, "wrap", first, self.extent_of(x, axis))

    def repeat_elements(self, x, axis, count):
        count = self.integer(count)
        return self.extended(x, axis, "repeat", count, count)

    def tile(self, x, counts):
        for axis, count in enumerate(counts):
            if x is not None and (count != 1 or self.random.random() < 0.3):
                extent = self.integers.apply("multiply", self.extent_of(x, axis), self.integer(count))
                x = self.extended(x, axis, "wrap", self.drawer.add(Literal("int64", 0, True)), extent)
        return x

    def concatenate(self, arrays, axis):
        """From the first to the last, or in another order of the pairs."""
        arrays = list(arrays)
        while len(arrays) > 1:
            first = 0 if self.random.random() < 0.7 else self.random.randrange(len(arrays) - 1)
            arrays[first : first + 2] = [self.add(Concatenate(axis, operands=tuple(arrays[first : first + 2])))]
        return arrays[0]

    def stack(self, arrays, axis):
        return self.concatenate([self.with_axis(x, axis) for x in arrays], axis)

    def window(self, x, axis, extent):
        return self.add(Window(axis, operands=(x, self.integer(extent))))

    def diagonal(self, x, axis, second_axis, offset):
        return self.add(Diagonal(axis, second_axis, operands=(x, self.integer(offset))))

    def triangle(self, x, operation, offset):
        """Elements where column - row and the offset compare, else 0."""
        rank = len(self.shape(x))
        row, column = (self.add(Coordinate(axis, operands=(x,))) for axis in (rank - 2, rank - 1))
        chosen = self.drawer.apply(
            operation, self.drawer.apply("subtract", column, row), self.integer(offset)
        )
        return self.drawer.apply("where", chosen, x, self.element(x))

    def diagonal_matrix(self, x, offset):
        """NumPy's diag of a vector."""
        before, after = max(-offset, 0), max(offset, 0)
        rows = self.pad_constant(x, 0, before, after, self.element(x))
        if rows is None:
            return None
        square = self.broadcast(self.with_axis(rows, 1), 1, self.extent_of(rows, 0))
        return None if square is None else self.triangle(square, "equal", offset)

    def merged(self, x, axis):
        return self.add(Merged(axis, operands=(x,)))

    def split(self, x, axis, extent, whole=False):
        return self.add(Split(axis, whole, operands=(x, self.integer(extent))))

    def flatten(self, x):
        if not self.shape(x):
            return self.with_axis(x, 0)
        while x is not None and len(self.shape(x)) > 1:
            axis = 0 if self.random.random() < 0.7 else self.random.randrange(len(self.shape(x)) - 1)
            x = self.merged(x, axis)
        return x

    def reshape(self, x, shape, unknown):
        """`unknown` is the axis whose extent the graph finds, or None."""
        made = self.flatten(x)
        for axis in range(len(shape) - 1, 0, -1):
            extent = self.integer(shape[axis])
            if axis == unknown:
                others = self.integer(shape[0])
                for before in shape[1:axis]:
                    others = self.integers.apply("multiply", others, self.integer(before))
                if made is not None:
                    extent = self.integers.apply("floor_divide", self.extent_of(made, 0), others)
            made = self.add(Split(0, False, operands=(made, extent)))
        if not shape:
            made = None if made is None else self.add(Split(0, True, operands=(made, self.integer(1))))
            return self.add(View(("i:0",), operands=(made,)))
        return made if unknown == 0 else self.split(made, 0, shape[0], True)
