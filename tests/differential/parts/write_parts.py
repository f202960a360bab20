"""Writes what sinter/dsl/parts.hpp has as the parts of a graph: pads, rolls, tiles, reshapes and others."""

import dataclasses

from ..element_types import NAMES
from ..program import (
    Cast,
    Concatenate,
    Coordinate,
    Diagonal,
    Extended,
    Extent,
    Gather,
    Literal,
    Merged,
    Split,
    View,
    Window,
)
from .draw_integers import Integers

NEW, ALL = "n", "s:_:_:_"
LEAST = -(2**63)


@dataclasses.dataclass(frozen=True)
class NamedPart:
    """A function of the C++ front end: `text` has its operands as {0}, {1} and so on."""

    function: str
    operands: tuple
    text: str

    def renumber(self, order):
        return dataclasses.replace(self, operands=tuple(order[operand] for operand in self.operands))


def places(operands):
    return ", ".join(f"{{{position}}}" for position in range(len(operands)))


class PartWriter:
    """Adds parts to a drawer's program. As of Writer, methods return None where an operand is None, or where the oracle
    refuses a node. Where the drawer wants the names of values (cpp_forms/), the functions that make them are named.
    """

    def __init__(self, drawer):
        self.drawer, self.random = drawer, drawer.random
        self.integers = Integers(drawer)
        self.has_names = hasattr(drawer, "named")

    def name(self, result, function, operands, text=None):
        """Names a result, and returns it."""
        if self.has_names and result is not None and result not in operands:
            text = text or f"{function}({places(operands)})"
            self.drawer.named.setdefault(result, NamedPart(function, tuple(operands), text))
        return result

    def name_pad(self, result, axis, operands, boundary):
        text = f"pad({{0}}, {self.axis_text(operands[0], axis)}, {{1}}, {{2}}, {boundary})"
        return self.name(result, "pad", operands, text)

    def axis_text(self, x, axis):
        return f"axis<{axis - len(self.shape(x)) if self.random.random() < 0.3 else axis}>"

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

    def gather(self, x, index, axis, rule):
        return None if x is None or index is None else self.add(Gather(axis, rule, operands=(x, index)))

    def pad(self, x, axis, before, after, rule):
        """Half of the time as the functions of the front end write it."""
        if x is None:
            return None
        if self.random.random() < 0.5 and not self.has_names:
            whole = self.shape(x)[axis] + before + after
            return self.extended(x, axis, rule, self.integer(-before), self.integer(whole))
        before, after = self.integer(before), self.integer(after)
        apply = self.integers.apply
        whole = apply("add", apply("add", self.add(Extent(axis, operands=(x,))), before), after)
        made = self.extended(x, axis, rule, apply("negative", before), whole)
        return self.name_pad(made, axis, (x, before, after), f"boundary::{rule}")

    def pad_constant(self, x, axis, before, after, element):
        """`element` is a value of rank 0 and the type of x."""
        if element is None or x is None:
            return None
        counts = [self.integer(count) for count in (before, after)]
        sides = [self.filled(element, x, axis, count) for count in counts]
        made = self.concatenate([sides[0], x, sides[1]], axis)
        return self.name_pad(made, axis, (x, *counts, element), "boundary::constant({3})")

    def filled(self, element, x, axis, count):
        """An element in the shape of x, but for the extent of an axis, which is a node."""
        if element is None or x is None:
            return None
        extents = [
            count if other == axis else self.extent_of(x, other) for other in range(len(self.shape(x)))
        ]
        made = one = self.add(View((NEW,) * len(extents), operands=(element,)))
        for other, extent in enumerate(extents):
            made = self.broadcast(made, other, extent)
        return self.name(made, "broadcast_to", (one, *extents))

    def zero(self, x):
        """0 in the type of x."""
        name = NAMES[self.drawer.values[x].dtype]
        return self.add(Cast(name, operands=(self.drawer.add(Literal("bool", False, False)),)))

    def element(self, x):
        """A number of the type of x."""
        if self.random.random() < 0.3:
            return self.zero(x)
        name = NAMES[self.drawer.values[x].dtype]
        number = self.drawer.add(Literal("int64", self.random.choice([0, 1, 2, 3, 7]), True))
        return self.add(Cast(name, operands=(number,)))

    def broadcast(self, x, axis, extent):
        return self.extended(x, axis, "broadcast", self.drawer.add(Literal("int64", 0, True)), extent)

    def broadcast_to(self, x, shape):
        made, extents = x, [self.integer(extent) for extent in shape]
        while made is not None and len(self.shape(made)) < len(shape):
            made = self.with_axis(made, 0)
        for axis, extent in enumerate(shape):
            is_needed = made is not None and self.shape(made)[axis] != extent
            if is_needed or self.has_names or self.random.random() < 0.3:
                made = self.broadcast(made, axis, extents[axis])
        return self.name(made, "broadcast_to", (x, *extents))

    def with_axis(self, x, axis):
        return self.add(View((ALL,) * axis + (NEW,), operands=(x,)))

    def roll(self, x, axis, distance):
        if self.random.random() < 0.5 and distance != LEAST and not self.has_names:
            return self.extended(x, axis, "wrap", self.integer(-distance), self.extent_of(x, axis))
        distance, extent = self.integer(distance), self.add(Extent(axis, operands=(x,)))
        first = self.integers.apply("negative", self.integers.apply("remainder", distance, extent))
        made = self.extended(x, axis, "wrap", first, extent)
        return self.name(made, "roll", (x, distance), f"roll({{0}}, {{1}}, {self.axis_text(x, axis)})")

    def repeat_elements(self, x, axis, count):
        count = self.integer(count)
        return self.extended(x, axis, "repeat", count, count)

    def tile(self, x, counts):
        made, nodes = x, [self.integer(count) for count in counts]
        for axis, count in enumerate(counts):
            if made is not None and (count != 1 or self.has_names or self.random.random() < 0.3):
                extent = self.integers.apply("multiply", self.extent_of(made, axis), nodes[axis])
                made = self.extended(made, axis, "wrap", self.drawer.add(Literal("int64", 0, True)), extent)
        return self.name(made, "tile", (x, *nodes))

    def concatenate(self, arrays, axis):
        made = self.one_after_the_other(arrays, axis)
        return self.name(made, "concatenate", arrays, f"concatenate<{axis}>({places(arrays)})")

    def one_after_the_other(self, arrays, axis):
        """From the first to the last, or in another order of the pairs."""
        arrays = list(arrays)
        while len(arrays) > 1:
            first = 0 if self.random.random() < 0.7 else self.random.randrange(len(arrays) - 1)
            arrays[first : first + 2] = [
                self.add(Concatenate(axis, operands=tuple(arrays[first : first + 2])))
            ]
        return arrays[0]

    def stack(self, arrays, axis):
        made = self.one_after_the_other([self.with_axis(x, axis) for x in arrays], axis)
        return self.name(made, "stack", arrays, f"stack<{axis}>({places(arrays)})")

    def window(self, x, axis, extent):
        return self.add(Window(axis, operands=(x, self.integer(extent))))

    def diagonal(self, x, axis, second_axis, offset):
        return self.add(Diagonal(axis, second_axis, operands=(x, self.integer(offset))))

    def triangle(self, x, offset, is_lower):
        """NumPy's tril or triu; in place of 0 also other numbers."""
        offset = self.integer(offset)
        other = self.zero(x) if self.has_names else self.element(x)
        made = self.where_diagonals(x, "less_equal" if is_lower else "greater_equal", offset, other)
        return self.name(made, "tril" if is_lower else "triu", (x, offset))

    def where_diagonals(self, x, operation, offset, other):
        """Elements where column - row and the offset compare."""
        rank = len(self.shape(x))
        row, column = (self.add(Coordinate(axis, operands=(x,))) for axis in (rank - 2, rank - 1))
        chosen = self.drawer.apply(operation, self.drawer.apply("subtract", column, row), offset)
        return self.drawer.apply("where", chosen, x, other)

    def diagonal_matrix(self, x, offset):
        """NumPy's diag of a vector."""
        zero, apply = self.zero(x), self.integers.apply
        offset, none = self.integer(offset), self.drawer.add(Literal("int64", 0, True))
        counts = [apply("maximum", apply("negative", offset), none), apply("maximum", offset, none)]
        sides = [self.filled(zero, x, 0, count) for count in counts]
        rows = self.one_after_the_other([sides[0], x, sides[1]], 0)
        if rows is None:
            return None
        square = self.broadcast(self.with_axis(rows, 1), 1, self.extent_of(rows, 0))
        made = None if square is None else self.where_diagonals(square, "equal", offset, zero)
        return self.name(made, "diag", (x, offset))

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

    def squeeze(self, x, axes):
        """Without axes of one element."""
        made, items = x, [ALL] * len(self.shape(x))
        for axis in axes:
            one = self.drawer.add(Literal("int64", 1, True))
            made, items[axis] = self.add(Split(axis, True, operands=(made, one))), "i:0"
        made = self.add(View(tuple(items), operands=(made,)))
        return self.name(made, "squeeze", (x,), f"squeeze({{0}}, axis<{', '.join(map(str, axes))}>)")

    def select(self, choices, otherwise):
        """`choices` are pairs of a condition and a value."""
        made = otherwise
        for condition, value in reversed(choices):
            made = self.drawer.apply("where", condition, value, made)
        return self.name(made, "select", [each for choice in choices for each in choice] + [otherwise])

    def reshape(self, x, shape, unknown):
        """`unknown` is the axis whose extent the graph finds, or None."""
        extents = [None if axis == unknown else self.integer(extent) for axis, extent in enumerate(shape)]
        made = self.flatten(x)
        for axis in range(len(shape) - 1, 0, -1):
            extent = self.found_extent(made, extents[:axis]) if axis == unknown else extents[axis]
            made = self.add(Split(0, False, operands=(made, extent)))
        if not shape:
            made = self.add(Split(0, True, operands=(made, self.integer(1))))
            return self.add(View(("i:0",), operands=(made,)))
        if unknown != 0:
            made = self.add(Split(0, True, operands=(made, extents[0])))
        return self.name_reshape(made, x, extents)

    def found_extent(self, made, others):
        """What the other extents leave of the first axis."""
        if made is None:
            return None
        product = others[0]
        for extent in others[1:]:
            product = self.integers.apply("multiply", product, extent)
        return self.integers.apply("floor_divide", self.add(Extent(0, operands=(made,))), product)

    def name_reshape(self, made, x, extents):
        known = [extent for extent in extents if extent is not None]
        numbers = iter(range(1, len(known) + 1))
        listed = ["-1" if extent is None else f"{{{next(numbers)}}}" for extent in extents]
        return self.name(made, "reshape", (x, *known), f"reshape({', '.join(['{0}', *listed])})")
