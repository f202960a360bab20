"""Arrays that are put together or taken apart, by the functions of NumPy that move elements."""

import operator

import numpy as np

from ..element_types import INT64, kind
from ..program import Apply, Concatenate, Diagonal, Extended, Gather, Merged, Split, Window
from .elementwise import cast
from .promotion import common_type
from .value import Refused, TooLarge, Value, mark_unknown

MAX_RANK = 32
# Beyond this the oracle does not ask how an axis goes on.
MAX_EXTENT = 1 << 30


# With all digits. Others of the host's operations do not wrap around.
EXACT = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "negative": operator.neg,
    "absolute": abs,
    "square": lambda number: number * number,
}


def overflows(node, operands, value):
    """Whether a number of the host is, or is computed from, an int64 result that wraps around."""
    if not value.on_host:
        return False
    if isinstance(node, Apply) and node.operation == "where":
        operands = [operands[0], operands[1 if operands[0].array else 2]]
    if any(operand.overflows for operand in operands):
        return True
    if not isinstance(node, Apply) or node.operation not in EXACT or value.dtype != INT64:
        return False
    exact = EXACT[node.operation](*[int(operand.array) for operand in operands])
    return not -(1 << 63) <= exact < 1 << 63


def integer_of(value):
    """An integer that the host knows before a call."""
    if kind(value.dtype) not in "iu":
        raise Refused("type_error", "a size or position is no integer")
    if not value.on_host or value.array.ndim:
        raise Refused("type_error", "a size or position depends on elements of arrays")
    return int(value.array)


def check_axes(node, shapes):
    """Refuses axes that the operands do not have."""
    rank = len(shapes[0])
    if node.axis >= rank or isinstance(node, Merged) and node.axis + 1 >= rank:
        raise Refused("shape_error", "there is no such axis")
    if isinstance(node, (Concatenate, Gather)) and len(shapes[1]) != rank:
        raise Refused("shape_error", "the ranks differ")
    if isinstance(node, Diagonal) and (node.second_axis >= rank or node.second_axis == node.axis):
        raise Refused("shape_error", "a diagonal is that of two axes")
    grows = isinstance(node, Window) or isinstance(node, Split) and not node.whole
    if rank + grows > MAX_RANK:
        raise Refused("shape_error", "the result has too many axes")


def with_axis(shape, axis, *extents):
    return (*shape[:axis], *extents, *shape[axis + 1 :])


def extended_shape(node, shape, extent):
    has = shape[node.axis]
    if extent < 0:
        raise Refused("shape_error", "a negative extent")
    if node.rule == "repeat":
        return with_axis(shape, node.axis, has * extent)
    if node.rule == "broadcast" and has not in (1, extent):
        raise Refused("shape_error", "only an axis of one element is broadcast")
    if node.rule != "broadcast" and has == 0 and extent != 0:
        raise Refused("shape_error", "an empty axis does not go on")
    return with_axis(shape, node.axis, extent)


def concatenated_shape(node, first, second):
    if with_axis(first, node.axis, 0) != with_axis(second, node.axis, 0):
        raise Refused("shape_error", "the other axes differ")
    return with_axis(first, node.axis, first[node.axis] + second[node.axis])


def gathered_shape(node, source, index):
    for axis, (first, second) in enumerate(zip(source, index)):
        if axis != node.axis and first != second and 1 not in (first, second):
            raise Refused("shape_error", "the axes differ")
    pairs = [second if axis == node.axis or first == 1 else first for axis, (first, second) in enumerate(zip(source, index))]
    if source[node.axis] == 0 and 0 not in pairs:
        raise Refused("shape_error", "an empty axis has no elements")
    return tuple(pairs)


def positions_of(node, index, extent):
    """The positions of indices: Python's integers do not wrap around."""
    index = index.astype(object) if index.dtype == np.uint64 else index.astype(np.int64)
    if node.rule == "wrap":
        return (index % extent).astype(np.int64)
    if node.rule in ("checked", "guarded"):
        index = np.where(index < 0, index + extent, index)
    return np.clip(index, 0, extent - 1).astype(np.int64)


def gather(node, array, index, shape):
    if 0 in shape:
        return np.empty(shape, array.dtype)
    common = [extent if axis == node.axis else shape[axis] for axis, extent in enumerate(array.shape)]
    return np.take_along_axis(
        np.broadcast_to(array, common),
        np.broadcast_to(positions_of(node, index, array.shape[node.axis]), shape),
        node.axis,
    )


def window_shape(node, shape, extent):
    if not 1 <= extent <= shape[node.axis]:
        raise Refused("shape_error", "no such windows")
    return (*with_axis(shape, node.axis, shape[node.axis] - extent + 1), extent)


def diagonal_shape(node, shape, offset):
    rows, columns = shape[node.axis] + min(offset, 0), shape[node.second_axis] - max(offset, 0)
    kept = [extent for axis, extent in enumerate(shape) if axis not in (node.axis, node.second_axis)]
    return (*kept, max(min(rows, columns), 0))


