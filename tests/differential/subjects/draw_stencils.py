"""Draws stencils written by slices, in one to three dimensions: of elementwise values, of interleaved channels and of
other stencils."""

import itertools

from ..draw_chains import Writer
from ..element_types import kind

ELEMENTS = [500, 3000, 3000, 10000, 25000]
ALL = "s:_:_:_"
WHOLE_WEIGHTS = [1, 1, 2, 3, -1, -2, 4, -4, 8]
WEIGHTS = [1.0, 0.5, 0.25, 0.125, 0.1, -1.0, -4.0, 2.0, 0.0625]
# What the stencils of a pipeline may read of the first for one element of the last.
MAX_POINTS = 100


def star(rank, reach):
    """The centre, and neighbours along each axis: 3 or 5 points in one dimension, 5 or 9 in two, 7 or 13 in three."""
    distances = [distance for distance in range(-reach, reach + 1) if distance]
    return [(0,) * rank] + [
        tuple(distance if axis == along else 0 for axis in range(rank))
        for along in range(rank)
        for distance in distances
    ]


def box(rank, reach):
    return list(itertools.product(range(-reach, reach + 1), repeat=rank))


class Stencils:
    def __init__(self, drawer):
        self.drawer, self.random, self.writer = drawer, drawer.random, Writer(drawer)
        draw = self.random
        self.rank = draw.choices([1, 2, 3], [3, 6, 3])[0]
        elements = draw.choice(ELEMENTS)
        self.before = [draw.choice([1, 2, 3, 5])] if draw.random() < 0.2 else []
        self.extents = [self.extent(elements, axis) for axis in range(self.rank)]
        self.points = 1

    def extent(self, elements, axis):
        side = (elements / (self.before or [1])[0]) ** (1 / self.rank)
        return max(3, round(side * self.random.uniform(0.4, 2.0))) if self.rank > 1 else max(5, int(side))

    def window(self, value, offset, reaches):
        items = [ALL] * len(self.before)
        for shift, reach in zip(offset, reaches):
            items.append(f"s:{reach + shift}:{shift - reach or '_'}:_" if reach else ALL)
        return self.writer.view(value, *items)

    def offsets(self):
        """The points of a stencil around each element."""
        draw, rank = self.random, self.rank
        chance = draw.random()
        if chance < 0.25:
            along, distance = draw.randrange(rank), draw.choice([1, 1, 2])
            away = tuple(distance if axis == along else 0 for axis in range(rank))
            back = draw.choice([(0,) * rank, tuple(-shift for shift in away)])
            return [away, back]
        if chance < 0.5 and rank == 2:
            return box(rank, 1)
        return star(rank, 1 if draw.random() < 0.75 else 2)

    def weighted(self, value, like):
        """A window times a number, or as it is."""
        if value is None or self.random.random() < 0.35:
            return value
        made = self.writer.apply("multiply", value, self.writer.number(like, WHOLE_WEIGHTS, WEIGHTS))
        return value if made is None else made

    def combine(self, windows):
        operation = self.random.choices(["add", "maximum", "minimum", "logical_or"], [12, 1, 1, 1])[0]
        total = None
        for window in windows:
            made = window if total is None else self.writer.apply(operation, total, window)
            total = total if made is None else made
        return total

    def stencil(self, value, offsets):
        reaches = [max(abs(offset[axis]) for offset in offsets) for axis in range(self.rank)]
        shape = self.writer.shape(value)[len(self.before) :]
        if any(extent <= 2 * reach for extent, reach in zip(shape, reaches)):
            return None
        return self.combine([self.weighted(self.window(value, offset, reaches), value) for offset in offsets])

    def difference_of_smoothed(self, value, along):
        """What one of Sobel's operators gives: differences along one axis, weighted 1, 2, 1 along the other."""
        if any(extent < 3 for extent in self.writer.shape(value)[len(self.before) :]):
            return None
        windows = []
        for side, across in itertools.product((1, -1), (-1, 0, 1)):
            offset = (side, across) if along == 0 else (across, side)
            window = self.window(value, offset, (1, 1))
            if across == 0 and window is not None:
                window = self.writer.apply("multiply", window, self.writer.number(value, [2], [2.0]))
            windows.append((side, window))
        total = windows[0][1]
        for side, window in windows[1:]:
            total = self.writer.apply("add" if side > 0 else "subtract", total, window)
        return total

    def gradient(self, value):
        parts = [self.difference_of_smoothed(value, along) for along in (0, 1)]
        if self.random.random() < 0.5:
            parts = [self.writer.apply("absolute", part) for part in parts]
        else:
            parts = [self.writer.apply("multiply", part, part) for part in parts]
        return self.writer.apply(self.random.choice(["add", "add", "maximum"]), *parts)

    def stage(self, value):
        sobel = self.rank == 2 and self.random.random() < 0.3
        offsets = self.offsets()
        points = self.points * (12 if sobel else len(offsets))
        if value is None or points > MAX_POINTS:
            return None
        self.points = points
        return self.gradient(value) if sobel else self.stencil(value, offsets)

    def channels(self):
        """Grey of an image whose channels lie beside each other in memory."""
        draw, writer, count = self.random, self.writer, self.random.choice([2, 3, 3, 3, 4])
        name = writer.type(["uint8", "uint16", "float32"])
        image = writer.array(self.before + self.extents + [count], name, contiguous=0.9)
        if draw.random() < 0.4:
            wider = writer.cast(image, writer.type(["float32", "int32"]))
            image = image if wider is None else wider
        total = None
        for channel in draw.sample(range(count), draw.randrange(1, count + 1)):
            one = writer.view(image, *[ALL] * (len(self.before) + self.rank), f"i:{channel}")
            one = None if one is None else self.weighted(one, one)
            made = one if total is None else writer.apply("add", total, one)
            total = total if made is None else made
        return total

    def source(self):
        if self.random.random() < 0.3:
            return self.channels()
        shape = self.before + self.extents
        arrays = [self.writer.array(shape) for _ in range(self.random.choice([1, 1, 2]))]
        return self.writer.chain(arrays[0], 2, [array for array in arrays if array is not None])

    def finish(self, value):
        """A reduction, which may meet the elements again."""
        draw, writer = self.random, self.writer
        rank = len(writer.shape(value))
        axes = draw.choice([1 << (rank - 1), 1, (1 << rank) - 1, draw.getrandbits(rank) or 1])
        back = draw.random() < 0.6
        reduced = writer.reduce(value, axes, back)
        if reduced is not None and back and kind(self.drawer.values[reduced].dtype) != "c":
            writer.chain(writer.beside(value, reduced), 2)


def draw_stencils(drawer):
    stencils = Stencils(drawer)
    draw, value = drawer.random, stencils.source()
    for _ in range(draw.choice([1, 1, 2, 2, 3])):
        made = stencils.writer.chain(stencils.stage(value), 2)
        value = value if made is None else made
    if value is not None and draw.random() < 0.4:
        stencils.finish(value)
