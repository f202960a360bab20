"""Draws programs that sort: positions and elements in order, keys with values, the largest elements, medians, quantiles and
distinct elements."""

import math

import numpy as np

from ..draw_chains import Writer
from ..draw_data import draw_data
from ..draw_layouts import draw_layout
from ..element_types import BOOL, DTYPES, is_complex, kind, part_of, to_floating
from ..program import Gather, Input, Literal, Order, Parameter
from .write_parts import ALL

EXTENTS = [0, 1, 1, 2, 2, 3, 4, 5, 8, 15, 16, 17, 31, 33, 64, 100, 257, 1000, 4097, 10_000]
OTHERS = [0, 1, 1, 2, 2, 3, 4, 7, 16, 33]
# Rows that the CPU sorts in several runs, and many short rows.
LONG, MANY = [32_768, 32_769, 70_001], [(20_000, 3), (5_000, 17), (2, 40_000), (60_000, 1)]
MAX_ELEMENTS = 20_000
COUNTS = [1, 1, 2, 3, 3, 5, 8, 16, 31, 32]
FRACTIONS = [0.5, 0.25, 0.75, 0, 1, 0.0, 1.0, 0.1, 0.9, 1 / 3, 0.99, 0.001]
NO_FRACTIONS = [-0.1, 1.5, math.nan, -1, 2, math.inf, 1.0000001]


