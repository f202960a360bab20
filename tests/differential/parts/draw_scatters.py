"""Draws programs that write at positions that are values: scatters, counts, histograms, segments, chosen elements."""

import math

import numpy as np

from ..draw_chains import Writer
from ..draw_data import draw_data
from ..draw_layouts import draw_layout
from ..element_types import BFLOAT16, BOOL, DTYPES, HALF_TYPES, INTEGERS, NAMES, is_complex, kind, to_floating
from ..oracle.promotion import common_type
from ..program import (
    Bincount,
    Cast,
    Compress,
    Gather,
    Histogram,
    Histogram2d,
    Input,
    Literal,
    Nonzero,
    Parameter,
    Reduce,
    Scatter,
    Segment,
)
from .draw_integers import Integers
from .write_parts import ALL

EXTENTS = [0, 1, 1, 2, 3, 5, 8, 16, 17, 33, 64, 100, 257, 1000, 4097]
COUNTS = [0, 1, 1, 2, 3, 7, 16, 31, 64, 100, 257, 1000, 5000]
BINS = [1, 1, 2, 3, 5, 7, 10, 10, 16, 33, 64, 100, 256, 1000]
RANGES = [(0, 1), (0, 1), (-1, 1), (0, 10), (-3.7, 11.3), (0.1, 0.7), (-4, 4)]
FAR_RANGES = [(5, 5), (0, 255), (1e6, 1e6 + 7), (2, 1)]
MANY = 100_000
MAX_ELEMENTS = 20_000


