"""Draws gathers that the C++ front end has by name: take and gather, and arrays of indices in x(…). They are gathers
of views."""

import math

from ..program import Extent, Literal
from .write_parts import ALL, NEW

MAX_RANK = 6
BOUNDARIES = {"checked": "", "wrap": ", boundary::wrap", "clip": ", boundary::clip"}


def draw_indices(parts, x, extents, axis, rule):
    """Integers of some shape, which are in range of an axis if the rule is checked."""
    index = parts.indices(extents)
    if index is None or rule != "checked":
        return index
    return parts.in_range(index, parts.drawer.add(Extent(axis, operands=(x,))))


def taken(parts, x, index, axis, rule):
    """Elements along an axis, whose place the axes of the indices take."""
    if x is None or index is None:
        return None
    rank, count = len(parts.shape(x)), len(parts.shape(index))
    rows = parts.writer.view(x, *[ALL] * axis, *[NEW] * count)
    column = parts.writer.view(index, *[NEW] * axis, *[ALL] * count, *[NEW] * (rank - axis))
    made = parts.parts.gather(rows, column, axis + count, rule)
    return parts.writer.view(made, *[ALL] * (axis + count), "i:0")


def index_shape(parts, left):
    """Up to two axes, which leave the result as small as others."""
    shape = [parts.random.choice([1, 2, 3, 5, 16, 33]) for _ in range(parts.random.choice([0, 1, 1, 1, 2]))]
    return shape if math.prod(shape) * left <= parts.elements else shape[:1]


def draw_take(parts, x):
    draw, shape = parts.random, parts.shape(x)
    axis, rule = parts.axis(x), draw.choice(["checked", "checked", "wrap", "clip"])
    extents = index_shape(parts, math.prod(shape) // shape[axis])
    if len(shape) + len(extents) > MAX_RANK:
        return None
    index = draw_indices(parts, x, extents, axis, rule)
    text = f"take({{0}}, {{1}}, {parts.parts.axis_text(x, axis)}{BOUNDARIES[rule]})"
    if rule == "checked" and extents and draw.random() < 0.5:
        text = f"{{0}}({', '.join(['all()'] * axis + ['{1}'])})"
    return parts.parts.name(taken(parts, x, index, axis, rule), "take", (x, index), text)


def position_from(parts, index, length):
    """The position of an index that may count from the end."""
    apply = parts.writer.apply
    is_negative = apply("less", index, parts.drawer.add(Literal("int64", 0, True)))
    return apply("where", is_negative, apply("add", index, length), index)


def draw_gather(parts, x):
    """Elements at indices of the first two axes."""
    draw, shape = parts.random, parts.shape(x)
    extents = index_shape(parts, math.prod(shape[2:]))
    indices = [draw_indices(parts, x, extents[each % 2 :] if each else extents, each, "checked") for each in (0, 1)]
    if None in indices or len(shape) + len(extents) > MAX_RANK + 1:
        return None
    lengths = [parts.drawer.add(Extent(axis, operands=(x,))) for axis in (0, 1)]
    rows, columns = (position_from(parts, index, length) for index, length in zip(indices, lengths))
    position = parts.writer.apply("add", parts.writer.apply("multiply", rows, lengths[1]), columns)
    made = taken(parts, parts.parts.merged(x, 0), position, 0, "checked")
    is_view = all(parts.shape(index) for index in indices) and draw.random() < 0.5
    return parts.parts.name(made, "gather", (x, *indices), "{0}({1}, {2})" if is_view else "gather({0}, {1}, {2})")


def draw_named_gather(parts, x):
    shape = parts.shape(x)
    if not math.prod(shape):
        return None
    return (draw_gather if len(shape) > 1 and parts.random.random() < 0.4 else draw_take)(parts, x)
