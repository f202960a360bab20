"""Draws arrays of given shapes, elementwise chains on them, and what is along chosen axes, for programs that have a
subject."""

import numpy as np

from .draw_compositions import draw_composition
from .draw_data import draw_data
from .draw_layouts import draw_layout
from .element_types import DTYPES, kind
from .oracle.operation_table import ARITY
from .profiles import OPERATIONS, REDUCTIONS, SCANS, STRUCTURE_OPERATIONS
from .program import Cast, Input, Literal, Reduce, Scan, View


class Writer:
    """Adds nodes to a drawer's program. Methods return None where an operand is None or where the oracle refuses the
    node; `chain` leaves out what is refused."""

    def __init__(self, drawer):
        self.drawer, self.random = drawer, drawer.random

    def type(self, preferred=()):
        """The name of an element type of the program's profile; half of the time a preferred one, if it has one."""
        names = [name for name in preferred if name in self.drawer.types]
        return self.random.choice(names if names and self.random.random() < 0.5 else self.drawer.types)

    def array(self, shape, name=None, contiguous=0.75, order=None):
        """An input; `order` lists its axes from the outermost in memory to the innermost."""
        data = draw_data(self.random, DTYPES[name or self.type()], list(shape))
        if order is not None:
            data = np.transpose(np.transpose(data, order).copy(), np.argsort(order))
        elif self.random.random() >= contiguous:
            data = draw_layout(self.random, data)
        return self.drawer.add(Input(data))

    def apply(self, operation, *operands):
        return self.drawer.apply(operation, *operands)

    def view(self, value, *items):
        return None if value is None else self.drawer.add(View(tuple(items), operands=(value,)))

    def cast(self, value, name):
        return None if value is None else self.drawer.add(Cast(name, operands=(value,)))

    def reduce(self, value, axes, keep, operations=REDUCTIONS):
        if value is None:
            return None
        return self.drawer.add(Reduce(self.random.choice(operations), axes, keep, operands=(value,)))

    def scan(self, value, axis):
        if value is None:
            return None
        return self.drawer.add(Scan(self.random.choice(SCANS), axis, operands=(value,)))

    def number(self, like, whole, floating):
        """A weak number beside a value: one of `whole` beside integers and in the profile of integers."""
        if kind(self.drawer.values[like].dtype) in "biu" or self.drawer.profile == "int":
            return self.drawer.add(Literal("int64", self.random.choice(whole), True))
        return self.drawer.add(Literal("float64", self.random.choice(floating), True))

    def shape(self, value):
        return self.drawer.values[value].array.shape

    def step(self, value, others=()):
        draw = self.random
        names = STRUCTURE_OPERATIONS[self.drawer.profile]
        if not self.drawer.structure and draw.random() < 0.35:
            names = OPERATIONS[self.drawer.profile]
        operation = draw.choice(names)
        operands = [value]
        while len(operands) < ARITY[operation]:
            other = draw.choice(others) if others and draw.random() < 0.6 else None
            operands.append(self.drawer.scalar(value) if other is None else other)
        if draw.random() < 0.3:
            draw.shuffle(operands)
        return self.apply(operation, *operands)

    def chain(self, value, max_length, others=()):
        """Up to `max_length` elementwise operations on a value; the others broadcast with it."""
        if value is None:
            return None
        for _ in range(self.random.randrange(max_length + 1)):
            made = self.step(value, others)
            value = value if made is None else made
        return value

    def beside(self, first, second, operations=None):
        """A cheap operation on two values."""
        operations = operations or STRUCTURE_OPERATIONS[self.drawer.profile]
        return self.apply(self.random.choice(operations), first, second)

    def together(self, values):
        """Cheap operations on all of these values, one after the other; None if there are none."""
        value = values[0] if values else None
        for other in values[1:]:
            made = self.beside(value, other)
            value = value if made is None else made
        return value

    def along(self, value, axis):
        """A reduction, a scan or a composition along one axis, which meets the elements again where it may."""
        draw, chance = self.random, self.random.random()
        if value is None:
            return None
        if chance < 0.2:
            return self.scan(value, axis)
        if chance < 0.4:
            return draw_composition(self.drawer, value, 1 << axis)
        keep = draw.random() < 0.5
        reduced = self.chain(self.reduce(value, 1 << axis, keep), 2)
        if reduced is None or draw.random() < 0.45:
            return reduced
        if not keep:
            rank = len(self.shape(value))
            reduced = self.view(reduced, *["n" if other == axis else "s:_:_:_" for other in range(rank)])
        return self.chain(self.beside(value, reduced), 1)
