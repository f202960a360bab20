"""Draws programs of all pairs of two arrays' rows: distances between points, forces between bodies, counts in bins."""

from ..draw_chains import Writer

PAIRS = [1000, 4000, 4000, 16000, 40000]
ALL = "s:_:_:_"
OVER_COORDINATES = ["sum", "sum", "sum", "max", "min", "all", "any", "prod"]
OVER_PAIRS = ["min", "min", "argmin", "argmin", "argmax", "max", "sum", "sum", "any", "all"]
COMPARISONS = ["equal", "less", "less_equal", "greater", "greater_equal"]


class Pairs:
    def __init__(self, drawer):
        self.drawer, self.random, self.writer = drawer, drawer.random, Writer(drawer)
        draw = self.random
        self.coordinates = draw.randrange(1, 9) if draw.random() < 0.7 else draw.randrange(9, 25)
        pairs = max(1, draw.choice(PAIRS) // self.coordinates)
        self.right = draw.randrange(1, 41)
        self.left = max(1, pairs // self.right) + draw.randrange(4)
        self.name = self.writer.type()

    def array(self, *shape):
        return self.writer.array(shape, self.name if self.random.random() < 0.75 else None)

    def squared(self, value):
        """Mostly the square of differences, which may also meet numbers."""
        chance = self.random.random()
        if chance < 0.6:
            return self.writer.apply("multiply", value, value)
        return self.writer.apply("absolute", value) if chance < 0.75 else self.writer.chain(value, 3)

    def difference(self, first, second):
        operations = ["subtract"] if self.random.random() < 0.7 else None
        return self.writer.beside(first, second, operations)

    def finish(self, value, axes):
        """Reduces values of pairs over one of the two axes of pairs, once or twice, or leaves them."""
        draw, writer = self.random, self.writer
        value = writer.chain(value, 2)
        if value is None or draw.random() < 0.2:
            return
        axis = draw.choice(axes)
        for _ in range(draw.choice([1, 1, 1, 2])):
            keep = draw.random() < 0.3
            reduced = writer.reduce(value, 1 << axis, keep, OVER_PAIRS)
            if reduced is not None and keep and draw.random() < 0.5:
                writer.reduce(writer.beside(value, reduced), 1 << draw.choice(axes), False, OVER_PAIRS)
            else:
                writer.chain(reduced, 2)

    def points(self):
        """x(:, None, :) beside y(None, :, :), or with the coordinates first."""
        draw, writer = self.random, self.writer
        first = draw.random() < 0.2
        if first:
            x, y = self.array(self.coordinates, self.left), self.array(self.coordinates, self.right)
            x, y = writer.view(x, ALL, ALL, "n"), writer.view(y, ALL, "n", ALL)
        else:
            x, y = self.array(self.left, self.coordinates), self.array(self.right, self.coordinates)
            x = writer.view(writer.chain(x, 1), ALL, "n", ALL)
            y = writer.view(y, "n", ALL, ALL) if draw.random() < 0.7 else y
        keep = draw.random() < 0.2
        apart = self.squared(self.difference(x, y))
        distance = writer.reduce(apart, 1 if first else 4, keep, OVER_COORDINATES)
        self.finish(distance, [1, 2] if first and keep else [0, 1])

    def bodies(self):
        """Each row of one array beside all of its rows; what is reduced meets the differences again."""
        draw, writer = self.random, self.writer
        count = max(1, round((self.left * self.right) ** 0.5))
        x, masses = self.array(count, self.coordinates), self.array(count)
        apart = self.difference(writer.view(x, ALL, "n", ALL), writer.view(x, "n", ALL, ALL))
        distance = writer.chain(writer.reduce(self.squared(apart), 4, True, ["sum", "sum", "max"]), 3)
        if distance is not None and draw.random() < 0.6:
            heavier = writer.apply("multiply", distance, writer.view(masses, "n", ALL, "n"))
            distance = distance if heavier is None else heavier
        force = writer.apply("multiply", apart, distance)
        writer.chain(writer.reduce(force, draw.choice([1, 2, 2]), False, ["sum", "sum", "max", "min"]), 2)

    def split_coordinates(self):
        """Differences of one coordinate after the other, of arrays of their own or of columns of one."""
        draw, writer = self.random, self.writer
        count = draw.choice([1, 2, 2, 3, 3, 4])
        columns = draw.random() < 0.4
        x, y = (self.array(extent, count) if columns else None for extent in (self.left, self.right))
        total = None
        for coordinate in range(count):
            of = [
                writer.view(whole, ALL, f"i:{coordinate}") if columns else self.array(extent)
                for whole, extent in ((x, self.left), (y, self.right))
            ]
            right = writer.view(of[1], "n", ALL) if draw.random() < 0.7 else of[1]
            apart = self.squared(self.difference(writer.view(of[0], ALL, "n"), right))
            together = apart if total is None else writer.apply("add", total, apart)
            total = total if together is None else together
        self.finish(total, [0, 1])

    def bins(self):
        """Which elements lie in which bin, counted or summed up."""
        draw, writer = self.random, self.writer
        x, lower = self.array(self.left * self.coordinates), self.array(self.right)
        elements, bins = writer.view(writer.chain(x, 1), ALL, "n"), writer.view(lower, "n", ALL)
        within = writer.apply("equal" if draw.random() < 0.5 else draw.choice(COMPARISONS), elements, bins)
        if within is not None and draw.random() < 0.3:
            upper = writer.apply("less", elements, writer.view(self.array(self.right), "n", ALL))
            both = writer.apply("logical_and", within, upper)
            within = within if both is None else both
        if within is not None and draw.random() < 0.3:
            chosen = writer.apply("where", within, elements, self.drawer.scalar(elements))
            within = within if chosen is None else chosen
        axes = draw.choice([1, 1, 1, 2])
        counts = writer.reduce(
            within, axes, draw.random() < 0.2, ["sum", "sum", "sum", "any", "all", "max", "argmax"]
        )
        if counts is not None and draw.random() < 0.4:
            writer.along(writer.chain(counts, 1), 0)


FORMS = [Pairs.points, Pairs.points, Pairs.bodies, Pairs.split_coordinates, Pairs.bins]


def draw_pairs(drawer):
    drawer.random.choice(FORMS)(Pairs(drawer))
