"""Draws reductions over several axes, of which the innermost is short, and down few columns."""

from ..draw_chains import Writer

ELEMENTS = [700, 2000, 5000, 12000, 40000, 150000]


def draw_extents(draw):
    """Two to four extents of which the last is short."""
    extents = [draw.randrange(2, 25) if draw.random() < 0.85 else draw.randrange(25, 66)]
    left = max(2, draw.choice(ELEMENTS) // extents[0])
    for _ in range(draw.choices([0, 1, 2], [2, 5, 3])[0]):
        extents.append(min(left, draw.choice([2, 3, 4, 5, 8, 13, 16, 40, 64, 129])))
        left = max(2, left // extents[-1])
    middle = extents[1:] + [left]
    draw.shuffle(middle)
    return middle + extents[:1]


def draw_axes(draw, rank):
    """The bits of the last axis and another; or of all axes before the last."""
    if rank == 2 or draw.random() < 0.25:
        return (1 << (rank - 1)) - 1
    return 1 << (rank - 1) | draw.randrange(1, 1 << (rank - 1))


def draw_several_axes(drawer):
    draw, writer = drawer.random, Writer(drawer)
    shape = draw_extents(draw)
    rank = len(shape)
    values = [writer.array(shape, contiguous=0.8)]
    for _ in range(draw.choice([0, 1, 1, 2])):
        order = list(range(rank))
        draw.shuffle(order)
        values.append(writer.array(shape, order=order) if draw.random() < 0.5 else writer.array(shape))
    values = [value for value in values if value is not None]
    if not values:
        return
    value = writer.chain(writer.together(values), 3, values)
    axes = draw_axes(draw, rank)
    for _ in range(draw.choice([1, 1, 2, 3])):
        made = writer.reduce(value, axes, draw.random() < 0.4)
        if made is None:
            continue
        if writer.shape(made) and len(writer.shape(made)) == rank and draw.random() < 0.5:
            again = writer.beside(value, made)
            value = value if again is None else again
        else:
            writer.chain(made, 1)
