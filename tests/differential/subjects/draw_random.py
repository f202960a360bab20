"""Draws programs of random numbers: of seeds and sequences of every kind, in fused maths, reductions and views."""

import numpy as np

from ..draw_chains import Writer
from ..element_types import DTYPES, kind
from ..oracle.random_numbers import TYPES
from ..program import Extent, Input, Literal, Order, Parameter, Random, Reduce, View

EXTENTS = [0, 1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 33, 64, 100, 257, 1000, 4097]
INTEGERS = [0, 0, 1, 2, 42, 255, -1, -7, 2**31, 2**32 - 1, 2**32, 2**53 + 1]
INTEGERS += [2**62, -(2**63), 2**63 - 1, 2**64 - 1]
BOUNDS = [(0, 2), (0, 6), (-100, 100), (0, 2**31 - 1), (-(2**31), 2**31 - 1), (5, 5), (3, -2)]
BOUNDS += [(0, 2**40), (-(2**63), 2**63 - 1)]
CHANCES = [0.0, 0.1, 0.25, 0.5, 0.9, 1.0, 1.5, -0.5, float("nan")]
ALL = "s:_:_:_"


class RandomNumbers:
    def __init__(self, drawer):
        self.drawer, self.random, self.writer = drawer, drawer.random, Writer(drawer)

    def shape(self):
        draw, rank = self.random, self.random.choices(range(5), [1, 6, 6, 3, 1])[0]
        while True:
            shape = [draw.choice(EXTENTS) for _ in range(rank)]
            if 0 in shape and draw.random() < 0.8:
                continue
            if np.prod(shape, dtype=np.float64) <= 30000:
                return shape

    def integer(self, number):
        """A value of rank 0: a number, an argument, an array, or what a reduction gives."""
        draw, chance = self.random, self.random.random()
        names = [
            name
            for name, dtype in DTYPES.items()
            if kind(dtype) in "iu" and np.iinfo(dtype).min <= number <= np.iinfo(dtype).max
        ]
        name = draw.choice(names + ["int64"] * 3 * ("int64" in names))
        if chance < 0.65:
            is_weak = name == "int64" and draw.random() < 0.7
            return self.drawer.add((Literal if chance < 0.45 else Parameter)(name, number, is_weak))
        if chance < 0.9:
            return self.drawer.add(Input(np.array(number, DTYPES[name])))
        row = self.drawer.add(Input(np.full(draw.choice([1, 3, 40]), number, DTYPES[name])))
        return self.drawer.add(Reduce(draw.choice(["max", "min"]), 1, False, operands=(row,)))

    def like(self):
        """An array, the same in another order or in part, or what operations make of it."""
        draw, shape = self.random, self.shape()
        value = self.writer.array(shape, contiguous=0.6)
        chance = draw.random()
        if chance < 0.2 and shape:
            axes = draw.sample(range(len(shape)), len(shape))
            value = self.writer.view(value, *[f"p:{axis}" for axis in axes])
        elif chance < 0.4 and shape:
            items = draw.choices([ALL, "s:_:_:-1", "s:1:_:_", "s:_:_:2"], k=len(shape))
            value = self.writer.view(value, *items)
        elif chance < 0.5:
            value = self.writer.chain(value, 2)
        return value

    def chance_of(self, like):
        draw = self.random
        if draw.random() < 0.6:
            return self.drawer.add(Literal("float64", draw.choice(CHANCES), True))
        shape = self.writer.shape(like)
        begin = draw.randrange(len(shape) + 1)
        return self.writer.array(shape[begin:], draw.choice(["float32", "float64", "bool"]))

    def draw(self, like):
        """One of the distributions; None where the program's types have none of its numbers."""
        draw = self.random
        names = ["bits", "randint", "bernoulli"]
        if self.drawer.profile != "int":
            names += ["uniform", "uniform", "normal", "normal", "exponential", "bits"]
        distribution = draw.choice(names)
        shaping = []
        if distribution == "randint":
            low, high = draw.choice(BOUNDS)
            shaping = [self.integer(low), self.integer(high)]
            if draw.random() < 0.15 and self.writer.shape(like):
                shaping[1] = self.drawer.add(Extent(0, operands=(like,)))
        elif distribution == "bernoulli":
            shaping = [self.chance_of(like)]
        operands = (like, *shaping, *(self.integer(draw.choice(INTEGERS)) for _ in range(2)))
        if None in operands:
            return None
        return self.drawer.add(Random(distribution, draw.choice(TYPES[distribution]), operands=operands))

    def order(self, like):
        """A permutation of numbers, or an array in a random order along an axis."""
        draw, rank = self.random, len(self.writer.shape(like))
        stream = (self.integer(draw.choice(INTEGERS)), self.integer(draw.choice(INTEGERS)))
        if None in stream:
            return None
        if rank and draw.random() < 0.6:
            return self.drawer.add(Order("shuffled", draw.randrange(rank), 0, operands=(like, *stream)))
        count = draw.choice(EXTENTS)
        made = Literal("int64", count, True) if draw.random() < 0.5 else Parameter("int64", count, True)
        if rank and draw.random() < 0.3:
            made = Extent(draw.randrange(rank), operands=(like,))
        count = self.drawer.add(made)
        return None if count is None else self.drawer.add(Order("permutation", 0, 0, operands=(count, *stream)))

    def use(self, value, others):
        """What the numbers are fused with."""
        draw, writer, chance = self.random, self.writer, self.random.random()
        rank = len(writer.shape(value))
        if chance < 0.3:
            return writer.chain(value, 3, others)
        if chance < 0.5 and rank:
            return writer.along(value, draw.randrange(rank))
        if chance < 0.6:
            return writer.reduce(value, (1 << rank) - 1, draw.random() < 0.5)
        if chance < 0.8 and rank:
            items = draw.choices([ALL, "s:_:_:-1", "s:1:_:_", "s:_:-1:_", "s:_:_:3", "n"], k=rank)
            return self.drawer.add(View(tuple(items), operands=(value,)))
        return writer.beside(value, draw.choice(others)) if others else value


def draw_random(drawer):
    numbers = RandomNumbers(drawer)
    draw, like = drawer.random, numbers.like()
    if like is None:
        return
    found = [like]
    for _ in range(draw.choice([1, 1, 2, 2, 3])):
        if draw.random() < 0.25:
            like = numbers.like() or like
        value = numbers.draw(like) if draw.random() < 0.8 else numbers.order(like)
        for _ in range(draw.choice([0, 1, 1, 2])):
            made = None if value is None else numbers.use(value, found)
            value = value if made is None else made
        found += [] if value is None else [value]
