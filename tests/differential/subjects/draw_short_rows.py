"""Draws programs of many short rows: the last axis has 1 to 24 elements, now and then up to 64."""

from ..draw_chains import Writer

ELEMENTS = [700, 2000, 5000, 5000, 12000, 40000]


def leading_extents(draw, rows):
    """One to three extents for about so many rows."""
    extents = []
    for _ in range(draw.choice([0, 0, 0, 1, 1, 2])):
        extents.append(draw.choice([1, 2, 3, 5, 7, 8, 13]))
        rows = max(1, rows // extents[-1])
    return extents + [rows]


def draw_short_rows(drawer):
    draw, writer = drawer.random, Writer(drawer)
    length = draw.randrange(1, 25) if draw.random() < 0.85 else draw.randrange(25, 65)
    rows = max(1, draw.choice(ELEMENTS) // length + draw.randrange(-3, 4))
    leading = leading_extents(draw, rows)
    last, shape = len(leading), leading + [length]
    shapes = [shape] + draw.choices(
        [shape, leading + [1], [length], [1, length]], k=draw.choice([0, 1, 1, 2])
    )
    name = writer.type()
    arrays = [writer.array(shape, name if draw.random() < 0.5 else None) for shape in shapes]
    arrays = [array for array in arrays if array is not None]
    value = writer.chain(arrays[0], 4, arrays)
    results = []
    for _ in range(draw.choice([1, 1, 2, 2, 3])):
        made = writer.along(value, last)
        results += [] if made is None else [made]
        if made is not None and writer.shape(made) == tuple(shape) and draw.random() < 0.5:
            value = made
    for result in results:
        rank = len(writer.shape(result))
        if rank and draw.random() < 0.3:
            # rows of one program with columns, or with all elements
            axes = draw.choice([1, 1 << (rank - 1), (1 << rank) - 1])
            writer.reduce(writer.chain(result, 1), axes, draw.random() < 0.3)
