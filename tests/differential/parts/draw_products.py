"""Draws programs that multiply arrays: matmul, dot, vecdot, outer and einsum."""

import math
import string

import numpy as np

from ..draw_chains import Writer
from ..draw_data import draw_data
from ..draw_layouts import draw_layout
from ..element_types import DTYPES
from ..program import Input, Product
from .write_parts import ALL

EXTENTS = [0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, 128, 257, 1000]
MAX_TERMS = 150_000


class Products:
    """Methods return the number of a value, or None."""

    def __init__(self, drawer):
        self.drawer, self.random, self.writer = drawer, drawer.random, Writer(drawer)
        self.found = []

    def value(self, number):
        return self.drawer.values[number]

    def keep(self, number):
        if number is not None:
            self.found.append(number)
        return number

    def add(self, function, setting, operands):
        if None in operands or any(self.value(number).weak for number in operands):
            return None
        return self.drawer.add(Product(function, setting, operands=tuple(operands)))

    def input(self, shape):
        """Elements as others, or small integers; in rows, with permuted axes or in another layout."""
        draw = self.random
        dtype = DTYPES[draw.choice(self.drawer.types)]
        if dtype != DTYPES["bool"] and draw.random() < 0.4:
            count = math.prod(shape)
            data = np.array([draw.randrange(0, 20) for _ in range(count)]).astype(dtype).reshape(shape)
        else:
            data = draw_data(draw, dtype, list(shape))
        chance = draw.random()
        if chance < 0.25 and len(shape) > 1:
            order = draw.sample(range(len(shape)), len(shape))
            data = np.transpose(np.transpose(data, order).copy(), np.argsort(order))
        elif chance < 0.45:
            data = draw_layout(draw, data)
        return self.drawer.add(Input(data))

    def operand(self, shape):
        """An array of a shape: an earlier result, an input or what a chain makes of these."""
        same = [number for number in self.found if self.value(number).array.shape == tuple(shape)]
        number = self.random.choice(same) if same and self.random.random() < 0.4 else self.input(shape)
        if number is not None and self.random.random() < 0.3:
            made = self.writer.chain(number, 2)
            number = made if self.value(made).array.shape == tuple(shape) else number
        return number

    def extents(self, labels):
        """An extent for each label, with a bounded product."""
        draw = self.random
        extents = {label: draw.choice(EXTENTS) for label in labels}
        while math.prod(max(extent, 1) for extent in extents.values()) > MAX_TERMS:
            label = max(extents, key=extents.get)
            extents[label] = draw.choice([1, 2, 3, 5, 16, 33])
        return extents

    # Calls

    def batched(self, a, b):
        """Operands with axes before those of `a` and `b`, which are broadcast together."""
        draw = self.random
        batch = [draw.choice([1, 2, 3, 5]) for _ in range(draw.choice([0, 0, 0, 1, 1, 2]))]
        both = []
        for shape in (a, b):
            own = batch[draw.randrange(len(batch) + 1) :] if draw.random() < 0.4 else batch
            both.append([*(1 if draw.random() < 0.2 else extent for extent in own), *shape])
        return both

    def matmul(self):
        draw = self.random
        extent = self.extents("ikj")
        a, b = [extent["i"], extent["k"]], [extent["k"], extent["j"]]
        if draw.random() < 0.2:
            a = a[1:]
        if draw.random() < 0.2:
            b = b[:1]
        if len(a) == 2 and len(b) == 2:
            a, b = self.batched(a, b)
        elif draw.random() < 0.3:
            longer = a if len(a) == 2 else b
            longer.insert(0, draw.choice([1, 2, 3])) if len(longer) == 2 else None
        return self.add("matmul", "-", [self.operand(a), self.operand(b)])

    def dot(self):
        draw = self.random
        extent = self.extents("abkcd")
        a = [extent[label] for label in "ab"[: draw.choice([0, 0, 1, 1, 2])]] + [extent["k"]]
        columns = [extent[label] for label in "cd"[: draw.choice([0, 0, 1, 1, 2])]]
        b = [*columns[:-1], extent["k"], *columns[-1:]]
        if draw.random() < 0.05:
            a = []
        return self.add("dot", "-", [self.operand(a), self.operand(b)])

    def vecdot(self):
        draw = self.random
        extent = self.extents("kij")
        a, b = self.batched([extent["i"]], [extent["i"] if draw.random() < 0.8 else 1])
        if draw.random() < 0.3:
            a, b = [], []
        axis = draw.choice([-1, -1, -1, 0])
        for shape in (a, b):
            shape.insert(0 if axis == 0 else len(shape), extent["k"])
        return self.add("vecdot", str(axis), [self.operand(a), self.operand(b)])

    def outer(self):
        extent = self.extents("ij")
        return self.add("outer", "-", [self.operand([extent["i"]]), self.operand([extent["j"]])])

    def einsum(self):
        draw = self.random
        pool = draw.sample(string.ascii_letters, draw.choice([1, 2, 3, 3, 4]))
        operands = []
        for _ in range(draw.choice([1, 1, 2, 2, 2, 2, 3])):
            count = draw.choice([1, 1, 2, 2, 2, 3])
            repeats = draw.random() < 0.15 or count > len(pool)
            operands.append("".join(draw.choices(pool, k=count) if repeats else draw.sample(pool, count)))
        used = sorted(set("".join(operands)))
        text = ",".join(operands)
        if draw.random() < 0.7:
            text += "->" + "".join(draw.sample(used, draw.randrange(len(used) + 1)))
        extents = self.extents(used)
        if any(len(set(labels)) < len(labels) for labels in operands):  # an operand has more elements than its diagonal
            extents = {label: min(extent, 33) for label, extent in extents.items()}
        return self.add("einsum", text, [self.operand([extents[label] for label in labels]) for labels in operands])

    # What follows

    def use(self, number):
        draw, writer, chance = self.random, self.writer, self.random.random()
        rank = self.value(number).array.ndim
        if chance < 0.5:
            return writer.chain(number, 3)
        if chance < 0.65 and rank:
            return writer.along(number, draw.randrange(rank))
        if chance < 0.8:
            return writer.reduce(number, draw.randrange(1 << rank), draw.random() < 0.5)
        if rank:
            return writer.view(number, *draw.choices([ALL, "s:_:_:-1", "s:1:_:_", "s:_:_:2", "n"], k=rank))
        return None

    def refused(self):
        """Extents, ranks and subscripts that do not fit."""
        draw = self.random
        a, b, row, none = (self.writer.array(shape) for shape in ([2, 3], [4, 5], [4], [4, 0]))
        if None in (a, b, row, none):
            return None
        return draw.choice(
            [
                Product("matmul", "-", operands=(a, draw.choice([b, row, none]))),
                Product("matmul", "-", operands=(draw.choice([row, b, none]), a)),
                Product("dot", "-", operands=(a, draw.choice([b, row, none]))),
                Product("vecdot", "-1", operands=(a, draw.choice([b, row]))),
                Product("vecdot", "1", operands=(a, row)),
                Product("einsum", "ij,jk", operands=(a, draw.choice([b, none]))),
                Product("einsum", "ii->i", operands=(a,)),
                Product("einsum", "ij,jk->x", operands=(b, b)),
                Product("einsum", "ij,k", operands=(a, b)),
            ]
        )


def draw_products(drawer):
    products, draw = Products(drawer), drawer.random
    drawer.target_share = 0.2
    makers = [products.matmul] * 5 + [products.dot] * 2 + [products.vecdot] * 2 + [products.outer] + [products.einsum] * 5
    for _ in range(draw.choice([1, 1, 2, 2, 3])):
        number = products.keep(draw.choice(makers)())
        for _ in range(draw.choice([0, 1, 1, 2])):
            made = None if number is None else products.use(number)
            number = number if made is None else products.keep(made)
    if draw.random() < 0.06 and not hasattr(drawer, "named"):
        drawer.refused = products.refused()
