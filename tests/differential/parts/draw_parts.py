"""Draws programs that put arrays together and take them apart, of inputs and of computed values, and compute with what
that gives."""

import math

import numpy as np

from ..draw_chains import Writer
from ..element_types import DTYPES, NAMES
from ..profiles import SCANS, STRUCTURE_OPERATIONS
from ..program import Coordinate, Extent, Literal, Reduce, Scan
from .draw_named_gathers import draw_named_gather
from .draw_refused import draw_refused
from .write_parts import ALL, PartWriter

EXTENTS = [1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65]
LONG_EXTENTS = [100, 257, 1000, 1024, 2047, 4097, 5000]
ELEMENTS = [60, 600, 3000, 12_000, 12_000, 40_000]
RULES = ["edge", "reflect", "wrap"]
STEPS = ["1:_:_", "_:-1:_", "_:_:2", "_:_:-1", "_:_:-2", "1:-1:_", "_:_:3", "-2:_:_", "_:3:_"]
FAR = [2**63 - 1, -(2**63), 2**40, -(2**40)]
MAX_RANK = 5


def draw_shape(draw, elements):
    rank = draw.choices(range(MAX_RANK + 1), [1, 6, 7, 5, 3, 1])[0]
    shape = [draw.choice(EXTENTS) for _ in range(rank)]
    if rank and draw.random() < 0.25:
        shape[draw.randrange(rank)] = draw.choice(LONG_EXTENTS)
    if rank and draw.random() < 0.07:
        shape[draw.randrange(rank)] = 0
    while math.prod(shape) > elements:
        shape[shape.index(max(shape))] = draw.choice([1, 2, 3, 5, 8])
    return shape


def draw_factors(draw, total, rank):
    """A shape of some rank with as many elements."""
    shape, left = [1] * rank, total
    for factor in range(2, int(total**0.5) + 1):
        while left % factor == 0:
            shape[draw.randrange(rank)] *= factor
            left //= factor
    if left > 1:
        shape[draw.randrange(rank)] *= left
    return shape


