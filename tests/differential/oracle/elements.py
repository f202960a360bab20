"""Elements of arrays that bodies take at indices."""

import numpy as np

from ..element_types import UINT64, kind
from ..program import Combining, Element, WithBodies
from .value import Refused, Value, mark_unknown

FARTHEST = np.uint64(2**63 - 1)


def check_whole(node, operands):
    """Refuses an array for its elements where a value stands, and a value where such an array stands."""
    if isinstance(node, WithBodies) and not isinstance(node, Combining):
        operands = operands[: node.captured_begin]
    elif isinstance(node, Element):
        if not operands[0].whole:
            raise Refused("type_error", "elements of what is a value")
        operands = operands[1:]
    if any(value.whole for value in operands):
        raise Refused("type_error", "an array for its elements is no value")


def positions_along(rule, index, extent):
    """Positions, and where an index is in range, or needs not be."""
    if index.dtype == UINT64:
        index = index % np.uint64(extent) if rule == "wrap" else np.minimum(index, FARTHEST)
    index = index.astype(np.int64)
    if rule == "wrap":
        return index % extent, np.ones(index.shape, bool)
    if rule in ("checked", "guarded"):
        index = np.where(index < 0, index + extent, index)
    positions = np.clip(index, 0, extent - 1)
    return positions, (positions == index) | (rule == "clip")


def evaluate_element(node, operands):
    source, *indices = operands
    if len(indices) != source.array.ndim:
        raise Refused("type_error", "a body takes an index for each axis")
    if any(kind(index.dtype) not in "iu" for index in indices):
        raise Refused("type_error", "an index is no integer")
    shape = np.broadcast_shapes(*[index.array.shape for index in indices])
    if 0 in shape:
        return Value(np.empty(shape, source.dtype))
    if 0 in source.array.shape:
        raise Refused("shape_error", "an empty axis has no elements", if_used=True)
    found = [
        positions_along(node.rule, index.array, extent) for index, extent in zip(indices, source.array.shape)
    ]
    inside = np.all([np.broadcast_to(is_inside, shape) for _, is_inside in found], 0)
    if node.rule == "checked" and not inside.all():
        raise Refused("shape_error", "an index is out of range")
    positions = tuple(np.broadcast_to(each, shape) for each, _ in found)
    bound = None if source.bound is None else np.asarray(source.bounds[positions])
    unknown = ~inside
    for index in indices:
        unknown = unknown | (index.bounds > 0)
    return Value(np.asarray(source.array[positions]), mark_unknown(bound, unknown, shape))
