"""Draws programs of bodies that take elements of arrays: of inputs and views, and of what is computed, reduced or
scanned."""

import math

import numpy as np

from ..draw_chains import Writer
from .draw_bodies import draw_short_bodies

EXTENTS = [1, 2, 3, 5, 7, 8, 16, 17, 33, 64, 100, 257, 1000]
STEPS = ["1:_:_", "_:-1:_", "_:_:2", "_:_:-1", "_:_:-2", "1:-1:_"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
MAX_ELEMENTS = 4000


def draw_shape(draw):
    shape = [draw.choice(EXTENTS) for _ in range(draw.choices([1, 2, 3], [6, 3, 1])[0])]
    while math.prod(shape) > MAX_ELEMENTS:
        shape[shape.index(max(shape))] = draw.choice([1, 2, 3, 5])
    return shape


def draw_view(draw, writer, array):
    rank = len(writer.shape(array))
    if rank > 1 and draw.random() < 0.5:
        return writer.view(array, *[f"p:{axis}" for axis in draw.sample(range(rank), rank)])
    items = [f"s:{draw.choice(STEPS)}" for _ in range(rank)]
    if rank > 1 and draw.random() < 0.3:
        items[draw.randrange(rank)] = draw.choice(["i:0", "i:-1"])
    return writer.view(array, *items)


def draw_source(draw, writer):
    """An array of rank 1 to 3, or None."""
    shape, chance = draw_shape(draw), draw.random()
    name = draw.choice(INTEGERS) if draw.random() < 0.3 else None
    if chance < 0.1 and len(shape) < 3:
        array = writer.array([*shape, draw.choice([1, 3, 8])], name, contiguous=0.4)
        return writer.reduce(array, 1 << len(shape), False)
    array = writer.array(shape, name, contiguous=0.4)
    if array is None or chance < 0.45:
        return array
    if chance < 0.65:
        return draw_view(draw, writer, array)
    if chance < 0.75:
        return writer.scan(array, draw.randrange(len(shape)))
    return writer.chain(array, 2)


def draw_bodies_with_elements(drawer):
    draw, writer = drawer.random, Writer(drawer)
    for _ in range(draw.choice([1, 1, 2, 3])):
        source = draw_source(draw, writer)
        if source is None:
            continue
        value = drawer.values[source]
        is_known = value.array.size and np.isinf(value.bounds).mean() < 0.3
        if 1 <= value.array.ndim <= 3 and is_known and not value.weak and source not in drawer.sources:
            drawer.sources.append(source)
    draw_short_bodies(drawer)