class Scatters:
    """Methods return the number of a value, or None."""

    def __init__(self, drawer):
        self.drawer, self.random, self.writer = drawer, drawer.random, Writer(drawer)
        self.integers = Integers(drawer, 1)
        self.found = []
        self.is_named = hasattr(drawer, "named")  # the front end counts out of range alone

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

    def chained(self, number, share=0.3):
        return self.writer.chain(number, 2) if number is not None and self.random.random() < share else number

    def count(self):
        """How many updates or elements; now and then so many that processors share them."""
        return MANY if self.random.random() < 0.03 else self.random.choice(COUNTS)

    def fit(self, shape):
        shape = list(shape)
        while math.prod(max(extent, 1) for extent in shape) > (MANY if MANY in shape else MAX_ELEMENTS):
            shape[shape.index(max(shape))] = self.random.choice([1, 2, 3])
        return shape

    # What is written to, and what is written

    def data(self, dtype, shape):
        """Elements as others, small integers, or terms of very different size that cancel each other."""
        draw, count = self.random, math.prod(shape)
        if kind(dtype) in "fc" and count and draw.random() < 0.3:
            few = [draw.choice([1, -1, 1.5, 3]) * 2.0 ** draw.randrange(-14, 15) for _ in range(3)]
            if dtype not in HALF_TYPES:
                few += [draw.uniform(-1, 1) * 2.0 ** draw.randrange(-100, 100) for _ in range(2)]
            terms = np.array([draw.choice([1, -1]) * draw.choice(few) for _ in range(count)])
            with np.errstate(all="ignore"):
                terms = terms.astype(dtype) if is_complex(dtype) else to_floating(terms, dtype)
            return terms.reshape(shape)
        if dtype != BOOL and draw.random() < 0.25:
            return np.array([draw.randrange(0, 100) for _ in range(count)]).astype(dtype).reshape(shape)
        return draw_data(draw, dtype, shape)

    def type(self, is_real=False):
        names = [name for name in self.drawer.types if not (is_real and is_complex(DTYPES[name]))]
        return DTYPES[self.random.choice(names)]

    def base(self):
        draw, others = self.random, [each for each in self.found if 1 <= self.value(each).array.ndim <= 3]
        if others and draw.random() < 0.2:
            return draw.choice(others)
        rank = draw.choices([1, 2, 3], [5, 4, 2])[0]
        shape = self.fit([draw.choice(EXTENTS) for _ in range(rank)])
        dtype = self.type()
        data = np.zeros(shape, dtype) if draw.random() < 0.25 else self.data(dtype, shape)
        return self.chained(self.input(data))

    def positions(self, shape, extent, rule):
        """Integers of any type in the range of an axis, now and then beyond it where that is no error."""
        draw = self.random
        dtype = DTYPES[draw.choice(["int32", "int64", "int64", *INTEGERS])]
        limits, count = np.iinfo(dtype), math.prod(shape)
        low, high = 0, extent
        if rule == "reported" and draw.random() < 0.5:
            low = -extent
        if rule == "dropped" and draw.random() < 0.7:
            low, high = -3, extent + 3 + draw.choice([0, extent])
        low, high = max(low, limits.min), min(high, limits.max + 1)
        if high <= low:
            return np.zeros(shape, dtype) if not count or rule == "dropped" else None
        style, generator = draw.random(), np.random.default_rng(draw.getrandbits(64))
        made = generator.integers(low, high, count)
        if style < 0.15:
            made[:] = draw.randrange(low, high)
        elif style < 0.35:
            made = np.sort(made)
        elif style < 0.5:
            made = draw.randrange(low, high) + generator.integers(0, 3, count)
            made = np.where(made >= high, low, made)
        elif style < 0.6 and count <= high - low:
            made = generator.permutation(high - low)[:count] + low
        return made.astype(dtype).reshape(shape)

    def remainders(self, shape, extent):
        """Computed positions: any integers modulo the extent."""
        dtype = DTYPES[self.random.choice(INTEGERS)]
        if extent < 1 or extent > np.iinfo(dtype).max:
            return None
        raw = self.input(draw_data(self.random, dtype, shape))
        return self.drawer.apply("remainder", raw, self.drawer.add(Literal("int64", extent, True)))

    def index(self, shape, extent, rule):
        if self.random.random() < 0.2:
            return self.remainders(shape, extent)
        positions = self.positions(shape, extent, rule)
        return None if positions is None else self.input(positions)

    def shapes(self, shape, axis):
        """Shapes of an index and of updates, for a base of a shape."""
        draw, rank = self.random, len(shape)
        length = self.count()
        if rank == 1:
            whole = self.fit([length, *[draw.choice([1, 2, 3, 17]) for _ in range(draw.choice([0, 0, 0, 1, 2]))]])
            draw.shuffle(whole)
            return self.thinner(whole, 0.1), self.thinner(whole, 0.2)
        others = max(math.prod(shape) // max(shape[axis], 1), 1)
        length = min(length, max(MAX_ELEMENTS // others, 1))
        whole = [length if other == axis else extent for other, extent in enumerate(shape)]
        if draw.random() < 0.55:
            return [length], self.thinner(whole, 0.2)
        return [1 if draw.random() < 0.15 else extent for extent in whole], self.thinner(whole, 0.2)

    def thinner(self, shape, share):
        """The shape, perhaps with axes of one element or without the first axes."""
        draw = self.random
        shape = [1 if draw.random() < share else extent for extent in shape]
        return shape[draw.randrange(len(shape) + 1) :] if draw.random() < share else shape

    def updates(self, shape, base):
        draw, own = self.random, self.value(base).dtype
        if draw.random() < 0.12:
            return self.drawer.scalar(base)
        dtype = own if draw.random() < 0.7 else self.type(is_real=not is_complex(own))
        if self.is_named and kind(dtype) != kind(own):
            dtype = own
        return self.chained(self.input(self.data(dtype, shape)))

    def scatter(self):
        draw, base = self.random, self.base()
        if base is None or not 1 <= self.value(base).array.ndim <= 3:
            return None
        shape = self.value(base).array.shape
        axis = draw.randrange(len(shape))
        rule = draw.choices(["reported", "dropped", "counted"], [6, 3, 1])[0]
        rule = "reported" if self.is_named else rule
        combine = draw.choices(["add", "add_unordered", "minimum", "maximum", "last"], [5, 2, 2, 2, 3])[0]
        if is_complex(self.value(base).dtype):
            combine = draw.choice(["add", "add_unordered", "last"])
        index_shape, update_shape = self.shapes(shape, axis)
        index = self.index(index_shape, shape[axis], rule)
        updates = None if index is None else self.updates(update_shape, base)
        return self.add(Scatter(axis, combine, rule, operands=(base, index, updates)))

    # Counts

    def weights(self, shape):
        if self.random.random() < 0.5:
            return ()
        made = self.chained(self.input(self.data(self.type(), shape)))
        return () if made is None else (made,)

    def bincount(self):
        draw = self.random
        shape = self.fit([self.count() for _ in range(draw.choice([1, 1, 1, 2]))])
        n = draw.choice(EXTENTS)
        k = self.index(shape, n, "counted")
        if k is None:
            return None
        return self.add(Bincount(operands=(k, *self.weights(shape), self.integers.draw(n))))

    def at_edges(self, shape, dtype, low, high, bins):
        """Elements at edges, beside them and between them, and some that are in no bin."""
        draw, count = self.random, math.prod(shape)
        generator = np.random.default_rng(draw.getrandbits(64))
        with np.errstate(all="ignore"):
            edges = np.arange(bins + 1) * ((high - low) / bins) + low
            edges = np.append(edges, [low, high])
            if kind(dtype) != "f":
                made = generator.choice(np.append(np.clip(edges, -1e9, 1e9), [low - 1, high + 1]), count)
                limits = np.iinfo(dtype) if kind(dtype) in "iu" else None
                made = made if limits is None else np.clip(np.rint(made), limits.min, limits.max)
                return made.astype(dtype).reshape(shape)
            made = to_floating(generator.choice(edges, count), dtype)
            chance = generator.random(count)
            single = made.astype(np.float32) if dtype == BFLOAT16 else made
            for share, towards in ((0.25, -np.inf), (0.5, np.inf)):
                is_moved = (chance < share) & (chance >= share - 0.25)
                single = np.where(is_moved, np.nextafter(single, single.dtype.type(towards)), single)
            made = to_floating(single, dtype)
            between = to_floating(generator.uniform(low - abs(low) * 0.1 - 0.1, high + 0.1, count), dtype)
            made = np.where(chance > 0.75, between, made)
            special = to_floating(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0]), dtype)
            made = np.where(generator.random(count) < 0.03, generator.choice(special, count), made)
        return made.astype(dtype).reshape(shape)

    def counted(self, shape, low, high, bins):
        """What is counted."""
        draw, dtype, others = self.random, self.type(is_real=True), self.found
        real = [each for each in others if not is_complex(self.value(each).dtype)]
        if real and draw.random() < 0.08:
            return draw.choice(real)
        if draw.random() < 0.8:
            return self.input(self.at_edges(shape, dtype, min(low, high), max(low, high), bins))
        return self.chained(self.input(self.data(dtype, shape)))

    def end(self, number):
        """A bound of a range: a number, a parameter, or an array of rank 0."""
        draw = self.random
        if self.drawer.profile == "int" or number == int(number) and draw.random() < 0.3:
            return self.drawer.add(Literal("int64", int(number), True))
        if draw.random() < 0.15:
            return self.drawer.add(Input(np.array(number)))
        name = draw.choice(["float64", "float64", "float32"])
        number = float(np.float32(number)) if name == "float32" else number
        return self.drawer.add((Parameter if draw.random() < 0.3 else Literal)(name, number, draw.random() < 0.5))

    def range(self, ranges=RANGES + FAR_RANGES):
        low, high = self.random.choice(ranges)
        if self.random.random() < 0.2:
            low, high = sorted(self.random.uniform(-9, 9) for _ in range(2))
        return low, high

    def edges_type(self, operands):
        """What the front end takes, mostly."""
        if not self.is_named and self.random.random() < 0.2:
            return self.random.choice(["float16", "bfloat16", "float32", "float64"])
        common = common_type([self.value(each) for each in operands])
        return NAMES[common] if kind(common) == "f" else "float64"

    def histogram(self):
        draw = self.random
        shape = self.fit([max(self.count(), 1) for _ in range(draw.choice([1, 1, 1, 2]))])
        (low, high), bins = self.range(), draw.choice(BINS)
        x = self.counted(shape, low, high, bins)
        ends = [self.end(low), self.end(high)]
        if None in (x, *ends):
            return None
        edges = self.edges_type([x, *ends])
        weights = self.weights(self.value(x).array.shape)
        return self.add(Histogram(edges, operands=(x, *ends, *weights, self.integers.draw(bins))))

    def histogram2d(self):
        draw = self.random
        shape, both, ends = [draw.choice(COUNTS[3:])], [], []
        bins = [draw.choice(BINS[:9]), draw.choice(BINS[:9])]
        for number in bins:
            low, high = self.range(RANGES)
            both.append(self.counted(shape, low, high, number))
            ends += [self.end(low), self.end(high)]
        if None in (*both, *ends) or len({self.value(each).array.shape for each in both}) > 1:
            return None
        weights = self.weights(self.value(both[0]).array.shape)
        return self.add(Histogram2d(operands=(*both, *ends, *weights, *map(self.integers.draw, bins))))

    # Segments and chosen elements

    def segment(self):
        draw, rows = self.random, self.base()
        if rows is None or not 1 <= self.value(rows).array.ndim <= 3:
            return None
        shape = self.value(rows).array.shape
        axis, n = draw.randrange(len(shape)), draw.choice(EXTENTS)
        result = draw.choice(["sum", "sum_unordered", "minimum", "maximum", "mean"])
        if is_complex(self.value(rows).dtype):
            result = draw.choice(["sum", "sum_unordered", "mean"])
        segments = self.index([shape[axis]], n, "counted")
        return self.add(Segment(result, axis, operands=(rows, segments, self.integers.draw(n))))

    def elements(self):
        shape = self.fit([self.count() for _ in range(self.random.choice([1, 1, 2, 3]))])
        return self.chained(self.input(self.data(self.type(), shape)))

    def mask(self, x):
        draw, drawer = self.random, self.drawer
        if draw.random() < 0.4 or is_complex(self.value(x).dtype):
            return self.input(draw_data(draw, BOOL, self.value(x).array.shape))
        if draw.random() < 0.2:
            return drawer.add(Cast("bool", operands=(x,)))
        number = self.writer.number(x, [0, 1, 2, 3], [0.0, 0.5, 1.0])
        return drawer.apply(draw.choice(["less", "greater", "not_equal"]), x, number)

    def nonzero(self):
        x = self.elements()
        x = x if x is None or self.random.random() < 0.5 else self.mask(x)
        return self.add(Nonzero(operands=(x,)))

    def compress(self):
        x = self.elements()
        return None if x is None else self.add(Compress(operands=(x, self.mask(x))))

    # What follows

    def scattered_again(self, number):
        """What was made as the updates of another array, or as positions that are read."""
        draw, value = self.random, self.value(number)
        if value.array.ndim != 1:
            return None
        if value.dtype == np.int64 and draw.random() < 0.4:
            table = self.writer.array([draw.choice([1, 3, 17])])
            return None if table is None else self.drawer.add(Gather(0, "clip", operands=(table, number)))
        base = self.input(self.data(value.dtype, [draw.choice([1, 2, 7, 100])]))
        extent = self.value(base).array.shape[0]
        index = self.index([value.array.size], extent, "reported")
        combines = ["add", "last"] if is_complex(value.dtype) else ["add", "minimum", "maximum", "last"]
        return self.add(Scatter(0, draw.choice(combines), "reported", operands=(base, index, number)))

    def use(self, number):
        """What a result is fused with."""
        draw, writer, chance = self.random, self.writer, self.random.random()
        rank = self.value(number).array.ndim
        if chance < 0.35:
            return writer.chain(number, 3)
        if chance < 0.5 and rank:
            return writer.along(number, draw.randrange(rank))
        if chance < 0.6:
            return writer.reduce(number, (1 << rank) - 1, draw.random() < 0.5)
        if chance < 0.75 and rank:
            return writer.view(number, *draw.choices([ALL, "s:_:_:-1", "s:1:_:_", "s:_:_:2", "n"], k=rank))
        return self.scattered_again(number)

    def out_of_range(self):
        draw = self.random
        extent = draw.choice([1, 3, 8])
        wrong = draw.choice([extent, -extent - 1, extent + 1000])
        index = self.drawer.add(Input(np.array([0, wrong, 0], draw.choice(["int16", "int64"]))))
        base, rows, n = self.writer.array([extent]), self.writer.array([3]), self.integers.draw(extent)
        number = self.drawer.add(Literal("int64", 1, True))
        if None in (index, base, rows, n, number):
            return None
        combine, rule = draw.choice(["add", "last"]), draw.choice(["reported", "counted"])
        return draw.choice(
            [
                Bincount(operands=(index, n)),
                Segment("sum", 0, operands=(rows, index, n)),
                Scatter(0, combine, rule, operands=(base, index, number)),
                Scatter(0, combine, rule, operands=(base, index, number)),
            ]
        )

    def refused(self):
        """What is refused: an index out of range, another type or rank."""
        draw = self.random
        if draw.random() < 0.6:
            return self.out_of_range()
        matrix, row = self.writer.array([2, 3]), self.writer.array([3])
        index = self.drawer.add(Input(np.zeros([3], draw.choice(["int64", "uint8"]))))
        cube = self.drawer.add(Input(np.zeros([1, 2, 3], np.int64)))
        truth = self.drawer.add(Input(np.zeros([3], bool)))
        less = self.drawer.add(Literal("int64", -1, True))
        if None in (matrix, row, index, cube, truth, less):
            return None
        return draw.choice(
            [
                Scatter(0, "add", "reported", operands=(matrix, cube, row)),
                Scatter(1, "last", "reported", operands=(row, index, row)),
                Scatter(0, "add", "reported", operands=(row, truth, row)),
                Scatter(0, "maximum", "dropped", operands=(matrix, index, matrix)),
                Segment("mean", 0, operands=(row, matrix, self.integers.draw(2))),
                Compress(operands=(matrix, truth)),
                Bincount(operands=(index, less)),
                Bincount(operands=(index, self.drawer.add(Reduce("max", 1, False, operands=(index,))))),
            ]
        )


def draw_scatters(drawer):
    scatters, draw = Scatters(drawer), drawer.random
    drawer.target_share = 0.2
    makers = [scatters.scatter] * 6 + [scatters.bincount, scatters.nonzero, scatters.compress]
    makers += [scatters.histogram] * 3 + [scatters.histogram2d] + [scatters.segment] * 3
    for _ in range(draw.choice([1, 1, 1, 2, 2, 3])):
        number = scatters.keep(draw.choice(makers)())
        for _ in range(draw.choice([0, 1, 1, 2])):
            made = None if number is None else scatters.use(number)
            number = number if made is None else scatters.keep(made)
    if draw.random() < 0.05 and not scatters.is_named:
        drawer.refused = scatters.refused()
