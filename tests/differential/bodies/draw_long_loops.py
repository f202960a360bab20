"""Draws loops of about 10^6 iterations on up to 64 elements, whose states neither overflow nor end at 0: integers that
wrap around, and floating numbers that near a fixed point. The oracle computes them in a closed form
(oracle/affine_loops.py) or until they stay (oracle/bodies.py); the interpreter takes 11 seconds for 10^6 iterations of
two operations on 64 elements, so they are not held to it."""

import random

import numpy as np

from ..draw_layouts import draw_layout
from ..element_types import DTYPES, NAMES, kind
from ..program import Component, Input, Literal, Parameter, Repeat, RepeatWhile
from .draw_body_steps import Steps

# Of programs about bodies. Such a program takes as long as any other: most of it is compilation.
SHARE = 0.04
COUNTS = [1_000_000, 1_000_000, 1_000_000, 999_999, 1_000_001, 100_003]
SHAPES = [[64], [64], [63], [17], [8, 8], [2, 32], [1], []]
# The oracle's bounds grow by half with each operation: with these factors they still come to rest.
FACTORS, FACTORS_BESIDE = [0.25, 0.125, 0.1875], [0.03125, 0.015625]
# Of linear congruences with long periods modulo powers of 2, and of others.
MULTIPLIERS = [5, 13, 69, 1664525, 6364136223846793005, 3, -1, 7]


def is_about_long_loops(seed):
    """It takes no number from the generator that draws the program."""
    return random.Random(f"long loops {seed}").random() < SHARE


def draw_array(drawer, name, shape):
    draw, dtype = drawer.random, DTYPES[name]
    generator = np.random.default_rng(draw.getrandbits(64))
    if kind(dtype) == "f":
        data = generator.normal(0, 2, shape)
    else:
        limits = np.iinfo(dtype)
        data = generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    data = np.asarray(data).astype(dtype)
    return drawer.add(Input(draw_layout(draw, data) if draw.random() < 0.3 else data))


def fit_multiplier(number, dtype):
    """A number in the type's range."""
    limits = np.iinfo(dtype)
    return number if limits.min <= number <= limits.max else 5


def next_integer(steps, state, others, factors):
    """state * a + c, where c is another state, the iteration, an array or a number."""
    draw, dtype = steps.random, steps.value(state).dtype
    factor = draw.choice([*factors, steps.number(fit_multiplier(draw.choice(MULTIPLIERS), dtype))])
    product = steps.apply("multiply", state, factor)
    terms = [0, *others, *factors, steps.number(draw.choice([1, 3, 11]))]
    for term in draw.sample(terms, draw.choice([1, 1, 2])):
        product = steps.apply(draw.choice(["add", "subtract"]), product, term)
    return product


def next_floating(steps, state, others, terms):
    """state * f + c or half of it and half of another state, which near a fixed point."""
    draw = steps.random
    moved = steps.apply("multiply", state, steps.number(draw.choice(FACTORS)))
    if others and draw.random() < 0.6:
        beside = steps.apply("multiply", draw.choice(others), steps.number(draw.choice(FACTORS_BESIDE)))
        moved = steps.apply("add", moved, beside)
    return steps.apply("add", moved, draw.choice([*terms, steps.number(draw.choice([1.0, -3.25, 0.1]))]))


def draw_count(drawer):
    draw, count = drawer.random, drawer.random.choice(COUNTS)
    name, weak = draw.choice([("int64", True), ("int64", False), ("int32", False)])
    make = Parameter if draw.random() < 0.5 else Literal
    return drawer.add(make(name, count, weak))


def draw_counts(drawer, shape):
    """An input of numbers of iterations, of which some are 0 or 1."""
    draw = drawer.random
    generator = np.random.default_rng(draw.getrandbits(64))
    counts = generator.choice([0, 1, 2, 999_999, 1_000_000, 1_000_003], shape)
    return drawer.add(Input(np.asarray(counts).astype(draw.choice([np.int32, np.int64]))))


def draw_long_loop(drawer, scope):
    """Adds the loop and components of its results. `scope`: that of its body, which has the iteration."""
    draw = drawer.random
    name = draw.choice([name for name in drawer.types if kind(DTYPES[name]) in "iuf"])
    is_whole, shape = kind(DTYPES[name]) != "f", draw.choice(SHAPES)
    states = [draw_array(drawer, name, shape) for _ in range(draw.choice([1, 1, 2, 3]))]
    captured = [
        draw_array(drawer, name, shape[draw.randrange(len(shape) + 1) :]) for _ in range(draw.choice([0, 1, 2]))
    ]
    # Elements of floating numbers would have to come to rest before the first of them ends.
    is_while = is_whole and draw.random() < 0.4
    counts = [draw_counts(drawer, shape[draw.randrange(len(shape) + 1) :])] if is_while else []

    def add_arguments(numbers):
        values = [drawer.values[number] for number in numbers]
        return [scope.add_argument(NAMES[value.dtype], value.array.ndim, value) for value in values]

    arguments, terms, limits = map(add_arguments, (states, captured, counts))
    steps = Steps(scope, len(shape))
    results = [steps.apply("less", 0, limit) for limit in limits]
    for state in arguments:
        others = [other for other in arguments if other != state]
        make_next = next_integer if is_whole else next_floating
        results.append(make_next(steps, state, others, terms))
    if None in results:
        return
    bodies, operands = (scope.finish(results),), (*states, *captured, *counts)
    if is_while:
        number = drawer.add(RepeatWhile(len(states), bodies, operands=operands))
    else:
        number = drawer.add(Repeat(len(states), bodies, operands=(draw_count(drawer), *operands)))
    if number is not None:
        for result in range(1, len(states)):
            drawer.add(Component(result, operands=(number,)))