class Orders:
    """Methods return the number of a value, or None."""

    def __init__(self, drawer):
        self.drawer, self.random, self.writer = drawer, drawer.random, Writer(drawer)
        self.found = []
        self.is_named = hasattr(drawer, "named")  # the front end has no function for the first of equal elements

    def value(self, number):
        return self.drawer.values[number]

    def keep(self, number):
        if number is not None:
            self.found.append(number)
        return number

    def add(self, node):
        return None if None in node.operands else self.drawer.add(node)

    def input(self, data):
        return self.drawer.add(Input(draw_layout(self.random, data) if self.random.random() < 0.4 else data))

    def dtype(self, kinds="biuf"):
        names = [name for name in self.drawer.types if kind(DTYPES[name]) in kinds]
        return DTYPES[self.random.choice(names or ["float32"])]

    # Elements

    def special(self, dtype, count):
        """Few numbers, both zeros, infinities, and NaN of either sign."""
        if kind(dtype) != "f":
            return draw_data(self.random, dtype, [count])
        numbers = [0.0, -0.0, np.inf, -np.inf, 1.0, -1.0, np.nan, -np.nan]
        few = self.random.sample(numbers, self.random.randrange(1, len(numbers) + 1))
        signs = np.array([math.copysign(1, number) for number in few])
        chosen = np.random.default_rng(self.random.getrandbits(64)).integers(0, len(few), count)
        array = to_floating(np.abs(np.array(few)), dtype)
        return np.where(signs < 0, -array, array).astype(dtype)[chosen]

    def data(self, dtype, shape):
        """Elements as others, ties, special numbers, and rows that are in order, in the opposite one, or all equal. Parts of
        complex numbers are drawn apart."""
        draw, count = self.random, math.prod(shape)
        if is_complex(dtype):
            parts = np.empty(shape, dtype)
            parts.real, parts.imag = (self.data(part_of(dtype), shape) for _ in range(2))
            return parts
        chance, generator = draw.random(), np.random.default_rng(draw.getrandbits(64))
        if dtype != BOOL and chance < 0.3:
            data = generator.integers(0, draw.choice([1, 2, 5, 100]), count).astype(dtype)
        elif chance < 0.5:
            data = self.special(dtype, count)
        else:
            data = draw_data(draw, dtype, [count])
        chance = draw.random()
        if chance < 0.2:
            data = data[np.argsort(data, kind="stable")][:: draw.choice([1, -1])]
        elif chance < 0.25 and count:
            data = np.repeat(data[:1], count)
        return np.ascontiguousarray(data).reshape(shape)

    def shape(self):
        draw = self.random
        if draw.random() < 0.06:
            return [draw.choice(LONG)] if draw.random() < 0.5 else list(draw.choice(MANY))
        shape = [draw.choice(OTHERS) for _ in range(draw.choice([1, 1, 1, 2, 2, 2, 3, 4]))]
        shape[draw.randrange(len(shape))] = draw.choice(EXTENTS)
        while math.prod(max(extent, 1) for extent in shape) > MAX_ELEMENTS:
            shape[shape.index(max(shape))] = draw.choice([2, 3, 5])
        return shape

    def is_sortable(self, number):
        value = self.value(number)
        return value.array.ndim > 0 and not value.weak and not is_complex(value.dtype)

    def array(self, kinds="biuf"):
        return self.input(self.data(self.dtype(kinds), self.shape()))

    def transposed(self, number):
        """A view of other axes, steps or directions."""
        draw, rank = self.random, self.value(number).array.ndim
        if draw.random() < 0.5:
            order = draw.sample(range(rank), rank)
            return self.writer.view(number, *[f"p:{axis}" for axis in order])
        return self.writer.view(number, *draw.choices([ALL, "s:_:_:-1", "s:1:_:_", "s:_:_:2", "n"], k=rank))

    def complex_elements(self):
        """Complex numbers as they are given: of what is computed, which part is NaN may be another one."""
        draw, number = self.random, self.array("c")
        if number is not None and draw.random() < 0.3:
            number = self.transposed(number)
        if number is None or not self.value(number).array.ndim:
            return None, 0
        return number, draw.randrange(self.value(number).array.ndim)

    def elements_of_any_type(self):
        """What is sorted, and an axis."""
        has_complex = any(is_complex(DTYPES[name]) for name in self.drawer.types)
        return self.complex_elements() if has_complex and self.random.random() < 0.6 else self.elements()

    def elements(self):
        """Real numbers that are sorted, and an axis."""
        draw = self.random
        others = [number for number in self.found if self.is_sortable(number)]
        number = draw.choice(others) if others and draw.random() < 0.35 else self.array()
        if number is not None and draw.random() < 0.3:
            number = self.writer.chain(number, 3)
        if number is not None and draw.random() < 0.2 and self.value(number).array.ndim:
            number = self.transposed(number)
        if number is None or not self.is_sortable(number):
            return None, 0
        rank = self.value(number).array.ndim
        return number, draw.choice([rank - 1, draw.randrange(rank)])

    def extent(self, number, axis):
        return self.value(number).array.shape[axis]

    # Calls

    def sort(self):
        x, axis = self.elements_of_any_type()
        return None if x is None else self.add(Order(self.random.choice(["sort", "argsort"]), axis, 0, operands=(x,)))

    def sort_values(self):
        """Keys with values of any type, or with what is made of the keys."""
        draw, (keys, axis) = self.random, self.elements_of_any_type()
        if keys is None:
            return None
        shape, chance = list(self.value(keys).array.shape), draw.random()
        if chance < 0.2:
            values = self.writer.chain(keys, 2)
        else:
            values = self.input(self.data(self.dtype("biufc") if chance < 0.3 else self.dtype(), shape))
        if values is None or self.value(values).weak or list(self.value(values).array.shape) != shape:
            return None
        return self.add(Order("sort_values", axis, 0, operands=(keys, values)))

    def top(self):
        """Elements, positions, or both of one array."""
        draw, (x, axis) = self.random, self.elements()
        if x is None or not self.extent(x, axis):
            return None
        count = min(draw.choice(COUNTS), self.extent(x, axis))
        elements, positions = (Order(name, axis, count, operands=(x,)) for name in ("top_elements", "top_positions"))
        if draw.random() < 0.3:
            self.keep(self.add(elements))
            return self.add(positions)
        return self.add(draw.choice([elements, positions]))

    def median(self):
        x, axis = self.elements()
        return None if x is None else self.add(Order("median", axis, 0, operands=(x,)))

    def fraction(self):
        return self.random.choice(FRACTIONS if self.random.random() < 0.85 else NO_FRACTIONS)

    def fractions(self):
        """A number of any kind, or an array of rank 1."""
        draw, chance = self.random, self.random.random()
        number = self.fraction()
        if chance < 0.45:
            is_whole = isinstance(number, int)
            name = "int64" if is_whole else "float64"
            return self.drawer.add((Literal if draw.random() < 0.7 else Parameter)(name, number, True))
        dtype = self.dtype("f")
        count = draw.choice([0, 1, 2, 3, 5])
        numbers = np.array([self.fraction() for _ in range(count)] if chance < 0.9 else number, np.float64)
        made = self.input(np.asarray(to_floating(numbers, dtype)))
        return self.writer.chain(made, 1) if made is not None and draw.random() < 0.1 else made

    def quantile(self):
        (x, axis), q = self.elements(), self.fractions()
        if x is None or q is None or self.value(q).array.ndim > 1:
            return None
        return self.add(Order("quantile", axis, 0, operands=(x, q)))

    def distinct(self):
        x, _ = self.elements_of_any_type()
        if x is None or self.value(x).array.ndim != 1:
            return None
        return self.add(Order("unique" if self.is_named else self.random.choice(["unique", "first_of_equal"]), 0, 0, operands=(x,)))

    # What follows

    def taken(self, positions):
        """Elements of another array at positions of an order."""
        shape = list(self.value(positions).array.shape)
        if not shape or self.value(positions).dtype != np.int64:
            return None
        values = self.input(self.data(self.dtype("biufc"), shape))
        return self.add(Gather(self.random.randrange(len(shape)), "clip", operands=(values, positions)))

    def use(self, number):
        draw, writer, chance = self.random, self.writer, self.random.random()
        rank = self.value(number).array.ndim
        if chance < 0.35:
            return writer.chain(number, 3)
        if chance < 0.55 and rank:
            return writer.along(number, draw.randrange(rank))
        if chance < 0.7:
            return writer.reduce(number, (1 << rank) - 1, draw.random() < 0.5)
        if chance < 0.8:
            return self.taken(number)
        return self.transposed(number) if rank else None

    def refused(self):
        """No such axis, complex elements, more elements than there are, fractions of another shape."""
        draw = self.random
        row, matrix = self.input(self.data(self.dtype(), [5])), self.input(self.data(self.dtype(), [2, 3]))
        none = self.input(np.zeros([0, 3], self.dtype()))
        is_int = self.drawer.profile == "int"
        complex_row = row if is_int else self.drawer.add(Input(np.ones([4], np.complex64)))
        half = self.drawer.add(Literal("int64", 1, True) if is_int else Literal("float64", 0.5, True))
        if None in (row, matrix, none, complex_row, half):
            return None
        return draw.choice(
            [
                Order("sort", 1, 0, operands=(row,)),
                Order("argsort", 2, 0, operands=(matrix,)),
                Order("median", 0, 0, operands=(complex_row,)),
                Order(draw.choice(["top_positions", "top_elements"]), 0, 1, operands=(complex_row,)),
                Order("top_positions", 0, draw.choice([0, 33, -1]), operands=(row,)),
                Order(draw.choice(["top_positions", "top_elements"]), 0, 6, operands=(row,)),
                Order("top_elements", 1, 4, operands=(matrix,)),
                Order("median", 0, 0, operands=(none,)),
                Order("quantile", 0, 0, operands=(none, half)),
                Order("quantile", 0, 0, operands=(row, matrix)),
                Order("first_of_equal", 0, 0, operands=(matrix,)),
            ]
        )


def draw_order(drawer):
    orders, draw = Orders(drawer), drawer.random
    drawer.target_share = 0.2
    makers = [orders.sort] * 6 + [orders.sort_values] * 2 + [orders.top] * 3 + [orders.median] * 2
    makers += [orders.quantile] * 3 + [orders.distinct] * 2
    for _ in range(draw.choice([1, 1, 2, 2, 3])):
        number = orders.keep(draw.choice(makers)())
        for _ in range(draw.choice([0, 0, 1, 1, 2])):
            made = None if number is None else orders.use(number)
            number = number if made is None else orders.keep(made)
    if draw.random() < 0.06 and not orders.is_named:
        drawer.refused = orders.refused()
