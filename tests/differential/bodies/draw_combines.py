"""Draws associative bodies, for reduce_by and scan_by: templates, each with the values that it takes."""

import dataclasses
from typing import Callable

import numpy as np

from ..element_types import DTYPES, SIGNED, UNSIGNED
from ..oracle.value import Value
from ..program import Argument, Body, Cast, Component, Literal, RepeatWhile, When
from .draw_bodies import Scope

FLOATING = ("float32", "float32", "float64", "float16", "bfloat16")


class Steps:
    """Adds nodes to a body. `left` and `right` are the numbers of its arguments."""

    def __init__(self, scope, names, captured):
        self.scope, self.drawer = scope, scope.drawer
        self.left = [self.argument(name) for name in names]
        self.right = [self.argument(name) for name in names]
        self.captured = [self.argument(name) for name in captured]

    def argument(self, name):
        return self.scope.add_argument(name, 0, Value(np.ones((), DTYPES[name])))

    def apply(self, operation, *operands):
        made = self.drawer.apply(operation, *operands)
        if made is None:
            raise ValueError(f"a template's {operation} is refused")
        return made

    def number(self, value):
        return self.drawer.add(Literal("int64" if isinstance(value, int) else "float64", value, True))

    def cast(self, value, name):
        return self.drawer.add(Cast(name, operands=(value,)))

    def like(self, result, name):
        """The result in a type, if it has another one."""
        return result if self.drawer.values[result].dtype == DTYPES[name] else self.cast(result, name)


@dataclasses.dataclass
class Template:
    """`types(draw, allowed)`: the values' types, or None where the profile has none. `values`: a word for each
    value that says which elements it may have, "same" for those of the value before. `combine(steps)`: the
    results. `identities`: drawn besides those that every template has. `modulus`: it captures one."""

    name: str
    types: Callable
    values: tuple
    combine: Callable
    commutes: bool = True
    identities: tuple = ()
    modulus: bool = False


def pick(*names):
    def choose(draw, allowed):
        found = [name for name in names if name in allowed]
        return draw.choice(found) if found else None

    return choose


any_real = pick("bool", *SIGNED, *UNSIGNED, *FLOATING)
any_number = pick(*SIGNED, *UNSIGNED, *FLOATING)
whole = pick(*SIGNED, *UNSIGNED)
words = pick(*UNSIGNED, "int32", "int64")
floats = pick(*FLOATING)
counts = pick("int32", "int64", "uint32", "uint64")  # sums of small numbers do not wrap
wide_whole = pick("int32", "int64", "uint32", "uint64", "int16", "uint16")


def each_of(*choices):
    def choose(draw, allowed):
        chosen = [choice(draw, allowed) for choice in choices]
        return None if None in chosen else chosen

    return choose


def one_for(count, choice):
    """One type for all values."""

    def choose(draw, allowed):
        name = choice(draw, allowed)
        return None if name is None else [name] * count

    return choose


def booleans(count):
    return lambda draw, allowed: ["bool"] * count


def counted_floats(draw, allowed):
    name = floats(draw, allowed)
    return None if name is None else ["int64", name, name]


def apply_each(*operations):
    return lambda steps: [
        steps.apply(operation, left, right)
        for operation, left, right in zip(operations, steps.left, steps.right)
    ]


def pick_smaller(operation):
    """The smaller or larger key with its payload; of equal keys the smaller payload."""

    def combine(steps):
        (key, payload), (other_key, other_payload) = steps.left, steps.right
        better = steps.apply(operation, other_key, key)
        tie = steps.apply("equal", other_key, key)
        before = steps.apply("less", other_payload, payload)
        takes = steps.apply("logical_or", better, steps.apply("logical_and", tie, before))
        return [steps.apply("where", takes, *both) for both in zip(steps.right, steps.left)]

    return combine


def pick_by_when(steps):
    """The pair with the smaller key by a choice between bodies; of equal keys the smaller payload."""
    names = [steps.drawer.nodes[number].type for number in steps.left]
    arguments = tuple(Argument(name, 0, False) for name in (*names, *names))
    (key, payload), (other_key, other_payload) = steps.left, steps.right
    equal, before = steps.apply("equal", other_key, key), steps.apply("less", other_payload, payload)
    tie = steps.apply("logical_and", equal, before)
    takes = steps.apply("logical_or", steps.apply("less", other_key, key), tie)
    bodies = (Body(arguments, (2, 3)), Body(arguments, (0, 1)))
    first = steps.drawer.add(When(0, bodies, operands=(takes, *steps.left, *steps.right)))
    return [first, steps.drawer.add(Component(1, operands=(first,)))]


def divide_by_loop(steps):
    """The greatest common divisor by Euclid's loop."""
    name = steps.drawer.nodes[steps.left[0]].type
    scope = Scope(steps.drawer, 2)
    inner = Steps(scope, [], [])
    scope.add_argument("int64", 0, Value(np.array(0), None, True, 0, wraps=True), weak=True)
    a, b = inner.argument(name), inner.argument(name)
    goes_on = inner.apply("not_equal", b, inner.number(0))
    body = scope.finish([goes_on, b, inner.apply("remainder", a, b)])
    body = Body((Argument("int64", 0, True), *body.nodes[1:]), body.results)
    return [steps.drawer.add(RepeatWhile(2, (body,), operands=(steps.left[0], steps.right[0])))]


def maps_in_turn(steps):
    """x -> a x + b, and after it another such map."""
    (a, b), (c, d) = steps.left, steps.right
    return [steps.apply("multiply", a, c), steps.apply("add", steps.apply("multiply", c, b), d)]


