"""Draws programs that search in sorted arrays, of inputs and of computed values: searchsorted and interp."""

import math

import numpy as np

from ..draw_chains import Writer
from ..draw_data import draw_data
from ..draw_layouts import draw_layout
from ..element_types import DTYPES, NAMES, is_complex, kind
from ..oracle.searches import ascending, comparable, is_ascending
from ..program import Coordinate, Gather, Input, Interp, Reduce, Scan, SearchSorted
from .write_parts import ALL

COUNTS = [0, 1, 1, 2, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 64, 100, 257, 1000, 4097]
EXTENTS = [0, 1, 1, 2, 3, 5, 8, 16, 17, 33, 64, 100, 257, 1000]
MAX_ELEMENTS = 20_000
BEYOND = {"none": 0, "left": 1, "right": 1, "both": 2}


class Searches:
    """Methods return the number of a value, or None."""

    def __init__(self, drawer):
        self.drawer, self.random, self.writer = drawer, drawer.random, Writer(drawer)
        self.found = []
        # the front end has results beyond both ends, or beyond none
        self.beyond = ["none", "both"] if hasattr(drawer, "named") else list(BEYOND)

    def value(self, number):
        return self.drawer.values[number]

    def keep(self, number):
        if number is not None:
            self.found.append(number)
        return number

    def ordered_type(self):
        names = [name for name in self.drawer.types if not is_complex(DTYPES[name])]
        return DTYPES[self.random.choice(names)]

    # What is sorted

    def data(self, dtype, shape):
        """Elements that are drawn as others, or few that are there several times, or small integers."""
        draw = self.random
        data = draw_data(draw, dtype, shape)
        if data.size and draw.random() < 0.3:
            data = data.reshape(-1)[np.array([draw.randrange(min(data.size, 4)) for _ in range(data.size)])]
        elif dtype != DTYPES["bool"] and draw.random() < 0.4:
            data = np.array([draw.randrange(0, 100) for _ in range(data.size)]).astype(dtype)
        return data.reshape(shape)

    def sorted_input(self, count):
        data = ascending(self.data(self.ordered_type(), [count]))
        return self.drawer.add(Input(draw_layout(self.random, data) if self.random.random() < 0.6 else data))

    def sums(self, count):
        """The first sums of integers that are not negative."""
        numbers = np.array([self.random.randrange(0, 4) for _ in range(count)])
        array = self.drawer.add(Input(numbers.astype(self.random.choice(["int8", "int32", "uint16", "int64"]))))
        return self.drawer.add(Scan("cumsum", 0, operands=(array,)))

    def extremes(self, count):
        """The extreme of each row of a matrix whose columns are sorted."""
        data = self.data(self.ordered_type(), [count, self.random.choice([1, 2, 3, 8])])
        data = np.stack([ascending(column) for column in data.T], 1)
        matrix = self.drawer.add(Input(np.array(data, order=self.random.choice("CF"))))
        return self.drawer.add(Reduce(self.random.choice(["max", "min"]), 2, False, operands=(matrix,)))

    def positions(self, count):
        """0, 1, 2 and so on, of an array's axis."""
        array = self.writer.array([count])
        return None if array is None else self.drawer.add(Coordinate(0, operands=(array,)))

    def still_sorted(self, number):
        """An operation that keeps the order; None where it does not."""
        draw, writer, apply = self.random, self.writer, self.drawer.apply
        made = draw.choice(
            [
                lambda: apply("multiply", number, writer.number(number, [2, 3], [2.0, 0.5, 0.3])),
                lambda: apply("add", number, writer.number(number, [1, 5], [1.0, 0.1])),
                lambda: apply("maximum", number, self.drawer.scalar(number)),
                lambda: writer.view(apply("negative", number), "s:_:_:-1"),
                lambda: writer.view(number, draw.choice(["s:1:_:_", "s:_:-1:_", "s:_:_:2", "s:1:_:3"])),
                lambda: apply(draw.choice(["floor", "sqrt", "arctan", "trunc"]), number),
                lambda: writer.cast(number, NAMES[self.ordered_type()]),
            ]
        )()
        if made is None or self.value(made).weak or not is_ascending(self.value(made).array):
            return None
        return made

    def sorted(self, count=None):
        draw, chance = self.random, self.random.random()
        count = draw.choice(COUNTS) if count is None else count
        make = self.sorted_input if chance < 0.7 else draw.choice([self.sums, self.extremes, self.positions])
        number = make(count)
        for _ in range(draw.choice([0, 0, 0, 1, 1, 2])):
            made = None if number is None else self.still_sorted(number)
            number = number if made is None else made
        return number

    # What is searched

    def shape(self):
        shape = [self.random.choice(EXTENTS) for _ in range(self.random.choices(range(4), [2, 6, 4, 1])[0])]
        while math.prod(shape) > MAX_ELEMENTS:
            shape[shape.index(max(shape))] = self.random.choice([1, 2, 3])
        return shape

    def near(self, number, shape):
        """Elements of a sorted array, in any order and some a little off."""
        elements = self.value(number).array
        count = math.prod(shape)
        if not elements.size or not count:
            return None
        chosen = comparable(elements)[np.array([self.random.randrange(elements.size) for _ in range(count)])]
        dtype = elements.dtype if self.random.random() < 0.6 else self.ordered_type()
        with np.errstate(all="ignore"):
            if kind(dtype) == "f" and self.random.random() < 0.5:
                chosen = chosen + np.array([self.random.choice([0, 0.5, -0.3, 1e-3]) for _ in range(count)])
            return np.asarray(chosen).astype(dtype).reshape(shape)

    def wanted(self, number):
        """Numbers beside a sorted array, mostly an array of them."""
        draw = self.random
        chance, others = draw.random(), [each for each in self.found if not self.value(each).weak]
        if chance < 0.1:
            return self.drawer.scalar(number)
        if chance < 0.25 and others:
            return draw.choice(others)
        shape = self.shape()
        data = self.near(number, shape) if draw.random() < 0.7 else None
        if data is None:
            data = draw_data(draw, self.ordered_type(), shape)
        array = self.drawer.add(Input(draw_layout(draw, data) if draw.random() < 0.5 else data))
        return self.writer.chain(array, 2) if draw.random() < 0.25 else array

    # Searches

    def search(self):
        number = self.sorted()
        wanted = None if number is None else self.wanted(number)
        if wanted is None:
            return None
        return self.drawer.add(SearchSorted(self.random.choice(["left", "right"]), operands=(number, wanted)))

    def values_at(self, points):
        """As many values as points."""
        shape = self.value(points).array.shape
        if self.random.random() < 0.1:
            return points
        values = self.drawer.add(Input(draw_layout(self.random, self.data(self.ordered_type(), shape))))
        return self.writer.chain(values, 2) if self.random.random() < 0.3 else values

    def end(self, values):
        """A result beyond the points: a number, or what all values give."""
        if self.random.random() < 0.2:
            return self.drawer.add(Reduce(self.random.choice(["max", "sum"]), 1, False, operands=(values,)))
        return self.drawer.scalar(values, parameters=0.3)

    def interp(self):
        points = self.sorted(self.random.choice([count for count in COUNTS if count]))
        if points is None or not self.value(points).array.size:
            return None
        x, values, beyond = self.wanted(points), self.values_at(points), self.random.choice(self.beyond)
        if x is None or values is None or self.value(values).array.shape != self.value(points).array.shape:
            return None
        ends = [self.end(values) for _ in range(BEYOND[beyond])]
        return None if None in ends else self.drawer.add(Interp(beyond, operands=(x, points, values, *ends)))

    def table(self, found):
        """Elements of an array at the positions that a search gives."""
        if found is None or self.value(found).array.ndim != 1:
            return None
        table = self.writer.array([self.random.choice([1, 3, 17, 100])])
        return None if table is None else self.drawer.add(Gather(0, "clip", operands=(table, found)))

    def use(self, number):
        """What a search is fused with."""
        draw, writer, chance = self.random, self.writer, self.random.random()
        rank = self.value(number).array.ndim
        if chance < 0.35:
            return writer.chain(number, 3)
        if chance < 0.6 and rank:
            return writer.along(number, draw.randrange(rank))
        if chance < 0.7:
            return writer.reduce(number, (1 << rank) - 1, draw.random() < 0.5)
        if chance < 0.85 and rank:
            return writer.view(number, *draw.choices([ALL, "s:_:_:-1", "s:1:_:_", "s:_:_:2", "n"], k=rank))
        return self.table(number) if self.value(number).dtype == np.int64 else number

    def refused(self):
        """A search that is refused."""
        draw, matrix, row = self.random, self.writer.array([2, 3]), self.sorted(3)
        none = self.drawer.add(Input(np.zeros(0, self.ordered_type())))
        if None in (matrix, row, none):
            return None
        return draw.choice(
            [
                SearchSorted("left", operands=(matrix, row)),
                Interp("none", operands=(row, matrix, row)),
                Interp("none", operands=(row, row, matrix)),
                Interp("none", operands=(row, none, none)),
            ]
        )


def draw_searches(drawer):
    searches = Searches(drawer)
    draw = drawer.random
    drawer.target_share = 0.2
    for _ in range(draw.choice([1, 1, 2, 2, 3])):
        is_search = drawer.profile == "int" or draw.random() < 0.5
        number = searches.keep(searches.search() if is_search else searches.interp())
        for _ in range(draw.choice([0, 1, 1, 2])):
            made = None if number is None else searches.use(number)
            number = number if made is None else searches.keep(made)
    if draw.random() < 0.04 and not hasattr(drawer, "named"):
        drawer.refused = searches.refused()
