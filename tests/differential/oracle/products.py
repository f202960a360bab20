"""Products of arrays: NumPy's matmul, dot, vecdot, outer and einsum, of longer numbers."""

import math

import numpy as np

from ..element_types import FLOAT32, HALF_TYPES, LARGEST, ROUNDING_UNIT, SMALLEST, is_complex, kind, part_of
from .accumulation import SUM_ROUNDINGS
from .elementwise import cast
from .promotion import common_type
from .stencils import finish, longer
from .value import Refused, Value, unknown_where


def refuse():
    raise Refused("shape_error", "extents or labels that do not fit")


def broadcast(*shapes):
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return refuse()


def labels_of(subscripts):
    """The labels of the operands and of the result."""
    operands, arrow, result = subscripts.partition("->")
    operands = operands.split(",")
    if not arrow:
        text = "".join(operands)
        result = "".join(sorted(label for label in set(text) if text.count(label) == 1))
    return operands, result


def einsum_shape(subscripts, shapes):
    operands, result = labels_of(subscripts)
    extents = {}
    if [len(labels) for labels in operands] != [len(shape) for shape in shapes]:
        refuse()
    for labels, shape in zip(operands, shapes):
        for label, extent in zip(labels, shape):
            if extents.setdefault(label, extent) != extent:
                refuse()  # NumPy repeats axes of one element
    if len(set(result)) != len(result) or not set(result) <= set(extents):
        refuse()
    return tuple(extents[label] for label in result)


def product_shape(node, shapes):
    """The shape of the result; raises Refused."""
    if node.function == "einsum":
        return einsum_shape(node.setting, shapes)
    a, b = shapes
    if node.function == "outer":
        return math.prod(a), math.prod(b)
    if node.function == "dot":
        if () in (a, b):
            return (*a, *b)
        inner = b[-2:][0]
        return (*a[:-1], *b[:-2], *b[-1:][: len(b) - 1]) if a[-1] == inner else refuse()
    if node.function == "matmul":
        if () in (a, b) or a[-1] != b[-2:][0]:
            refuse()
        return (*broadcast(a[:-2], b[:-2]), *a[-2:][: min(len(a), 2) - 1], *b[-1:][: len(b) - 1])
    axis, others, along = int(node.setting), [], set()
    for shape in shapes:
        if not -len(shape) <= axis < len(shape):
            refuse()
        at = axis % len(shape)
        along.add(shape[at])
        others.append((*shape[:at], *shape[at + 1 :]))
    return broadcast(*others) if len(along) == 1 else refuse()


def function_of(node, shape):
    """NumPy's function of arrays."""

    def combined(*arrays):
        if node.function == "einsum":
            made = np.einsum(node.setting, *arrays)
        elif node.function == "vecdot":
            made = np.vecdot(*arrays, axis=int(node.setting))
        else:
            made = getattr(np, node.function)(*arrays)
        return np.asarray(made).reshape(shape)

    return combined


def each_in_turn(combined, chosen, others):
    """The sums of products in which one operand stands for itself."""
    return sum(
        combined(*(chosen[i] if i == place else others[i] for i in range(len(others)))) for place in range(len(others))
    )


def evaluate_product(node, operands, mode):
    dtype = common_type(operands)
    values = [cast(value, dtype) for value in operands]
    combined = function_of(node, product_shape(node, [value.array.shape for value in values]))
    arrays, bounds = [value.array for value in values], [value.finite_bounds for value in values]
    ones = [np.ones(array.shape) for array in arrays]
    is_unknown = each_in_turn(combined, [np.isinf(value.bounds).astype(float) for value in values], ones) > 0
    if kind(dtype) in "biu":
        result = combined(*arrays).astype(dtype)
        is_unknown = is_unknown | (each_in_turn(combined, [bound.astype(float) for bound in bounds], ones) > 0)
        return Value(result, unknown_where(is_unknown) if is_unknown.any() else None)
    longest, finite = zip(*[longer(array) for array in arrays])
    sizes = [np.abs(array).astype(np.longdouble) for array in finite]
    # Times infinity, the sign of a factor near zero matters. NumPy's einsum multiplies some sums, whose terms then have
    # either sign.
    infinite = [np.isinf(array).astype(float) for array in arrays]
    unsure = [(np.abs(array) <= bound).astype(float) for array, bound in zip(arrays, bounds)]
    others = ones if node.function == "einsum" else unsure
    is_unknown = is_unknown | (each_in_turn(combined, infinite, others) > 0)
    size = combined(*sizes)
    moved = (combined(*(one + bound for one, bound in zip(sizes, bounds))) - size).astype(float)
    size = size.astype(float)
    part = part_of(dtype)
    accumulated = FLOAT32 if part in HALF_TYPES else part
    roundings = (8 if is_complex(dtype) else 4) * len(arrays) * ROUNDING_UNIT[part]
    roundings += SUM_ROUNDINGS * ROUNDING_UNIT[accumulated]
    small = combined(*ones)
    if len(arrays) == 3:  # a product of two may vanish or overflow before the third one is met
        small = small + combined(ones[0], ones[1], sizes[2]).astype(float)
        is_unknown = is_unknown | ~(combined(sizes[0], sizes[1], ones[2]).astype(float) < 0.24 * LARGEST[part])
    bound = moved + roundings * (4 if mode == "fast" else 1) * size + 4 * SMALLEST[part] * small
    return finish(combined(*longest), dtype, bound, size, is_unknown)
