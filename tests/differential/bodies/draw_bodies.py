"""Draws programs of loops and choices: repeat, repeat_while and when, whose bodies are graphs."""

import copy

import numpy as np

from ..draw_chains import Writer
from ..element_types import DTYPES, INT64, NAMES, kind
from ..oracle.promotion import common_type
from ..oracle.value import Value
from ..program import Argument, Body, Cast, Component, Literal, Parameter, Reduce, Repeat, RepeatWhile, When
from .draw_body_steps import draw_condition, draw_next
from .draw_wholes import add_wholes, draw_wholes, guard_of_choice
from .draw_long_loops import draw_long_loop, is_about_long_loops

MAX_DEPTH = 3
COUNTS = [-1, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 10, 17]
# Of the elements of a result, those that may be left out because a comparison in the loop hangs on a rounding.
MAX_UNKNOWN = 0.3
TRIES = 4


class Scope:
    """A body that is being drawn: a drawer without the nodes around it."""

    def __init__(self, drawer, depth):
        self.drawer = copy.copy(drawer)
        self.drawer.nodes, self.drawer.values, self.drawer.hidden = [], [], set()
        self.drawer.sources, self.drawer.extents_of = [], {}
        # elements that are used only where something around them holds: (the array, its indices)
        self.guarded = []
        # parameters are captured
        self.drawer.scalar = lambda like: type(drawer).scalar(self.drawer, like, parameters=0)
        self.random, self.depth = drawer.random, depth
        self.writer = Writer(self.drawer)

    def add_argument(self, name, rank, value, weak=False):
        self.drawer.nodes.append(Argument(name, rank, weak))
        self.drawer.values.append(value)
        return len(self.drawer.nodes) - 1

    def finish(self, results):
        return Body(tuple(self.drawer.nodes), tuple(results))


def loop_scope(drawer, depth):
    """The scope of a loop's body, with the iteration's number."""
    scope = Scope(drawer, depth + 1)
    scope.add_argument("int64", 0, Value(np.array(0), None, True, 0, wraps=True), weak=True)
    return scope


def argument_value(value, name, shape):
    """What stands for an argument while its body is drawn."""
    with np.errstate(all="ignore"):
        array = np.broadcast_to(value.array.astype(DTYPES[name]), shape)
    bound = None if value.bound is None else np.broadcast_to(value.bounds, shape)
    return Value(array, bound)


def together(shapes):
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def draw_captured(drawer, most, shape=()):
    """Numbers of values that broadcast with each other and with a shape."""
    draw, chosen = drawer.random, []
    wrapping = [number for number, value in enumerate(drawer.values) if value.wraps]
    if wrapping and draw.random() < 0.3:
        chosen.append(draw.choice(wrapping))
    for _ in range(draw.randrange(most + 1)):
        number = drawer.pick() if draw.random() < 0.85 else draw.randrange(len(drawer.values))
        if number in drawer.hidden:
            continue
        common = together([shape, drawer.values[number].array.shape])
        size = None if common is None else np.prod(common, dtype=np.float64)
        if size is not None and size <= drawer.max_elements and number not in chosen:
            chosen.append(number)
            shape = common
    return chosen, shape


def wider_type(drawer, value, share):
    """The value's type, or another one that holds it."""
    own, draw = NAMES[value.dtype], drawer.random
    if not value.weak and draw.random() >= share:
        return own
    fitting = [
        name
        for name in drawer.types
        if common_type([value, Value(np.zeros((), DTYPES[name]))]) == DTYPES[name]
    ]
    return draw.choice(fitting) if fitting else own


def add_captured(scope, drawer, numbers):
    for number in numbers:
        value = drawer.values[number]
        if value.wraps and value.dtype == INT64 and scope.random.random() < 0.5:
            weak = Value(value.array, None, True, value.number, wraps=True)
            scope.add_argument("int64", 0, weak, weak=True)
            continue
        name = NAMES[value.dtype]
        scope.add_argument(name, value.array.ndim, argument_value(value, name, value.array.shape))


def draw_first_states(drawer, count, shape):
    """Numbers of first values with the types and ranks of their states."""
    draw, states = drawer.random, []
    for _ in range(count):
        number = drawer.pick()
        if draw.random() < 0.3:
            number = drawer.scalar(number)
        if number is None or together([shape, drawer.values[number].array.shape]) is None:
            continue
        value = drawer.values[number]
        shape = together([shape, value.array.shape])
        if value.bound is not None and not np.isfinite(value.bounds).all():
            continue
        states.append((number, wider_type(drawer, value, 0.3)))
    return states, shape


