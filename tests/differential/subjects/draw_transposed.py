"""Draws programs of transposed operands beside contiguous ones, often of 8 and 16 bits."""

from ..draw_chains import Writer

NARROW = ["int8", "uint8", "int16", "uint16", "bool", "float16", "bfloat16"]
ELEMENTS = [1000, 5000, 20000, 60000]
# Around the extents of vectors and of tiles.
EXTENTS = [2, 3, 5, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 96, 100, 127, 128, 129, 200, 257]


def draw_extents(draw):
    elements = draw.choice(ELEMENTS)
    rank = draw.choices([2, 3, 4, 5], [6, 4, 2, 1])[0]
    extents = []
    for left in range(rank, 0, -1):
        fitting = [extent for extent in EXTENTS if extent**left <= 4 * elements] or [2]
        extents.append(draw.choice(fitting))
        elements = max(1, elements // extents[-1])
    draw.shuffle(extents)
    return extents


def transposed(writer, shape):
    """Axes in another order in memory, or by a view of a contiguous array."""
    draw, rank = writer.random, len(shape)
    order = list(range(rank - 2)) + [rank - 1, rank - 2]
    if rank > 2 and draw.random() < 0.6:
        draw.shuffle(order)
    name = writer.type(NARROW)
    if draw.random() < 0.6:
        return writer.array(shape, name, order=order)
    memory = writer.array([shape[axis] for axis in order], name, contiguous=0.85)
    return writer.view(memory, *[f"p:{order.index(axis)}" for axis in range(rank)])


def draw_transposed(drawer):
    draw, writer = drawer.random, Writer(drawer)
    shape = draw_extents(draw)
    values = [transposed(writer, shape)]
    values += [
        writer.array(shape, writer.type(NARROW), contiguous=0.9) for _ in range(draw.choice([0, 1, 1, 2]))
    ]
    if draw.random() < 0.3:
        values.append(transposed(writer, shape))
    values = [value for value in values if value is not None]
    if not values:
        return
    value = writer.chain(writer.together(values), 3, values)
    if draw.random() < 0.3:
        narrow = writer.cast(value, writer.type(NARROW))
        value = value if narrow is None else narrow
    for _ in range(draw.choice([0, 0, 1, 1, 2])):
        axis = draw.randrange(len(shape))
        if draw.random() < 0.5:
            writer.along(value, axis)
        else:
            axes = draw.randrange(1, 1 << len(shape))
            writer.chain(writer.reduce(value, axes, draw.random() < 0.4), 1)
