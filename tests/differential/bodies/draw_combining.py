"""Draws programs of reductions and scans by bodies: reduce_by and scan_by, and what is computed around them."""

import numpy as np

from ..draw_chains import Writer
from ..draw_layouts import draw_layout
from ..element_types import BOOL, DTYPES, NAMES, is_complex, kind
from ..program import Cast, Component, Input, Literal, Parameter, Reduce, ReduceBy, ScanBy
from .draw_bodies import Scope, together
from .draw_combines import FLOATING, TEMPLATES, Steps

EXTENTS = [1, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 47, 63, 64, 65, 100, 129, 257]
LONG_EXTENTS = [1000, 1024, 2047, 4097, 9000]
MAX_VALUES = 4
# Of rows of floating numbers, which the oracle computes many times.
MAX_FLOATING, MAX_WHOLE = 20_000, 120_000
TRIES = 5


def draw_shape(draw):
    chance = draw.random()
    if chance < 0.05:
        return draw.choice([[100_000], [1, 100_000], [100_000, 1], [3, 30_000], [30_000, 3]])
    if chance < 0.12:
        return draw.choice([[5000, 4], [2, 1500, 5], [700, 33], [4, 20_000], [20_000, 2]])
    shape = [draw.choice(EXTENTS) for _ in range(draw.choice([1, 1, 2, 2, 2, 3, 3, 4]))]
    if draw.random() < 0.3:
        shape[draw.randrange(len(shape))] = draw.choice(LONG_EXTENTS)
    if draw.random() < 0.08:
        shape[draw.randrange(len(shape))] = 0
    while np.prod(shape, dtype=np.float64) > 12_000 and len(shape) > 1:
        shape[draw.randrange(len(shape))] = draw.choice([1, 2, 3])
    return shape


def draw_inputs(writer, shape):
    """Arrays of the shape, and of shapes that broadcast to it."""
    draw = writer.random
    arrays = [writer.array(shape)]
    for _ in range(draw.choice([0, 1, 1, 2])):
        part = shape[draw.randrange(len(shape)) :] if draw.random() < 0.35 else shape
        arrays.append(writer.array([1 if draw.random() < 0.12 else extent for extent in part]))
    return [array for array in arrays if array is not None]


class Values:
    """Draws the values that a template combines, from arrays that broadcast with each other."""

    def __init__(self, writer, arrays):
        self.writer, self.drawer, self.random = writer, writer.drawer, writer.random
        self.arrays = arrays

    def dtype(self, number):
        return self.drawer.values[number].dtype

    def number(self, value):
        return self.drawer.add(Literal("int64" if isinstance(value, int) else "float64", value, True))

    def source(self):
        draw = self.random
        number = draw.choice(self.arrays)
        if draw.random() < 0.35:
            number = self.writer.chain(number, 2, self.arrays)
        return self.apply("real", number) if is_complex(self.dtype(number)) else number

    def apply(self, operation, *operands):
        return self.drawer.apply(operation, *operands)

    def cast(self, number, name):
        if number is None or NAMES[self.dtype(number)] == name:
            return number
        return self.drawer.add(Cast(name, operands=(number,)))

    def draw(self, word, name, before):
        if word == "same" and before is not None:
            return before
        if word in ("one", "zero"):
            return self.drawer.add(Literal(name, int(word == "one"), False))
        number = self.fresh(name) if self.random.random() < 0.5 else self.source()
        if word == "bool" or name == "bool":
            return self.truth(number)
        if word in ("small", "place", "sparse"):
            return self.small(number, word, name)
        if kind(DTYPES[name]) == "f":
            return self.floating(number, word, name)
        return self.cast(number, name)

    def fresh(self, name):
        """An input of the type, or of one near it, whose elements differ, so that none can be lost unseen."""
        draw, dtype = self.random, DTYPES[name]
        shape = self.writer.shape(self.arrays[0])
        generator = np.random.default_rng(draw.getrandbits(64))
        if kind(dtype) == "b":
            data = generator.random(shape) < draw.choice([0.02, 0.3, 0.7, 0.98])
        elif kind(dtype) == "f":
            data = generator.normal(0, 2, shape)
        elif draw.random() < 0.5:
            limits = np.iinfo(dtype)
            data = generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
        else:
            data = generator.integers(0, 100, shape)
        data = np.asarray(data).astype(dtype)
        return self.drawer.add(Input(draw_layout(draw, data) if draw.random() < 0.2 else data))

    def truth(self, number):
        if self.dtype(number) == BOOL:
            return number
        limit = self.number(self.random.choice([0, 1, 3]))
        return self.apply(self.random.choice(["greater", "less", "not_equal"]), number, limit)

    def small(self, number, word, name):
        """Integers from 0 to some number; many zeros if they are to be sparse."""
        whole = self.cast(number, "int64" if kind(self.dtype(number)) in "fb" else NAMES[self.dtype(number)])
        limit = self.number(self.random.choice([2, 5, 100] if name in ("int8", "uint8") else [3, 17, 100, 997]))
        small = self.apply("remainder", whole, limit)
        if word == "sparse":
            zero = self.apply("not_equal", self.apply("remainder", small, self.number(3)), self.number(1))
            small = self.apply("where", zero, self.number(0), small)
        return self.cast(small, name)

    def floating(self, number, word, name):
        """Numbers of a size at which sums are known, and no NaN where numbers are compared."""
        number = self.cast(number, name)
        if word == "any":
            return number
        if word == "number":
            return self.apply("where", self.apply("isnan", number), self.number(0.0), number)
        if self.random.random() < 0.1 and word == "calm":
            return number
        number = self.apply("where", self.apply("isfinite", number), number, self.number(0.5))
        limit = 0.9 if word == "factor" else 8.0
        return self.apply("clip", number, self.number(-limit), self.number(limit))