def add_states(scope, drawer, states, captured):
    """Arguments for states: most have the rank of everything together, some a lower one."""
    draw, arguments = drawer.random, []
    shapes = [drawer.values[number].array.shape for number in [*captured, *[number for number, _ in states]]]
    highest = max(map(len, shapes))
    for number, name in states:
        value = drawer.values[number]
        rank = highest if draw.random() < 0.7 else draw.randrange(value.array.ndim, highest + 1)
        shape = together([value.array.shape, *[shape for shape in shapes if len(shape) <= rank]])
        shape = (1,) * (rank - len(shape)) + shape
        arguments.append(scope.add_argument(name, rank, argument_value(value, name, shape)))
    return arguments


def draw_count(drawer, depth, most):
    """The number of a count: a number, a parameter, or an integer of rank 0 held between bounds."""
    draw = drawer.random
    count = draw.choice([each for each in COUNTS if each <= most])
    if most > 17 and draw.random() < 0.15:
        count = draw.choice([33, 64, 100, 200, 200, 3000])
    scalars = [
        number
        for number, value in enumerate(drawer.values)
        if value.array.ndim == 0 and kind(value.dtype) in "iu" and value.bound is None and number not in drawer.hidden
    ]
    if scalars and draw.random() < 0.3:
        number = draw.choice(scalars)
        value = drawer.values[number]
        if value.wraps and draw.random() < 0.5:
            return number
        low, high = (drawer.add(Literal("int64", each, True)) for each in (draw.choice([0, 1]), 4))
        strong = drawer.add(Cast("int64", operands=(number,)))
        return drawer.apply("clip", strong, low, high)
    if depth == 1 and draw.random() < 0.3:
        name = draw.choice(["int64", "int32", "int8"])
        count = min(count, 100) if name == "int8" else count
        return drawer.add(Parameter(name, count, draw.random() < 0.5))
    if draw.random() < 0.2:
        return drawer.add(Literal(draw.choice(["int8", "int32", "int64"]), min(count, 100), False))
    return drawer.add(Literal("int64", count, True))


def fits(drawer, node):
    """Adds a node if most of its elements are known."""
    try:
        number = drawer.add(node)
    except ValueError:
        return None
    if number is None:
        return None
    for result in drawer.values[number].results:
        if result.array.size and np.isinf(result.bounds).mean() > MAX_UNKNOWN:
            del drawer.nodes[number:], drawer.values[number:]
            return None
    return number


def add_components(drawer, number):
    """Some of a node's results, some of them twice or not at all."""
    draw, numbers = drawer.random, [number]
    for result in range(len(drawer.values[number].results)):
        if draw.random() < (0.15 if result == 0 else 0.8):
            numbers.append(drawer.add(Component(result, operands=(number,))))
    return numbers


def draw_loop(drawer, depth):
    """Adds a loop in a scope; returns the numbers of its results."""
    draw = drawer.random
    captured, shape = draw_captured(drawer, 3)
    states, shape = draw_first_states(drawer, draw.choice([1, 1, 2, 2, 3]), shape)
    if not states or np.prod(shape, dtype=np.float64) > drawer.max_elements:
        return None
    conditional = draw.random() < 0.4
    scope = loop_scope(drawer, depth)
    arguments = add_states(scope, drawer, states, captured)
    add_captured(scope, drawer, captured)
    wholes = draw_wholes(drawer)
    add_wholes(scope, drawer, wholes)
    most = {1: 200, 2: 5, 3: 3}[depth]
    results = (
        [draw_condition(scope, arguments, draw.choice([0, 1, 3, 6, min(most, 40)]))] if conditional else []
    )
    if None in results:
        return None
    results += [draw_next(scope, argument, draw_bodies_within) for argument in arguments]
    operands = tuple([number for number, _ in states] + captured + wholes)
    bodies = (scope.finish(results),)
    if conditional:
        number = fits(drawer, RepeatWhile(len(states), bodies, operands=operands))
    else:
        count = draw_count(drawer, depth, most)
        if count is None:
            return None
        number = fits(drawer, Repeat(len(states), bodies, operands=(count, *operands)))
    return None if number is None else add_components(drawer, number)


