"""Loops of many iterations in a closed form: bodies whose next states are affine in the states, in integers that wrap
around, of one width.

A step is a matrix, and `count` steps are a power of it, by squaring. The numbers are uint64: what a narrower type keeps
of a result is its low bits, which products and sums of low bits decide."""

import numpy as np

from ..element_types import DTYPES, kind
from ..program import Apply, Argument, Cast, Literal, needed_numbers
from .value import TooLarge

WORD = np.uint64


def as_words(array):
    return array.astype(np.int64).view(WORD) if kind(array.dtype) == "i" else array.astype(WORD)


class Affine:
    """`parts` times the states, the iteration and 1, each of which is an array or None for 0."""

    def __init__(self, parts):
        self.parts = parts

    @property
    def is_constant(self):
        return all(part is None for part in self.parts[:-1])


def plus(first, second, sign=1):
    if second is None:
        return first
    second = second if sign == 1 else np.negative(second)
    return second if first is None else first + second


def combine(operation, first, second):
    """The affine form of an operation; TooLarge where it has none."""
    if operation in ("add", "subtract"):
        sign = 1 if operation == "add" else -1
        return Affine([plus(a, b, sign) for a, b in zip(first.parts, second.parts)])
    if operation == "multiply" and (first.is_constant or second.is_constant):
        if second.is_constant:
            first, second = second, first
        factor = first.parts[-1]
        return Affine([None if part is None or factor is None else factor * part for part in second.parts])
    raise TooLarge


def form_of(node, forms, dtype, unit):
    """The affine form of a node of a body."""
    if isinstance(node, Literal) and kind(DTYPES[node.type]) in "iu":
        if node.weak or DTYPES[node.type] == dtype:  # else it could make the operation's type wider
            return unit(-1, as_words(np.array(node.value)))
    elif isinstance(node, Cast) and DTYPES[node.type] == dtype:
        return forms[node.operands[0]]
    elif isinstance(node, Apply) and len(node.operands) == 2:
        return combine(node.operation, *[forms[operand] for operand in node.operands])
    raise TooLarge


def forms_of(body, results, states, captured):
    """The affine forms of a body's next states."""
    width = len(states) + 2

    def unit(position, value):
        return Affine([value if each == position % width else None for each in range(width)])

    forms = [unit(-2, WORD(1))]
    forms += [unit(position, WORD(1)) for position in range(len(states))]
    needed = needed_numbers(body, results)
    for number, node in enumerate(body.nodes[len(forms) :], len(forms)):
        if number not in needed:
            forms.append(None)
        elif isinstance(node, Argument):
            forms.append(unit(-1, as_words(captured[number - 1 - len(states)].array)))
        else:
            forms.append(form_of(node, forms, states[0].dtype, unit))
    return [forms[result] for result in results]


def matrix_of(forms, shape):
    """The matrix of a step for each element; the last two rows count iterations and keep 1."""
    width = len(forms) + 2
    matrix = np.zeros((*shape, width, width), WORD)
    for row, form in enumerate(forms):
        for column, part in enumerate(form.parts):
            matrix[..., row, column] = 0 if part is None else part
    matrix[..., -2, -2:] = 1
    matrix[..., -1, -1] = 1
    return matrix


def times(first, second):
    """Products of matrices; NumPy's matmul is of no use where integers are meant to wrap around."""
    return (first[..., :, :, None] * second[..., None, :, :]).sum(axis=-2, dtype=WORD)


def repeat_affine(body, results, states, captured, counts):
    """The arrays of the states after `counts` iterations, a number for each element or for all; `results`: those of the
    body that are the next states. Raises TooLarge where the body is not affine in integers."""
    needed = needed_numbers(body, results)
    used = [value for number, value in enumerate(captured, 1 + len(states)) if number in needed]
    values = [*states, *used]
    if any(kind(value.dtype) not in "iu" or value.bound is not None for value in values):
        raise TooLarge
    # All are of one type but weak numbers, so that no operation computes in a wider one.
    if len({value.dtype for value in values if not value.weak}) != 1:
        raise TooLarge
    forms = forms_of(body, results, states, captured)
    left = np.maximum(counts, 0).astype(WORD)
    shape, width = np.broadcast_shapes(left.shape, *[value.array.shape for value in values]), len(states) + 2
    power = np.broadcast_to(np.eye(width, dtype=WORD), (*shape, width, width))
    square = matrix_of(forms, shape)
    while left.any():
        power = np.where((left & WORD(1))[..., None, None] != 0, times(power, square), power)
        square, left = times(square, square), left >> WORD(1)
    first = [np.broadcast_to(as_words(state.array), shape) for state in states]
    vector = np.stack([*first, np.zeros(shape, WORD), np.ones(shape, WORD)], axis=-1)
    after = (power * vector[..., None, :]).sum(axis=-1, dtype=WORD)
    return [after[..., position].astype(state.dtype) for position, state in enumerate(states)]