def multiply_matrices(steps):
    a, b = steps.left, steps.right

    def row_by_column(row, column):
        products = [steps.apply("multiply", a[2 * row + i], b[2 * i + column]) for i in (0, 1)]
        return steps.apply("add", *products)

    return [row_by_column(row, column) for row in (0, 1) for column in (0, 1)]


def first_that_counts(steps):
    counts = steps.apply("not_equal", steps.left[0], steps.number(0))
    return [steps.apply("where", counts, steps.left[0], steps.right[0])]


def last_with_flag(steps):
    (flag, value), (other_flag, other) = steps.left, steps.right
    return [steps.apply("logical_or", flag, other_flag), steps.apply("where", other_flag, other, value)]


def sums_of_segments(steps):
    (starts, value), (other_starts, other) = steps.left, steps.right
    total = steps.apply("add", value, other)
    return [steps.apply("logical_or", starts, other_starts), steps.apply("where", other_starts, other, total)]


def sum_modulo(steps):
    return [steps.apply("remainder", steps.apply("add", steps.left[0], steps.right[0]), steps.captured[0])]


def sum_and_one(steps):
    return [steps.apply("add", steps.apply("add", steps.left[0], steps.right[0]), steps.number(1))]


def match_brackets(steps):
    """What closes and what opens, of words of brackets."""
    (close, open_), (other_close, other_open) = steps.left, steps.right
    both = steps.apply("minimum", open_, other_close)
    return [
        steps.apply("add", close, steps.apply("subtract", other_close, both)),
        steps.apply("add", other_open, steps.apply("subtract", open_, both)),
    ]


def two_largest(steps):
    (first, second), (other, other_second) = steps.left, steps.right
    runner_up = steps.apply("minimum", first, other)
    rest = steps.apply("maximum", second, other_second)
    return [steps.apply("maximum", first, other), steps.apply("maximum", runner_up, rest)]


def moments(steps):
    """Chan's: the count, the mean and the sum of squared distances from it."""
    (count, mean, squares), (other_count, other_mean, other_squares) = steps.left, steps.right
    name = steps.drawer.nodes[mean].type
    total = steps.apply("add", count, other_count)
    distance = steps.apply("subtract", other_mean, mean)
    share = steps.apply("true_divide", steps.like(other_count, name), steps.like(total, name))
    new_mean = steps.apply("add", mean, steps.apply("multiply", distance, share))
    weight = steps.apply("multiply", steps.like(count, name), share)
    between = steps.apply("multiply", steps.apply("multiply", distance, distance), weight)
    return [total, new_mean, steps.apply("add", steps.apply("add", squares, other_squares), between)]


def logarithm_of_sum(steps):
    (largest, total), (other_largest, other_total) = steps.left, steps.right
    top = steps.apply("maximum", largest, other_largest)
    terms = [
        steps.apply("multiply", part, steps.apply("exp", steps.apply("subtract", each, top)))
        for each, part in ((largest, total), (other_largest, other_total))
    ]
    return [top, steps.apply("add", *terms)]


TEMPLATES = [
    Template("sum_and_maximum", each_of(any_number, any_real), ("calm", "any"), apply_each("add", "maximum")),
    Template("sum", each_of(any_number), ("calm",), apply_each("add"), identities=(1000,)),
    Template("product", each_of(words), ("any",), apply_each("multiply"), identities=(1, 7)),
    Template("extremes", one_for(2, any_real), ("any", "same"), apply_each("minimum", "maximum")),
    Template("argmin", each_of(any_number, whole), ("number", "place"), pick_smaller("less")),
    Template("argmax", each_of(any_number, whole), ("number", "place"), pick_smaller("greater")),
    Template("argmin_by_when", each_of(whole, whole), ("number", "place"), pick_by_when),
    Template("maps", one_for(2, words), ("any", "any"), maps_in_turn, commutes=False, identities=(1, 0)),
    Template("floating_maps", one_for(2, floats), ("factor", "calm"), maps_in_turn, commutes=False),
    Template("matrices", one_for(4, words), ("any",) * 4, multiply_matrices, commutes=False),
    Template("first", each_of(any_number), ("sparse",), first_that_counts, commutes=False),
    Template("last", each_of(pick("bool"), any_real), ("bool", "any"), last_with_flag, commutes=False),
    Template("segments", each_of(pick("bool"), words), ("bool", "any"), sums_of_segments, commutes=False),
    Template("modulo", each_of(wide_whole), ("small",), sum_modulo, modulus=True),
    Template("sum_and_one", each_of(words), ("any",), sum_and_one, identities=(1000,)),
    Template("brackets", one_for(2, counts), ("small", "small"), match_brackets, commutes=False),
    Template("two_largest", one_for(2, whole), ("any", "same"), two_largest),
    Template("divisor", each_of(wide_whole), ("small",), divide_by_loop),
    Template("truth", booleans(3), ("bool",) * 3, apply_each("logical_and", "logical_or", "logical_xor")),
    Template("any_truth", booleans(1), ("bool",), apply_each("logical_or")),
    Template("bits", one_for(3, words), ("any",) * 3, apply_each("bitwise_and", "bitwise_or", "bitwise_xor")),
    Template("moments", one_for(3, floats), ("one", "calm", "zero"), moments),
    Template(
        "counted_moments",
        counted_floats,
        ("one", "calm", "zero"),
        moments,
    ),
    Template("log_sum_exp", one_for(2, floats), ("calm", "one"), logarithm_of_sum),
]


