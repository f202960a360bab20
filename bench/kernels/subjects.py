"""What people write first: subjects of drawn programs. Each function gets a Maker, draws extents and sets its results.

Extents are halved where the program does not fit its target's limits. Arrays are contiguous or unaligned, but for
operands of short rows, which are also broadcast.
"""
from element_types import HALVES, KINDS

ALL = "s:_:_:_"
PLAIN = {"contiguous": 85, "unaligned": 15}
FLOATING = {"float32": 60, "float16": 14, "bfloat16": 14, "float64": 12}
# Logarithms of base 2 of the elements of short rows.
ELEMENTS = {"cuda": (20, 27), "cpu": (17, 24)}


# ---- steps ----
def floating(body, value, draws):
    """The value as floating numbers."""
    kind = body.types[value]
    if KINDS[kind] == "c":
        return body.apply("absolute", value, checked=False)
    return value if KINDS[kind] == "f" else body.cast(value, draws.pick(("float32", "float32", "float16")),
                                                      checked=False)


def newaxis(body, value, axis):
    shape = body.shapes[value]
    items = [ALL] * axis + ["n"] + [ALL] * (len(shape) - axis)
    return body.view(value, items, shape[:axis] + (1,) + shape[axis:])


def at_index(body, value, index):
    """The value at an index of its last axis."""
    shape = body.shapes[value]
    return body.view(value, [ALL] * (len(shape) - 1) + [f"i:{index}"], shape[:-1])


def permuted(body, value, axes):
    return body.view(value, [f"p:{axis}" for axis in axes], [body.shapes[value][axis] for axis in axes])


def bounded(body, value, low, high):
    """The same value, said to be in a range: data are random, so far bounds of sums and powers are never met."""
    body.bounds[value] = (low, high)
    return value


def chained(maker, value, max_length):
    """Up to `max_length` operations on one value, each doubling as likely. None comes twice, and one limit at most: of a
    minimum and a maximum nothing but a number may be left."""
    draws, body = maker.draws, maker.body
    limit = draws.pick(("maximum", "minimum"))
    ops = draws.shuffled(("tanh", "square", "absolute", "multiply", "add", limit, "exp", "sqrt"))
    for op in ops[:draws.count_to(max_length + 1) - 1]:
        if op in ("multiply", "add", limit):
            made = body.apply(op, value, body.literal(draws.pick((0.25, 0.5, 0.75, 1.5))))
        else:
            made = body.apply(op, value)
        value = value if made is None else made
    return value


def log_sum_exp(body, value, mask):
    top = body.reduce("max", value, mask, True)
    power = body.apply("exp", bounded(body, body.apply("subtract", value, top, checked=False), -8, 0))
    total = bounded(body, body.reduce("sum", power, mask, True), 1, 4096)
    return body.apply("add", body.apply("log", total), top, checked=False)