def draw_modulus(drawer, name):
    """A positive scalar: a number, a parameter, or computed from a reduction over everything."""
    draw, chance = drawer.random, drawer.random.random()
    value = draw.choice([2, 7, 97, 101])
    if chance < 0.3:
        return drawer.add(Literal(name, value, False))
    if chance < 0.5:
        return drawer.add(Parameter(name, value, False))
    found = [
        number
        for number in drawer.arrays()
        if kind(drawer.values[number].dtype) in "iu" and 0 < drawer.values[number].array.size
    ]
    if not found:
        return drawer.add(Literal(name, value, False))
    number = draw.choice(found)
    largest = drawer.add(Reduce("max", (1 << drawer.rank(number)) - 1, False, operands=(number,)))
    if largest is None:
        return None
    rest = drawer.apply("remainder", largest, drawer.add(Literal("int64", 97, True)))
    rest = drawer.apply("add", rest, drawer.add(Literal("int64", 3, True)))
    return None if rest is None else drawer.add(Cast(name, operands=(rest,)))


def draw_identity(drawer, name, template):
    """A number, mostly of the type; a scalar that is computed, sometimes."""
    draw, dtype = drawer.random, DTYPES[name]
    choices = [0, 1, *template.identities] + ([-5] if kind(dtype) in "if" else [])
    if kind(dtype) == "f":
        choices += [float("-inf"), float("inf"), 0.5]
    value = draw.choice(choices)
    if kind(dtype) in "iu":
        limits = np.iinfo(dtype)
        value = draw.choice([value, value, int(limits.min), int(limits.max)])
        value = max(int(limits.min), min(int(limits.max), value))
    if kind(dtype) == "b":
        return drawer.add(Literal("bool", value != 0, False))
    chance = draw.random()
    if chance < 0.15 and isinstance(value, int) and abs(value) < 100:
        return drawer.add(Literal("int64", value, True))
    if chance < 0.25:
        return drawer.add(Parameter(name, value, False))
    return drawer.add(Literal(name, value, False))


def draw_templates(drawer, ordered):
    """One or two templates, whose values together are at most four, and their types."""
    draw, chosen = drawer.random, []
    allowed = set(drawer.types) | {"int32", "uint32", "bool"}
    if drawer.profile == "int":
        allowed -= set(FLOATING)
    for _ in range(draw.choice([1, 1, 1, 2])):
        template = draw.choice([each for each in TEMPLATES if ordered or each.commutes])
        types = template.types(draw, allowed)
        count = sum(len(each.values) for each, _ in chosen) + len(template.values)
        if types is not None and count <= MAX_VALUES:
            chosen.append((template, types))
    return chosen


def draw_body(drawer, chosen, captured):
    """The body of templates beside each other."""
    scope = Scope(drawer, 1)
    names = [name for _, types in chosen for name in types]
    everything = Steps(scope, names, captured)
    results, first, first_captured = [], 0, 0
    for template, types in chosen:
        last, last_captured = first + len(types), first_captured + template.modulus
        steps = Steps(scope, [], [])
        steps.left, steps.right = everything.left[first:last], everything.right[first:last]
        steps.captured = everything.captured[first_captured:last_captured]
        made = template.combine(steps)
        results += [steps.like(result, name) for result, name in zip(made, types)]
        first, first_captured = last, last_captured
    return scope.finish(results)


