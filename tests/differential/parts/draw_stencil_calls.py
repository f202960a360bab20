"""Draws programs that combine neighbours along an axis by name: diff, gradient, trapezoid, convolve and correlate."""

import math

import numpy as np

from ..draw_chains import Writer
from ..draw_data import draw_data
from ..draw_layouts import draw_layout
from ..element_types import DTYPES, is_complex, kind, to_floating
from ..program import Input, Literal, Parameter, Reduce, Stencil
from .write_parts import ALL

EXTENTS = [0, 1, 1, 2, 2, 3, 3, 4, 5, 8, 15, 16, 17, 33, 64, 100, 257, 1000, 4097]
OTHERS = [0, 1, 1, 2, 2, 3, 4, 7, 16, 33]
KERNELS = [1, 2, 3, 3, 4, 5, 5, 7, 8, 9, 15, 16, 17, 33]
ORDERS = [0, 1, 1, 1, 2, 2, 3, 4, 5, 7, 32]
STEPS = [1, 2, 0.5, 0.1, 0.25, -0.5, 3, 10.0]
MAX_ELEMENTS = 20_000


class StencilCalls:
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

    def add(self, node):
        return None if None in node.operands else self.drawer.add(node)

    def input(self, data):
        return self.drawer.add(Input(draw_layout(self.random, data) if self.random.random() < 0.4 else data))

    def dtype(self, real=False):
        names = [name for name in self.drawer.types if not real or kind(DTYPES[name]) in "iuf"]
        return DTYPES[self.random.choice(names or ["float32"])]

    def data(self, dtype, shape):
        """Elements as others, or small integers."""
        if dtype != DTYPES["bool"] and self.random.random() < 0.35:
            count = math.prod(shape)
            return np.array([self.random.randrange(0, 50) for _ in range(count)]).astype(dtype).reshape(shape)
        return draw_data(self.random, dtype, list(shape))

    def elements(self):
        """An array of one to three axes, an earlier result, or what a chain makes of these; and an axis."""
        draw = self.random
        arrays = [number for number in self.found if self.value(number).array.ndim and not self.value(number).weak]
        if arrays and draw.random() < 0.4:
            number = draw.choice(arrays)
        else:
            shape = [draw.choice(OTHERS) for _ in range(draw.choice([1, 1, 1, 2, 2, 3]))]
            shape[draw.randrange(len(shape))] = draw.choice(EXTENTS)
            while math.prod(max(extent, 1) for extent in shape) > MAX_ELEMENTS:
                shape[shape.index(max(shape))] = draw.choice([2, 3, 5])
            number = self.input(self.data(self.dtype(), shape))
        if number is not None and draw.random() < 0.35:
            number = self.writer.chain(number, 2)
        if number is None or not self.value(number).array.ndim or self.value(number).weak:
            return None, 0
        return number, draw.randrange(self.value(number).array.ndim)

    def extent(self, number, axis):
        return self.value(number).array.shape[axis]

    # Operands

    def coordinates(self, count, shape=None, axis=0):
        """Numbers that ascend, of a type that has them all."""
        draw = self.random
        steps = np.array([draw.choice([1, 1, 2, 3, 5]) for _ in range(count)])
        scale = draw.choice([1, 1, 0.25, 0.5])
        numbers = np.cumsum(steps) - draw.randrange(0, 10)
        dtype = self.dtype(real=True)
        if kind(dtype) == "f":
            numbers = np.asarray(to_floating(numbers * scale, dtype))
        else:
            numbers = numbers.astype(dtype) if count < 20 and kind(dtype) == "i" else numbers.astype(np.int32)
        if shape is not None:
            along = np.expand_dims(numbers, list(range(1, len(shape) - axis)))
            numbers = np.ascontiguousarray(np.broadcast_to(along, shape))  # inputs own their memory in this order
        return self.input(numbers)

    def step(self):
        """A number of any kind and type."""
        draw = self.random
        number = draw.choice(STEPS)
        chance = draw.random()
        if chance < 0.45 or self.drawer.profile == "int":
            is_whole = number == int(number) and draw.random() < 0.7
            if self.drawer.profile == "int":
                return self.drawer.add(Literal("int64", draw.choice([1, 2, 3, 10]), True))
            kind_of = "int64" if is_whole else "float64"
            return self.drawer.add(Literal(kind_of, int(number) if is_whole else float(number), True))
        dtype = self.dtype(real=True)
        name = next(name for name, each in DTYPES.items() if each == dtype)
        if kind(dtype) != "f":
            number = abs(int(number)) or 1
        element = to_floating(np.array(float(number)), dtype) if kind(dtype) == "f" else np.array(number, dtype)
        if chance < 0.7 and name in ("float32", "float64", "int32", "int64"):
            return self.drawer.add(Parameter(name, element.item(), False))
        return self.input(np.asarray(element))

    def spacing(self, x, axis, any_rank):
        draw = self.random
        if draw.random() < 0.5:
            return self.step()
        shape = self.value(x).array.shape
        is_full = any_rank and len(shape) > 1 and draw.random() < 0.4
        return self.coordinates(shape[axis], shape if is_full else None, axis)

    # Calls

    def diff(self):
        x, axis = self.elements()
        if x is None:
            return None
        order = self.random.choice(ORDERS)
        if order > 7 and self.value(x).array.size > 2000:
            order = 3
        return self.add(Stencil("diff", axis, order, operands=(x,)))

    def gradient(self):
        x, axis = self.elements()
        if x is None:
            return None
        ends = self.random.choice([1, 1, 2])
        if self.extent(x, axis) <= ends:
            return None  # refused() draws these
        return self.add(Stencil("gradient", axis, ends, operands=(x, self.spacing(x, axis, False))))

    def trapezoid(self):
        x, axis = self.elements()
        return None if x is None else self.add(Stencil("trapezoid", axis, 0, operands=(x, self.spacing(x, axis, True))))

    def convolution(self):
        draw = self.random
        x, axis = self.elements()
        if x is None or not self.extent(x, axis):
            return None
        extent = draw.choice([*KERNELS, *KERNELS, self.extent(x, axis), self.extent(x, axis) + 1])
        extent = min(extent, 40) if self.value(x).array.size > 2000 else min(extent, 300)
        dtype = self.value(x).dtype if draw.random() < 0.6 else self.dtype()
        kernel = self.input(self.data(dtype, [extent]))
        if kernel is not None and draw.random() < 0.25:
            kernel = self.writer.chain(kernel, 2)
        if kernel is None or self.value(kernel).array.shape != (extent,) or self.value(kernel).weak:
            return None
        function = draw.choice(["convolve", "convolve", "correlate"])
        return self.add(Stencil(function, axis, draw.randrange(3), operands=(x, kernel)))

    # What follows

    def use(self, number):
        draw, writer, chance = self.random, self.writer, self.random.random()
        rank = self.value(number).array.ndim
        if chance < 0.4:
            return writer.chain(number, 3)
        if chance < 0.6 and rank:
            return writer.along(number, draw.randrange(rank))
        if chance < 0.75:
            return writer.reduce(number, (1 << rank) - 1, draw.random() < 0.5)
        if rank:
            return writer.view(number, *draw.choices([ALL, "s:_:_:-1", "s:1:_:_", "s:_:_:2", "n"], k=rank))
        return None

    def refused(self):
        """Too few elements, coordinates or kernels of another shape."""
        draw = self.random
        matrix, row = self.writer.array([3, 2]), self.writer.array([5])
        four = self.coordinates(4)
        one, none = self.input(np.ones([1], np.float32)), self.input(np.zeros([0], np.float32))  # real: coordinates, too
        number = self.drawer.add(Literal("int64", 1, True))
        if None in (matrix, row, four, one, none, number):
            return None
        mode = draw.randrange(3)
        return draw.choice(
            [
                Stencil("diff", 1, 1, operands=(row,)),
                Stencil("diff", 0, draw.choice([33, -1]), operands=(matrix,)),
                Stencil("gradient", 0, draw.choice([1, 2]), operands=(draw.choice([one, none]), number)),
                Stencil("gradient", 1, 2, operands=(matrix, number)),
                Stencil("gradient", 0, draw.choice([1, 2]), operands=(row, four)),
                Stencil("gradient", 0, 1, operands=(row, one)),
                Stencil("trapezoid", 0, 0, operands=(row, four)),
                Stencil("convolve", 0, mode, operands=(row, none)),
                Stencil("correlate", 0, mode, operands=(none, row)),
                Stencil("convolve", 0, mode, operands=(row, matrix)),
                Stencil("convolve", 2, mode, operands=(matrix, row)),
            ]
        )


def draw_stencil_calls(drawer):
    calls, draw = StencilCalls(drawer), drawer.random
    drawer.target_share = 0.2
    makers = [calls.diff] * 2 + [calls.gradient] * 3 + [calls.trapezoid] * 2 + [calls.convolution] * 4
    for _ in range(draw.choice([1, 1, 2, 2, 3])):
        number = calls.keep(draw.choice(makers)())
        for _ in range(draw.choice([0, 1, 1, 2])):
            made = None if number is None else calls.use(number)
            number = number if made is None else calls.keep(made)
    if draw.random() < 0.06 and not hasattr(drawer, "named"):
        drawer.refused = calls.refused()