class Parts:
    """Steps return the number of a value, or None."""

    def __init__(self, drawer, elements):
        self.drawer, self.random = drawer, drawer.random
        self.writer, self.parts = Writer(drawer), PartWriter(drawer)
        self.elements = elements
        self.values = []

    def shape(self, number):
        return self.drawer.values[number].array.shape

    def keep(self, number):
        if number is not None and not self.drawer.values[number].weak:
            self.values.append(number)
        return number

    def pick(self):
        """A value, more likely a late one."""
        return self.values[-1 - min(int(self.random.expovariate(0.5)), len(self.values) - 1)]

    # Sources

    def array(self, shape, name=None):
        return self.writer.array(shape, name, contiguous=0.4)

    def source(self):
        """An input, or what is computed from one."""
        draw, writer = self.random, self.writer
        x, chance = self.array(draw_shape(draw, self.elements)), draw.random()
        if x is None or chance < 0.5:
            return x
        if chance < 0.7:
            return writer.chain(x, 2)
        return self.view(x) if chance < 0.8 else self.along(x)

    def along(self, x):
        """A reduction or a scan."""
        rank = len(self.shape(x))
        if rank and self.random.random() < 0.4:
            return self.writer.scan(x, self.random.randrange(rank))
        axes = self.random.getrandbits(rank) if rank else 0
        return self.writer.reduce(x, axes, self.random.random() < 0.5)

    # Steps

    def axis(self, x):
        """An axis, mostly one that has elements."""
        axes = [axis for axis, extent in enumerate(self.shape(x)) if extent] or range(len(self.shape(x)))
        return self.random.choice(list(axes)) if axes else None

    def width(self, extent):
        """How far a pad goes: up to two times the axis, mostly less."""
        draw = self.random
        return draw.choice([0, 0, 1, 1, 2, 3, extent, draw.randrange(2 * extent + 1)])

    def pad(self, x):
        rule = self.random.choice(RULES)
        for axis in self.some_axes(x):
            extent = self.shape(x)[axis]
            made = self.parts.pad(x, axis, self.width(extent), self.width(extent), rule)
            x = x if made is None else made
            if self.random.random() < 0.3:
                rule = self.random.choice(RULES)
        return x

    def some_axes(self, x):
        rank = len(self.shape(x))
        return sorted(self.random.sample(range(rank), self.random.randrange(1, rank + 1))) if rank else []

    def pad_constant(self, x):
        element = self.element(x)
        for axis in self.some_axes(x):
            widths = [self.width(self.shape(x)[axis]) for _ in range(2)]
            made = self.parts.pad_constant(x, axis, *widths, element)
            x = x if made is None else made
        return x

    def element(self, x):
        """A number of the type of x, or what all of its elements give."""
        if self.random.random() < 0.7:
            return self.parts.element(x)
        rank = len(self.shape(x))
        reduced = self.writer.reduce(x, (1 << rank) - 1, False)
        return self.writer.cast(reduced, NAMES[self.drawer.values[x].dtype])

    def go_on(self, x):
        """Any positions of an axis that goes on."""
        draw, axis = self.random, self.axis(x)
        if axis is None or self.parts.has_names:  # no function does this
            return None
        extent = self.shape(x)[axis]
        first = draw.choice(
            [0, 1, -1, draw.randrange(-2 * extent - 2, 2 * extent + 3), draw.choice([-100, 100])]
        )
        if draw.random() < 0.04:
            first = draw.choice(FAR)
        rule, integer = draw.choice(RULES), self.parts.integer
        return self.parts.extended(x, axis, rule, integer(first), integer(draw.randrange(0, 2 * extent + 3)))

    def roll(self, x):
        draw = self.random
        for axis in self.some_axes(x)[: draw.choice([1, 1, 2])]:
            extent = self.shape(x)[axis]
            distance = draw.choice([1, -1, 2, extent, draw.randrange(-2 * extent - 1, 2 * extent + 2)])
            if draw.random() < 0.06:
                distance = draw.choice(FAR)
            made = self.parts.roll(x, axis, distance)
            x = x if made is None else made
        return x

    def neighbours(self, x):
        """An element beside those around it, by rolls, or by slices of a pad."""
        draw, axis = self.random, self.axis(x)
        if axis is None:
            return None
        if draw.random() < 0.5:
            shifted = [self.parts.roll(x, axis, distance) for distance in draw.sample([-2, -1, 1, 2], 2)]
        else:
            padded = self.parts.pad(x, axis, 1, 1, draw.choice(RULES))
            shifted = [self.writer.view(padded, *[ALL] * axis, bounds) for bounds in ("s:_:-2:_", "s:2:_:_")]
        return self.writer.together([x, *[each for each in shifted if each is not None]])

    def tile(self, x):
        counts = [
            self.random.choice([1, 1, 2, 3, 0] if axis else [1, 2, 3]) for axis in range(len(self.shape(x)))
        ]
        return self.parts.tile(x, counts)

    def repeat_elements(self, x):
        axis = self.axis(x)
        count = self.random.choice([0, 1, 2, 2, 3, 3, 5, 16])
        return None if axis is None else self.parts.repeat_elements(x, axis, count)

    def concatenate(self, x):
        axis = self.axis(x)
        if axis is None:
            return None
        others = [self.beside(x, axis) for _ in range(self.random.randrange(1, 5))]
        arrays = [x] + [other for other in others if other is not None]
        self.random.shuffle(arrays)
        return self.parts.concatenate(arrays, axis)

    def beside(self, x, axis):
        """An array that differs from another along an axis alone."""
        draw, shape, chance = self.random, list(self.shape(x)), self.random.random()
        if chance < 0.15:
            return x
        if chance < 0.35:
            return self.writer.view(x, *[ALL] * axis, f"s:{draw.choice(STEPS)}")
        if chance < 0.5:
            return self.writer.chain(x, 2)
        if chance < 0.6:
            return self.parts.filled(self.element(x), x, axis, self.parts.integer(draw.choice([0, 1, 2, 3])))
        if chance < 0.7:
            return self.writer.scan(x, axis)
        shape[axis] = draw.choice([0, 1, 2, 3, shape[axis], draw.choice(EXTENTS)])
        other = self.array(shape, NAMES[self.drawer.values[x].dtype] if draw.random() < 0.5 else None)
        return self.writer.chain(other, 2) if draw.random() < 0.4 else other

    def stack(self, x):
        rank = len(self.shape(x))
        if rank >= MAX_RANK:
            return None
        arrays = [x]
        for _ in range(self.random.randrange(1, 4)):
            chance = self.random.random()
            other = (
                x if chance < 0.2 else self.array(self.shape(x)) if chance < 0.6 else self.writer.chain(x, 2)
            )
            arrays += [] if other is None else [other]
        return self.parts.stack(arrays, self.random.randrange(rank + 1))

    def window(self, x):
        """Windows along one or two axes, most of them reduced."""
        draw = self.random
        for axis in self.some_axes(x)[: draw.choice([1, 1, 2])]:
            extent = self.shape(x)[axis]
            longest = [1, 2, 3, 3, 4, 5, 7, extent]
            made = self.parts.window(
                x, axis, draw.choice([each for each in longest if each <= extent] or [1])
            )
            x = x if made is None else made
        rank = len(self.shape(x))
        if draw.random() < 0.7 and rank:
            reduced = self.writer.reduce(self.writer.chain(x, 1), 1 << (rank - 1), draw.random() < 0.2)
            x = x if reduced is None else reduced
        return x

    def gather(self, x):
        """Elements at drawn or computed indices; those that are out of range are not used."""
        draw, axis = self.random, self.axis(x)
        if axis is None or not self.shape(x)[axis]:
            return None
        if self.parts.has_names and draw.random() < 0.6:
            return draw_named_gather(self, x)
        shape = [draw.choice([extent, extent, extent, 1]) for extent in self.shape(x)]
        shape[axis] = draw.choice([1, 2, shape[axis], draw.choice(EXTENTS)])
        if draw.random() < 0.04:
            shape[axis] = 0
        if math.prod(shape) > self.elements:
            return None
        index = self.indices(shape)
        rule = draw.choice(["checked", "checked", "wrap", "clip"])
        if rule != "checked" or index is None:
            return self.parts.gather(x, index, axis, rule)
        length = self.drawer.add(Extent(axis, operands=(x,)))  # not a number: programs run with other extents, too
        if draw.random() < 0.5:
            return self.guarded(x, index, axis, length)
        return self.parts.gather(x, self.in_range(index, length), axis, rule)

    def indices(self, shape):
        """Integers of any type, most of them far beyond every axis, some computed."""
        name = self.random.choice(["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
        return self.array(shape, name)

    def in_range(self, index, length):
        """Modulo the axis, and half of the time from its end: from -n to -1."""
        apply = self.writer.apply
        index = apply("remainder", self.writer.cast(index, "int64"), length)
        return apply("subtract", index, length) if self.random.random() < 0.5 else index

    def guarded(self, x, index, axis, length):
        """Elements beside others where the index is out of range, through a chain or a where of its own."""
        apply = self.writer.apply
        index = self.writer.cast(index, "int64")
        inside = apply("less", index, length)
        inside = apply("logical_and", inside, apply("greater_equal", index, self.drawer.add(Literal("int64", 0, True))))
        made = self.parts.gather(x, index, axis, "guarded")
        if made is None:
            return None
        if self.random.random() < 0.65:
            return self.combined(made, self.broadcast(inside, made))
        twice = apply("add", made, made)
        self.drawer.hidden.update({made, twice})  # what is out of range is used nowhere else
        if self.random.random() < 0.5:
            return apply("where", inside, made, self.parts.zero(x))
        return apply("where", apply("logical_not", inside), self.parts.zero(x), twice)

    def broadcast(self, condition, like):
        """A condition in the shape of a value whose elements may not be used."""
        positions = self.drawer.add(Coordinate(0, operands=(like,)))
        is_there = self.writer.apply("greater_equal", positions, self.drawer.add(Literal("int64", 0, True)))
        return self.writer.apply("logical_and", condition, is_there)

    def combined(self, made, inside):
        """Elements, a reduction or a scan of them, where rows, or what is before an element, have no index out of range:
        only a loop finds that."""
        draw, writer, apply = self.random, self.writer, self.writer.apply
        self.drawer.hidden.add(made)
        axis = draw.randrange(len(self.shape(made)))
        use = draw.choice(["reduction", "reduction", "kept", "elements", "scan", "row"])
        if use == "scan":
            made = self.drawer.add(Scan(draw.choice(SCANS), axis, operands=(made,)))
            inside = self.drawer.add(Scan("cummin", axis, operands=(inside,)))
        else:
            keeps = use != "reduction"
            inside = self.drawer.add(Reduce("all", 1 << axis, keeps, operands=(inside,)))
            if use != "elements":
                made = writer.reduce(made, 1 << axis, keeps)
        if made is None or inside is None:
            return None
        self.drawer.hidden.add(made)
        if use == "row":  # stored, then read along the row
            made = apply("multiply", made, made)
            self.drawer.hidden.add(made)
        return apply("where", inside, made, self.parts.zero(made))

    def diagonal(self, x):
        rank = len(self.shape(x))
        if rank < 2:
            return self.diagonal_matrix(x) if rank == 1 else None
        axes = self.random.sample(range(rank), 2)
        return self.parts.diagonal(x, *axes, self.offset(x, *axes))

    def offset(self, x, row, column):
        rows, columns = self.shape(x)[row], self.shape(x)[column]
        return self.random.choice([0, 0, 1, -1, self.random.randrange(-rows - 1, columns + 2)])

    def triangle(self, x):
        rank = len(self.shape(x))
        if rank < 2:
            return None
        return self.parts.triangle(x, self.offset(x, rank - 2, rank - 1), self.random.random() < 0.5)

    def diagonal_matrix(self, x):
        if self.shape(x)[0] > 120:
            return None
        return self.parts.diagonal_matrix(x, self.random.choice([0, 0, 1, -1, 3, -2]))

    def reshape(self, x):
        draw, total = self.random, math.prod(self.shape(x))
        if draw.random() < 0.25:
            return self.parts.flatten(x)
        rank = draw.choices(range(MAX_RANK + 1), [0 if total != 1 else 1, 4, 6, 5, 2, 1])[0]
        shape = draw_factors(draw, total, rank) if total else [0, *[draw.choice([0, 1, 2, 3])] * rank][:rank]
        may_be_unknown = rank and 0 not in shape
        unknown = draw.randrange(rank) if may_be_unknown and draw.random() < 0.35 else None
        return self.parts.reshape(x, shape, unknown)

    def squeeze(self, x):
        axes = [axis for axis, extent in enumerate(self.shape(x)) if extent == 1]
        if not axes:
            return None
        return self.parts.squeeze(
            x, sorted(self.random.sample(axes, self.random.randrange(1, len(axes) + 1)))
        )

    def select(self, x):
        """Values of the same shape, each where its condition is the first that holds."""
        draw, shape = self.random, self.shape(x)
        others = [x] + [other for other in self.values if self.shape(other) == shape]
        choices = []
        for _ in range(draw.choice([1, 2, 2, 3])):
            condition = self.writer.beside(
                x, self.drawer.scalar(x), ["less", "greater", "equal", "not_equal"]
            )
            if condition is not None:
                choices.append((condition, self.writer.chain(draw.choice(others), 1)))
        return self.parts.select(choices, draw.choice(others)) if choices else None

    def rearrange(self, x):
        """Axes split and merged one at a time."""
        draw = self.random
        for _ in range(draw.choice([1, 2, 2, 3])):
            rank, axis = len(self.shape(x)), self.axis(x)
            if axis is None:
                break
            if axis + 1 < rank and draw.random() < 0.5:
                made = self.parts.merged(x, axis)
            elif draw.random() < 0.15:
                made = self.parts.split(x, axis, self.shape(x)[axis], True)
            elif rank < MAX_RANK:
                has = self.shape(x)[axis]
                divisors = [each for each in range(1, min(has, 64) + 1) if has % each == 0] or [1, 2, 0]
                made = self.parts.split(x, axis, draw.choice([*divisors, has]))
            else:
                made = self.permuted(x)
            x = x if made is None else made
        return x

    def broadcast_to(self, x):
        """Axes in front, and more elements along those of one."""
        draw = self.random
        shape = [extent if extent != 1 else draw.choice([1, 0, 2, 3, 16]) for extent in self.shape(x)]
        is_same = shape == list(self.shape(x))
        count = draw.randrange(int(is_same), max(MAX_RANK - len(shape), 1) + 1)
        before = [draw.choice([1, 2, 2, 3, 5, 0]) for _ in range(count)]
        return self.parts.broadcast_to(x, before + shape)

    def permuted(self, x):
        rank = len(self.shape(x))
        return self.writer.view(x, *[f"p:{axis}" for axis in self.random.sample(range(rank), rank)])

    def view(self, x):
        """Slices with steps, indices and new axes, or another order of the axes."""
        draw, items = self.random, []
        if len(self.shape(x)) > 1 and draw.random() < 0.35:
            return self.permuted(x)
        for extent in self.shape(x):
            items += ["n"] if draw.random() < 0.1 and len(self.shape(x)) < MAX_RANK else []
            chance = draw.random()
            if chance < 0.12 and extent:
                items.append(f"i:{draw.randrange(-extent, extent)}")
            else:
                items.append(ALL if chance < 0.5 else f"s:{draw.choice(STEPS)}")
        return self.writer.view(x, *items)

    def together(self, x):
        """Beside another value that broadcasts with it."""
        fitting = [other for other in self.values if self.broadcasts(x, other)]
        if not fitting:
            return None
        operands = [x, self.random.choice(fitting)]
        self.random.shuffle(operands)
        return self.writer.beside(*operands)

    def broadcasts(self, first, second):
        try:
            return math.prod(np.broadcast_shapes(self.shape(first), self.shape(second))) <= self.elements
        except ValueError:
            return False

    def chain(self, x):
        return self.writer.chain(x, 3)

    def cast(self, x):
        return self.writer.cast(x, self.writer.type())

    def part(self, x):
        return self.random.choice(PARTS)(self, x)

    def step(self):
        step = self.random.choices(STEP_KINDS, STEP_WEIGHTS)[0]
        return self.keep(step(self, self.pick()))


PARTS = (
    [Parts.pad] * 4
    + [Parts.concatenate] * 4
    + [Parts.reshape] * 4
    + [Parts.pad_constant, Parts.roll, Parts.neighbours, Parts.stack, Parts.window, Parts.rearrange] * 2
    + [Parts.gather] * 6
    + [Parts.go_on, Parts.tile, Parts.repeat_elements, Parts.diagonal, Parts.triangle, Parts.broadcast_to]
    + [Parts.squeeze, Parts.select]
)
STEP_KINDS = [Parts.part, Parts.chain, Parts.along, Parts.view, Parts.together, Parts.cast]
STEP_WEIGHTS = [55, 15, 10, 10, 8, 2]


def draw_parts(drawer):
    draw = drawer.random
    elements = draw.choice(ELEMENTS)
    drawer.max_elements = 4 * elements
    drawer.target_share = 0.3
    parts = Parts(drawer, elements)
    for _ in range(draw.choice([1, 1, 2, 2, 3])):
        parts.keep(parts.source())
    if not parts.values:
        return
    for _ in range(draw.choice([1, 1, 1, 2])):
        parts.keep(parts.part(parts.pick()))
    for _ in range(draw.choice([0, 1, 2, 3, 4, 6, 8])):
        parts.step()
    if draw.random() < 0.06 and not parts.parts.has_names:
        drawer.refused = draw_refused(parts)


def draw_some_parts(drawer):
    """A part or two of what another subject made."""
    parts = Parts(drawer, drawer.max_elements)
    parts.values = [number for number in drawer.arrays() if not drawer.values[number].weak]
    for _ in range(drawer.random.choice([1, 1, 2])):
        if drawer.random.random() < 0.7:
            parts.writer.chain(parts.keep(parts.part(parts.pick())), 2)
        else:
            parts.step()