def draw_axes(draw, rank):
    chance = draw.random()
    if chance < 0.45:
        return 1 << (rank - 1)
    if chance < 0.6:
        return 1 << draw.randrange(rank)
    return (1 << rank) - 1 if chance < 0.8 else draw.randrange(1, 1 << rank)


def is_unknown(value):
    """Whether an element is not known, on which all elements of its row would depend."""
    return value.bound is not None and bool(np.isinf(value.bounds).any())


def draw_combination(drawer, writer, arrays, scan):
    """Adds a reduction or a scan; returns the numbers of its results, or None."""
    draw = drawer.random
    ordered = scan or draw.random() < 0.45
    chosen = draw_templates(drawer, ordered)
    values, first = Values(writer, arrays), []
    for template, types in chosen:
        before = None
        for word, name in zip(template.values, types):
            before = values.draw(word, name, before)
            first.append(before)
    if None in first or not first or any(is_unknown(drawer.values[number]) for number in first):
        return None
    shape = together([drawer.values[number].array.shape for number in first])
    if not shape:
        return None
    names = [name for _, types in chosen for name in types]
    has_floating = any(kind(DTYPES[name]) == "f" for name in names)
    if np.prod(shape, dtype=np.float64) > (MAX_FLOATING if has_floating else MAX_WHOLE):
        return None
    identities = [draw_identity(drawer, name, template) for template, types in chosen for name in types]
    moduli = [types[0] for template, types in chosen if template.modulus]
    captured = [draw_modulus(drawer, name) for name in moduli]
    if None in identities or None in captured:
        return None
    body = draw_body(drawer, chosen, moduli)
    operands = (*first, *identities, *captured)
    if scan:
        axis = draw.choice([len(shape) - 1, draw.randrange(len(shape))])
        node = ScanBy(len(names), (body,), axis, operands=operands)
    else:
        axes, keep = draw_axes(draw, len(shape)), draw.random() < 0.5
        node = ReduceBy(len(names), (body,), axes, keep, ordered, operands=operands)
    number = drawer.add(node)
    if number is None:
        return None
    if len(names) == 1:
        return [number]
    return [drawer.add(Component(k, operands=(number,))) for k in range(len(names))]  # each may be an output


def draw_tried(drawer, writer, arrays, scan):
    for _ in range(TRIES):
        made = draw_combination(drawer, writer, arrays, scan)
        if made:
            return made
    return []


def broadcasting_with(drawer, result, arrays):
    shape = drawer.values[result].array.shape
    return [array for array in arrays if together([shape, drawer.values[array].array.shape]) is not None]


def draw_after(drawer, writer, result, arrays):
    """What is computed from a result: broadcast back, reduced, scanned, or combined again."""
    draw = drawer.random
    others = broadcasting_with(drawer, result, arrays)
    value = result
    if others and draw.random() < 0.5:
        value = writer.beside(draw.choice(others), result)
        value = result if value is None else value
    value = writer.chain(value, 2, broadcasting_with(drawer, value, arrays))
    rank, chance = len(writer.shape(value)), draw.random()
    if not rank:
        return
    if chance < 0.25:
        writer.reduce(value, draw_axes(draw, rank), draw.random() < 0.4)
    elif chance < 0.35:
        writer.scan(value, draw.randrange(rank))
    elif chance < 0.6:
        draw_tried(drawer, writer, [value], draw.random() < 0.5)


def draw_beside(drawer, writer, arrays, axes):
    """A reduction of the table of the same rows."""
    array = drawer.random.choice(arrays)
    rank = len(writer.shape(array))
    if rank and axes >> rank == 0:
        writer.reduce(array, axes, drawer.random.random() < 0.5, ["sum", "max", "min", "argmax"])


def draw_combining(drawer):
    draw, writer = drawer.random, Writer(drawer)
    arrays = draw_inputs(writer, draw_shape(draw))
    if not arrays:
        return
    results = []
    for _ in range(draw.choice([1, 1, 1, 2])):
        made = draw_tried(drawer, writer, arrays, draw.random() < 0.35)
        if made and draw.random() < 0.3:
            node = drawer.nodes[made[0]]
            node = drawer.nodes[node.operands[0]] if isinstance(node, Component) else node
            draw_beside(drawer, writer, arrays, node.axes if isinstance(node, ReduceBy) else 1 << node.axis)
        results += made
    for result in results:
        if draw.random() < 0.4:
            draw_after(drawer, writer, result, arrays)
