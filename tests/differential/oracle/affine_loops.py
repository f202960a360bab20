"""Loops of many iterations in a closed form: bodies whose next states are affine in the states, in integers that wrap
around, of one width.

A step is a matrix, and `count` steps are a power of it, by squaring. The numbers are uint64: what a narrower type keeps
of a result is its low bits, which products and sums of low bits decide."""

import numpy as np

from ..element_types import DTYPES, kind
from ..program import Apply, Argument, Cast, Literal
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


def forms_of(body, states, captured):
    """The affine forms of a body's next states."""
    width = len(states) + 2

    def unit(position, value):
        return Affine([value if each == position else None for each in range(width)])

    forms = [unit(width - 2, WORD(1))]
    forms += [unit(position, WORD(1)) for position in range(len(states))]
    forms += [unit(width - 1, as_words(value.array)) for value in captured]
    dtype = states[0].dtype
    for node in body.nodes[len(forms) :]:
        if isinstance(node, Argument) or kind(DTYPES.get(getattr(node, "type", ""), dtype)) not in "iu":
            raise TooLarge
        if isinstance(node, Literal):
            if not node.weak and DTYPES[node.type] != dtype:  # it could make the operation's type wider
                raise TooLarge
            forms.append(unit(width - 1, as_words(np.array(node.value))))
        elif isinstance(node, Cast) and DTYPES[node.type] == dtype:
            forms.append(forms[node.operands[0]])
        elif isinstance(node, Apply) and len(node.operands) == 2:
            forms.append(combine(node.operation, *[forms[operand] for operand in node.operands]))
        else:
            raise TooLarge
    return [forms[result] for result in body.results]


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


def repeat_affine(body, states, captured, count):
    """The arrays of the states after `count` iterations. Raises TooLarge where the body is not affine in integers."""
    values = [*states, *captured]
    if any(kind(value.dtype) not in "iu" or value.bound is not None for value in values):
        raise TooLarge
    # All are of one type but weak numbers, so that no operation computes in a wider one.
    if len({value.dtype for value in values if not value.weak}) != 1:
        raise TooLarge
    forms = forms_of(body, states, captured)
    shape = np.broadcast_shapes(*[value.array.shape for value in values])
    power = np.broadcast_to(np.eye(len(states) + 2, dtype=WORD), (*shape, len(states) + 2, len(states) + 2))
    square = matrix_of(forms, shape)
    while count:
        power = times(power, square) if count & 1 else power
        square = times(square, square)
        count >>= 1
    first = [np.broadcast_to(as_words(state.array), shape) for state in states]
    vector = np.stack([*first, np.zeros(shape, WORD), np.ones(shape, WORD)], axis=-1)
    after = (power * vector[..., None, :]).sum(axis=-1, dtype=WORD)
    return [after[..., position].astype(state.dtype) for position, state in enumerate(states)]