# ---- rows and columns ----
def short_rows(maker):
    """Rows of 2 to 64 elements: reductions along them, one or several, scans, and what meets the elements again."""
    draws = maker.draws
    length = draws.between(2, 24) if draws.chance(75) else draws.between(25, 64)
    low, high = ELEMENTS[maker.target]
    rows = maker.halved(round(2 ** (low + draws.real() * (high - low)) / length) + draws.between(-3, 3))
    front = draws.between(2, 9) if draws.chance(30) else 1
    maker.extents = (front, max(1, rows // front), length) if front > 1 else (rows, length)
    maker.rank, maker.reduced = len(maker.extents), 1 << (len(maker.extents) - 1)
    maker.layouts = {"contiguous": 76, "unaligned": 12, "broadcast": 12}
    maker.max_steps = 12
    getattr(maker, draws.weighted({"reduce": 45, "broadcast_back": 40, "scan": 15}))()


def few_columns(maker):
    """Reductions of 2 to 63 adjacent columns, and over several axes of which the innermost is as short."""
    draws = maker.draws
    innermost = draws.between(2, 24) if draws.chance(70) else draws.between(25, 63)
    low, high = ELEMENTS[maker.target]
    rows = maker.halved(max(8, round(2 ** (low + draws.real() * (high - low)) / innermost) + draws.between(-3, 3)))
    if draws.chance(40):
        maker.extents, maker.reduced = (rows, innermost), 1
    else:
        outer = min(rows, draws.between(4, 200))
        maker.extents, maker.reduced = (outer, max(1, rows // outer), innermost), 5
        if draws.chance(30):
            maker.extents, maker.reduced = (draws.between(2, 5),) + maker.extents, 10
        elif draws.chance(30):
            maker.extents = (max(1, rows // outer), outer, innermost)
    maker.rank = len(maker.extents)
    maker.layouts = {"contiguous": 76, "unaligned": 10, "permuted": 8, "broadcast": 6}
    maker.max_steps = 12
    getattr(maker, draws.weighted({"reduce": 70, "broadcast_back": 30}))()


def rows_and_columns(maker):
    """Softmax and its like along the first axis, columns to mean 0 and deviation 1, log-sum-exp of long odd rows."""
    draws, body = maker.draws, maker.body
    first = draws.chance(65)
    long = maker.halved(maker.extent(1000, 200_000) | 1 if not first or draws.chance(50) else maker.extent(64, 60_000))
    other = max(1, min(maker.extent(16, 4096), maker.halved(2 ** 27) // long))
    maker.extents = (long, other) if first else (other, long)
    maker.rank, maker.reduced = 2, 1 if first else 2
    kind = draws.weighted(FLOATING) if first else draws.pick(HALVES + HALVES + ("float32",))
    value = maker.operand(kind, layouts=PLAIN)
    if kind in HALVES and draws.chance(40):
        value = body.cast(value, "float32")
    value = chained(maker, value, 3)
    if draws.chance(70 if not first else 30):
        maker.out = [log_sum_exp(body, value, maker.reduced)]
    else:
        made = getattr(maker, draws.pick(("softmax", "normalise", "centre", "scale")))(value)
        maker.out = [made if body.types[made] == kind or draws.chance(50) else body.cast(made, kind, checked=False)]


def whole_rows(maker):
    """Contiguous rows of 2 to 2^20 elements, many and few, that are reduced or meet their elements again."""
    draws, body = maker.draws, maker.body
    few = draws.chance(40)
    length = max(2, round(2 ** (12 + 8 * draws.real() if few else 1 + 19 * draws.real())))
    if draws.chance(60):
        length = -(-length // 8) * 8
    length = max(2, maker.halved(length))
    low, high = ELEMENTS[maker.target]
    rows = draws.between(1, 256) if few else round(2 ** (low + draws.real() * (high - low)) / length)
    maker.extents = (max(1, maker.halved(max(1, rows) * length) // length), length)
    maker.rank, maker.reduced = 2, 2
    kind = draws.weighted(FLOATING)
    value = maker.operand(kind, layouts=PLAIN)
    if kind in HALVES and draws.chance(40):
        value = body.cast(value, "float32")
    value = chained(maker, value, 3)
    if draws.chance(35):
        maker.out = [body.reduce(draws.pick(("sum", "sum", "max", "min")), value, maker.reduced, draws.chance(50))]
    elif draws.chance(25):
        maker.out = [log_sum_exp(body, value, maker.reduced)]
    else:
        made = getattr(maker, draws.pick(("softmax", "normalise", "centre", "scale")))(value)
        maker.out = [made if body.types[made] == kind or draws.chance(50) else body.cast(made, kind, checked=False)]


# ---- pairs ----
def pairs(maker):
    draws = maker.draws
    draws.pick((nearest_centres, nearest_centres, forces, split_coordinates, counts_in_bins))(maker)


def point_type(draws):
    return draws.weighted(FLOATING | {"int32": 6})


def nearest_centres(maker):
    """x(:, None, :) beside y(None, :, :), as k-means assigns points to centres."""
    draws, body, kind = maker.draws, maker.body, point_type(maker.draws)
    points, centres = maker.halved(maker.extent(100_000, 300_000)), maker.extent(8, 64)
    coordinates = draws.between(2, 16)
    x = newaxis(body, maker.operand(kind, (points, coordinates), PLAIN), 1)
    y = newaxis(body, maker.operand(kind, (centres, coordinates), PLAIN), 0)
    if draws.chance(20):
        apart = body.apply("multiply", x, y, checked=False)
    else:
        apart = body.apply("subtract", x, y, checked=False)
        apart = body.apply(draws.pick(("square", "square", "absolute")), apart, checked=False)
    distance = body.reduce(draws.pick(("sum", "sum", "sum", "max")), apart, 4, False)
    maker.out = reduced_over_pairs(maker, distance)


def reduced_over_pairs(maker, distance):
    """One or two reductions over an axis of pairs."""
    draws, body = maker.draws, maker.body
    if KINDS[body.types[distance]] == "f" and draws.chance(30):
        scaled = bounded(body, body.apply("multiply", distance, body.literal(-0.5), checked=False), -8, 0)
        distance = body.apply("exp", scaled)
    axis = 2 if draws.chance(80) else 1
    made = [body.reduce(draws.pick(("argmin", "argmin", "min", "sum", "max")), distance, axis, draws.chance(15))]
    if draws.chance(30):
        made.append(body.reduce(draws.pick(("min", "sum", "argmax")), distance, axis if draws.chance(70) else 3, False))
    return made


def forces(maker):
    """Each of 1000 to 3000 bodies beside all: what is reduced over the coordinates meets the differences again."""
    draws, body = maker.draws, maker.body
    kind = draws.weighted({"float32": 75, "float64": 25})
    count, coordinates = maker.halved(maker.extent(1000, 3000)), draws.between(2, 3)
    x = maker.operand(kind, (count, coordinates), PLAIN)
    apart = body.apply("subtract", newaxis(body, x, 0), newaxis(body, x, 1), checked=False)
    total = body.reduce("sum", body.apply("square", apart, checked=False), 4, True)
    near = bounded(body, body.apply("add", total, body.literal(0.01), checked=False), 0.25, 16)
    inverse = body.apply("rsqrt", near)
    cube = body.apply("multiply", body.apply("square", inverse), inverse)
    if draws.chance(60):
        masses = maker.operand(kind, (count,), PLAIN)
        cube = body.apply("multiply", cube, newaxis(body, newaxis(body, masses, 0), 2), checked=False)
    force = body.apply("multiply", apart, cube, checked=False)
    maker.out = [body.reduce("sum", force, 2, False)]
    if draws.chance(25):
        maker.out.append(body.reduce("sum", inverse, 7, False))  # potential energy


def split_coordinates(maker):
    """The distances of pairs, coordinate by coordinate: of arrays of their own or of columns of one."""
    draws, body, kind = maker.draws, maker.body, point_type(maker.draws)
    many, few, coordinates = maker.halved(maker.extent(1000, 200_000)), maker.extent(8, 2000), draws.between(2, 4)
    few = max(1, min(few, maker.halved(2 ** 27) // many))
    if draws.chance(50):
        of = [[maker.operand(kind, (extent,), PLAIN) for _ in range(coordinates)] for extent in (many, few)]
    else:
        whole = [maker.operand(kind, (extent, coordinates), PLAIN) for extent in (many, few)]
        of = [[at_index(body, value, index) for index in range(coordinates)] for value in whole]
    total = None
    for x, y in zip(*of):
        apart = body.apply("subtract", newaxis(body, x, 1), newaxis(body, y, 0), checked=False)
        square = body.apply("square", apart, checked=False)
        total = square if total is None else body.apply("add", total, square, checked=False)
    maker.out = reduced_over_pairs(maker, total)


def counts_in_bins(maker):
    """A histogram: elements beside bins, counted or summed up."""
    draws, body = maker.draws, maker.body
    kind = draws.pick(("float32", "float32", "int32", "uint8", "int64", "float16"))
    count, bins = maker.halved(maker.extent(100_000, 3_000_000)), maker.extent(8, 256)
    elements = newaxis(body, maker.operand(kind, (count,), PLAIN), 1)
    lower = newaxis(body, maker.operand(kind, (bins,), PLAIN), 0)
    within = body.apply("equal" if KINDS[kind] != "f" else "greater_equal", elements, lower)
    if KINDS[kind] == "f" and draws.chance(60):
        upper = newaxis(body, maker.operand(kind, (bins,), PLAIN), 0)
        within = body.apply("logical_and", within, body.apply("less", elements, upper))
    if draws.chance(30):
        within = body.apply("where", within, elements, body.literal(0.0 if KINDS[kind] == "f" else 0))
    maker.out = [body.reduce("sum", within, 1 if draws.chance(80) else 2, False)]


# ---- stencils and pipelines ----
def star(rank, reach):
    """The centre, and each neighbour along an axis."""
    away = [distance for distance in range(-reach, reach + 1) if distance]
    return [(0,) * rank] + [tuple(distance if axis == along else 0 for axis in range(rank))
                            for along in range(rank) for distance in away]


NINE = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]


def stencil_of(maker, value, points):
    """A weighted sum of windows over the last axes; None where these are too short."""
    draws, body, shape = maker.draws, maker.body, maker.body.shapes[value]
    front, rank = len(shape) - len(points[0]), len(points[0])
    reaches = [max(abs(point[axis]) for point in points) for axis in range(rank)]
    if any(extent <= 2 * reach for extent, reach in zip(shape[front:], reaches)):
        return None
    inner = shape[:front] + tuple(extent - 2 * reach for extent, reach in zip(shape[front:], reaches))
    count = len(points) if draws.chance(70) else 1
    weights = [draws.pick((0.25, 0.5, 0.125, -1.0)) for _ in range(count)]
    total = None
    for number, point in enumerate(points):
        items = [f"s:{reach + shift}:{shift - reach or '_'}:_" if reach else ALL
                 for shift, reach in zip(point, reaches)]
        window = body.view(value, [ALL] * front + items, inner)
        if len(weights) > 1:
            window = body.apply("multiply", window, body.literal(weights[number]), checked=False)
        total = window if total is None else body.apply("add", total, window, checked=False)
    if len(weights) == 1:
        total = body.apply("multiply", total, body.literal(weights[0]), checked=False)
    return bounded(body, total, -4, 4)


def stencils(maker):
    """One stencil of one array, in three dimensions mostly."""
    draws, body = maker.draws, maker.body
    rank = draws.weighted({1: 10, 2: 25, 3: 65})
    low, high = ELEMENTS[maker.target]
    elements = 2 ** (low + draws.real() * (high - low))
    row = min(maker.extent(8, 4096), elements / 4 ** rank) if rank > 1 else elements
    sides = [max(3, round((elements / row) ** (1 / max(1, rank - 1)))) for _ in range(rank - 1)]
    extents = (*sides, max(5, round(row)))
    source = maker.operand(draws.weighted(FLOATING), maker.fitted(*extents), PLAIN)
    value = source if draws.chance(60) else chained(maker, source, 3)
    value = stencil_of(maker, value, star(rank, 1 if draws.chance(80) else 2))
    maker.out = [chained(maker, source if value is None else value, 4)]


def pipeline(maker):
    """Two to four of interleaved channels, stencils, views, elementwise chains, and reductions whose results meet the
    elements again; some end with a reduction."""
    draws, body = maker.draws, maker.body
    low, high = ELEMENTS[maker.target]
    elements = 2 ** (low + draws.real() * (high - low))
    width = maker.extent(16, 8192)
    height, width = maker.fitted(max(8, min(8192, round(elements / width))), width)
    count = draws.between(2, 4)
    stages = [draws.pick(("stencil", "stencil", "view", "chain", "back")) for _ in range(count)]
    if draws.chance(55):
        value, stages = grey(maker, height, width), stages[1:]
    else:
        value = floating(body, maker.operand(draws.weighted(FLOATING | {"uint8": 12}), (height, width), PLAIN), draws)
    for stage in stages:
        made = PIPELINE[stage](maker, value)
        value = value if made is None else made
    if draws.chance(25):
        axes = draws.pick((1, 2, 3))
        maker.out = [body.reduce(draws.pick(("sum", "max", "min")), value, axes, False)]
    else:
        maker.out = [value]
    if body.nodes[value]["k"] in ("view", "input"):
        maker.out = [body.apply("multiply", maker.out[0], body.literal(0.5), checked=False)]
    if draws.chance(25):
        kinds = ("float16", "bfloat16") if body.types[maker.out[0]] == "float32" else ("float32",)
        made = body.cast(maker.out[0], draws.pick(kinds), checked=False)
        maker.out = [maker.out[0] if made is None else made]


def grey(maker, height, width):
    """A weighted sum of an image's channels, which lie beside each other."""
    draws, body = maker.draws, maker.body
    channels = draws.pick((2, 3, 3, 3, 4))
    image = maker.operand(draws.pick(("uint8", "uint8", "float32", "float16")), (height, width, channels), PLAIN)
    total = None
    for channel in range(min(channels, 3)):
        one = at_index(body, image, channel)
        one = body.cast(one, "float32") if body.types[one] == "uint8" else one
        part = body.apply("multiply", one, body.literal(draws.pick((0.25, 0.5, 0.125))), checked=False)
        total = part if total is None else body.apply("add", total, part, checked=False)
    return bounded(body, total, 0, 4)


def sobel(maker, value):
    """The sum of the magnitudes of differences along both axes."""
    body, shape = maker.body, maker.body.shapes[value]
    if min(shape) < 3:
        return None
    parts = []
    for along in (0, 1):
        total = None
        for side, across in ((1, 0), (1, -1), (1, 1), (-1, -1), (-1, 0), (-1, 1)):
            point = (side, across) if along == 0 else (across, side)
            items = [f"s:{1 + shift}:{shift - 1 or '_'}:_" for shift in point]
            window = body.view(value, items, tuple(extent - 2 for extent in shape))
            if across == 0:
                window = body.apply("multiply", window, body.literal(2.0), checked=False)
            total = window if total is None else body.apply("add" if side > 0 else "subtract", total, window,
                                                            checked=False)
        parts.append(body.apply("absolute", total, checked=False))
    return bounded(body, body.apply("add", *parts, checked=False), 0, 4)


def pipeline_stencil(maker, value):
    chance = maker.draws.below(100)
    if chance < 30:
        return sobel(maker, value)
    return stencil_of(maker, value, NINE if chance < 55 else star(2, 1) if chance < 80 else [(0, 1), (0, -1)])


def pipeline_view(maker, value):
    """Turned or reversed."""
    draws, body, shape = maker.draws, maker.body, maker.body.shapes[value]
    if draws.chance(50):
        return permuted(body, value, (1, 0))
    along = draws.pick(((0,), (1,), (0, 1)))
    return body.view(value, ["s:_:_:-1" if axis in along else ALL for axis in (0, 1)], shape)


def pipeline_back(maker, value):
    maker.reduced = maker.draws.pick((1, 2, 3))
    return getattr(maker, maker.draws.pick(("centre", "scale", "normalise", "softmax")))(value)


PIPELINE = {"stencil": pipeline_stencil, "view": pipeline_view, "back": pipeline_back,
            "chain": lambda maker, value: chained(maker, value, 6)}


# ---- layouts and types ----
def conversions(maker):
    draws = maker.draws
    draws.pick((dequantised, channels_permuted, axes_permuted, gated))(maker)


def matrix(maker):
    """Extents of rows and columns, as many elements as those of short rows."""
    low, high = ELEMENTS[maker.target]
    elements = 2 ** (low + maker.draws.real() * (high - low))
    columns = maker.extent(16, 16384)
    return maker.fitted(max(1, round(elements / columns)), columns)


def dequantised(maker):
    """Small integers times a scale for each channel, which is a row or a column."""
    draws, body = maker.draws, maker.body
    rows, columns = matrix(maker)
    kind = draws.pick(("float32", "float16", "bfloat16"))
    value = maker.operand(draws.pick(("int8", "int8", "uint8")), (rows, columns), PLAIN)
    channels = (columns,) if draws.chance(60) else (rows, 1)
    value = body.cast(value, kind, checked=False)
    if draws.chance(40):
        zero = maker.operand("int8", channels, PLAIN)
        value = body.apply("subtract", value, body.cast(zero, kind, checked=False), checked=False)
    value = body.apply("multiply", value, maker.operand(kind, channels, PLAIN), checked=False)
    maker.out = [chained(maker, bounded(body, value, -4, 4), 3)]


def channels_permuted(maker):
    """An image of 8 bits between interleaved and planar channels, sometimes to floating numbers on the way."""
    draws, body = maker.draws, maker.body
    rows, columns = matrix(maker)
    channels, front = draws.pick((2, 3, 3, 3, 4)), draws.pick((1, 1, 4, 16))
    front = front if rows >= channels * front else 1
    rows = max(1, rows // (channels * front))
    interleaved = draws.chance(60)
    shape = (front, rows, columns, channels) if interleaved else (front, channels, rows, columns)
    value = permuted(body, maker.operand("uint8", shape, PLAIN), (0, 3, 1, 2) if interleaved else (0, 2, 3, 1))
    if draws.chance(60):
        kind = draws.pick(("float32", "float16", "bfloat16"))
        value = body.apply("multiply", body.cast(value, kind), body.literal(1 / 255), checked=False)
        mean = maker.operand(kind, (channels, 1, 1) if interleaved else (channels,), PLAIN)
        value = body.apply("subtract", value, mean, checked=False)
    else:
        value = body.apply("add", value, body.literal(1))
    maker.out = [value]


def axes_permuted(maker):
    """Four or five axes in another order, as attention and convolutions turn them."""
    draws, body = maker.draws, maker.body
    rank = 5 if draws.chance(75) else 4
    low, high = ELEMENTS[maker.target]
    parts = [0.2 + draws.real() for _ in range(rank)]
    exponent = low + draws.real() * (high - low)
    extents = [max(1, round(2 ** (exponent * part / sum(parts)))) for part in parts]
    order = draws.shuffled(range(rank))
    value = maker.operand(draws.pick(("float32", "float16", "bfloat16", "uint8", "int16", "float64")),
                          maker.fitted(*extents), PLAIN)
    made = permuted(body, value, order)
    if KINDS[body.types[made]] == "f":
        made = body.apply("multiply", made, body.literal(0.5), checked=False)
        maker.out = [chained(maker, made, 3)]
    else:
        maker.out = [body.apply("add", made, body.literal(1))]


def gated(maker):
    """A product with a gate, of two arrays or of the halves of one."""
    draws, body = maker.draws, maker.body
    rows, columns = matrix(maker)
    kind = draws.weighted({"bfloat16": 60, "float16": 25, "float32": 15})
    if draws.chance(50):
        whole = maker.operand(kind, (rows, 2 * columns), PLAIN)
        gate = body.view(whole, [ALL, f"s:_:{columns}:_"], (rows, columns))
        value = body.view(whole, [ALL, f"s:{columns}:_:_"], (rows, columns))
    else:
        gate, value = (maker.operand(kind, (rows, columns), PLAIN) for _ in range(2))
    opened = body.apply(draws.pick(("expit", "expit", "tanh", "erf")), gate)
    if draws.chance(70):
        opened = body.apply("multiply", opened, gate, checked=False)
    maker.out = [body.apply("multiply", opened, value, checked=False)]


SUBJECTS = {"short_rows": (short_rows, 22), "few_columns": (few_columns, 12), "whole_rows": (whole_rows, 10),
            "pairs": (pairs, 18),
            "pipeline": (pipeline, 16), "stencils": (stencils, 10), "rows_and_columns": (rows_and_columns, 11),
            "conversions": (conversions, 11)}