def split_shape(node, shape, extent):
    has = shape[node.axis]
    if extent < 0:
        raise Refused("shape_error", "a negative extent")
    if node.whole:
        if has != extent and 0 not in with_axis(shape, node.axis):
            raise Refused("shape_error", "the axis has another extent")
        return with_axis(shape, node.axis, extent)
    if has % extent if extent else has:
        raise Refused("shape_error", "elements are left over")
    return with_axis(shape, node.axis, has // extent if extent else 0, extent)


def merged_shape(node, shape):
    return (*shape[: node.axis], shape[node.axis] * shape[node.axis + 1], *shape[node.axis + 2 :])


def part_shape(node, operands):
    """The shape of a part; raises Refused."""
    integers = [integer_of(value) for value in operands[node.arrays :]]
    shapes = [value.array.shape for value in operands[: node.arrays]]
    check_axes(node, shapes)
    if any(value.overflows for value in operands[node.arrays :]):
        raise Refused("shape_error", "a size or position is computed with numbers beyond 64 bits")
    if isinstance(node, Extended):
        shape = extended_shape(node, shapes[0], integers[1])
    elif isinstance(node, Concatenate):
        shape = concatenated_shape(node, *shapes)
    elif isinstance(node, Gather):
        shape = gathered_shape(node, *shapes)
    elif isinstance(node, Window):
        shape = window_shape(node, shapes[0], integers[0])
    elif isinstance(node, Diagonal):
        shape = diagonal_shape(node, shapes[0], integers[0])
    elif isinstance(node, Split):
        shape = split_shape(node, shapes[0], integers[0])
    else:
        shape = merged_shape(node, shapes[0])
    if max(shape, default=0) > MAX_EXTENT:
        raise TooLarge
    return shape


def near(rule, first, extent, has):
    """A first position with the same elements, at most two times the axis away from it."""
    if rule == "edge":
        return min(max(first, -extent), has)
    period = has if rule == "wrap" else max(2 * (has - 1), 1)
    return first % period


def go_on(array, axis, rule, first, extent):
    """`extent` elements of an axis that np.pad makes long enough, from position `first`."""
    has = array.shape[axis]
    if rule == "wrap" and extent == has:
        return np.roll(array, -first, axis)
    if rule == "wrap" and first == 0 and has and extent % has == 0:
        return np.tile(array, [extent // has if other == axis else 1 for other in range(array.ndim)])
    if not -extent - has <= first <= 2 * has:
        first = near(rule, first, extent, has)
    before, after = max(-first, 0), max(first + extent - has, 0)
    widths = [(before, after) if other == axis else (0, 0) for other in range(array.ndim)]
    padded = np.pad(array, widths, rule) if has else array
    begin = first + before
    return padded[(slice(None),) * axis + (slice(begin, begin + extent),)]


def move(node, arrays, integers, shape):
    """The elements of a part whose operands are arrays."""
    array = arrays[0]
    if isinstance(node, Concatenate):
        return np.concatenate(arrays, node.axis)
    if isinstance(node, Window):
        return np.lib.stride_tricks.sliding_window_view(array, integers[0], node.axis)
    if isinstance(node, Diagonal):
        limit = sum(array.shape) + 1
        return np.diagonal(array, min(max(integers[0], -limit), limit), node.axis, node.second_axis)
    if not isinstance(node, Extended):
        return np.reshape(array, shape)
    if node.rule == "broadcast":
        return np.broadcast_to(array, shape)
    if node.rule == "repeat":
        return np.repeat(array, integers[1], node.axis)
    return go_on(array, node.axis, node.rule, *integers)


def evaluate_gather(node, source, index, shape):
    if kind(index.dtype) not in "iu":
        raise Refused("type_error", "an index is no integer")
    extent = source.array.shape[node.axis]
    if node.rule == "checked" and 0 not in shape:
        given = index.array.astype(object)
        if ((given < -extent) | (given >= extent)).any():
            raise Refused("shape_error", "an index is out of range")
    result = gather(node, source.array, index.array, shape)
    bound = None if source.bound is None else gather(node, source.bounds, index.array, shape)
    if node.rule == "guarded" and 0 not in shape:
        given = index.array.astype(object)
        bound = mark_unknown(bound, ((given < -extent) | (given >= extent)).astype(bool), shape)
    if index.bound is not None:
        bound = mark_unknown(bound, index.bounds > 0, shape)
    return Value(result, bound)


def evaluate_part(node, operands):
    shape = part_shape(node, operands)
    if isinstance(node, Gather):
        return evaluate_gather(node, *operands, shape)
    values = operands[: node.arrays]
    if isinstance(node, Concatenate):
        dtype = common_type(values)
        values = [
            value if value.dtype == dtype and not value.weak else cast(value, dtype) for value in values
        ]
    integers = [integer_of(value) for value in operands[node.arrays :]]
    result = np.asarray(move(node, [value.array for value in values], integers, shape))
    if result.shape != shape:
        raise ValueError(f"NumPy's {node.word} has the shape {result.shape}, not {shape}")
    if all(value.bound is None for value in values):
        return Value(result)
    return Value(result, np.asarray(move(node, [value.bounds for value in values], integers, shape)))