def draw_when(drawer, depth):
    """Adds a choice in a scope; returns the numbers of its results."""
    draw = drawer.random
    condition = drawer.pick()
    if draw.random() < 0.6 and kind(drawer.values[condition].dtype) != "c":
        other = drawer.scalar(condition)
        made = (
            None
            if other is None
            else drawer.apply(draw.choice(["less", "equal", "greater_equal"]), condition, other)
        )
        condition = condition if made is None else made
    captured, shape = draw_captured(drawer, 3, drawer.values[condition].array.shape)
    if not captured or np.prod(shape, dtype=np.float64) > drawer.max_elements:
        return None
    wholes = draw_wholes(drawer)
    guard = guard_of_choice(drawer, captured, wholes)
    condition = guard.condition if guard else condition
    count = draw.choice([1, 1, 2, 3])
    names, bodies = [], []
    for side in range(2):
        scope = Scope(drawer, depth + 1)
        add_captured(scope, drawer, captured)
        add_wholes(scope, drawer, wholes)
        if guard and guard.side == side:
            scope.guarded.append(guard.arguments(captured, wholes))
        arrays = scope.drawer.arrays()
        if not arrays:
            return None
        results = []
        for position in range(count):
            start = draw.choice(arrays)
            if len(names) <= position:
                names.append(NAMES[scope.drawer.values[start].dtype])
            elif draw.random() < 0.8:
                same = [each for each in arrays if NAMES[scope.drawer.values[each].dtype] == names[position]]
                start = draw.choice(same or arrays)
            result = draw_next(scope, start, draw_bodies_within, names[position], keeps_rank=False)
            if result is None:
                return None
            results.append(result)
        bodies.append(scope.finish(results))
    number = fits(drawer, When(0, tuple(bodies), operands=(condition, *captured, *wholes)))
    return None if number is None else add_components(drawer, number)


def draw_bodies_within(scope):
    """A loop or a choice in a body; the number of one of its results."""
    if scope.depth > MAX_DEPTH:
        return None
    made = scope.random.choice([draw_loop, draw_when])(scope.drawer, scope.depth)
    return scope.random.choice(made) if made else None


def draw_inputs(drawer, writer):
    """Arrays of several ranks that broadcast with each other."""
    draw = drawer.random
    extents = [
        draw.choice([1, 1, 2, 3, 5, 8, 16, 17, 31, 64, 100, 257])
        for _ in range(draw.choice([0, 1, 1, 2, 2, 3]))
    ]
    if extents and draw.random() < 0.06:
        extents[draw.randrange(len(extents))] = 0
    while np.prod(extents, dtype=np.float64) > 6000:
        extents[extents.index(max(extents))] //= 4
    arrays = [writer.array(extents)]
    for _ in range(draw.choice([0, 1, 1, 2, 3])):
        shape = extents[draw.randrange(len(extents) + 1) :] if draw.random() < 0.5 else extents
        arrays.append(writer.array([1 if draw.random() < 0.15 else extent for extent in shape]))
    return [array for array in arrays if array is not None]


def subtract_extreme(drawer, writer, array):
    """x - max(x), as in softmax, and what was subtracted."""
    rank = len(writer.shape(array))
    if rank == 0 or kind(drawer.values[array].dtype) in "bc":
        return
    reduced = writer.reduce(array, 1 << (rank - 1), True, ["max", "min", "sum"])
    if reduced is not None:
        drawer.apply("subtract", array, reduced)


def draw_bodies(drawer):
    if is_about_long_loops(drawer.seed):
        draw_long_loop(drawer, loop_scope(drawer, 1))
        return
    draw_short_bodies(drawer)


def draw_short_bodies(drawer):
    draw, writer = drawer.random, Writer(drawer)
    arrays = draw_inputs(drawer, writer)
    if not arrays:
        return
    if draw.random() < 0.3:
        subtract_extreme(drawer, writer, draw.choice(arrays))
    if draw.random() < 0.4:
        writer.chain(draw.choice(arrays), 2, arrays)
    made = []
    for _ in range(draw.choice([1, 1, 2])):
        for _ in range(TRIES):
            results = draw.choice([draw_loop, draw_loop, draw_when])(drawer, 1)
            if results:
                made += results
                break
    for result in made:
        if draw.random() < 0.4:
            writer.chain(result, 2, arrays)
        rank = len(writer.shape(result))
        if rank and draw.random() < 0.3:
            axes = draw.choice([1, 1 << (rank - 1), (1 << rank) - 1])
            operation = draw.choice(["sum", "max", "min", "any", "argmax"])
            drawer.add(Reduce(operation, axes, draw.random() < 0.3, operands=(result,)))
