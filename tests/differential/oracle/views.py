"""Views, coordinates and extents."""

import numpy as np

from ..element_types import INT64
from .value import Refused, Value


def bound_number(text, parameters):
    if text == "_":
        return None
    return int(parameters[int(text[1:])]) if text.startswith("p") else int(text)


def index_of(item, parameters):
    """NumPy's index for an item of a view."""
    if item == "n":
        return None
    if item.startswith("i:"):
        return bound_number(item[2:], parameters)
    return slice(*[bound_number(part, parameters) for part in item[2:].split(":")])


def check_positions(indices, shape):
    axis = 0
    for index in indices:
        if index is None:
            continue
        if isinstance(index, int) and not -shape[axis] <= index < shape[axis]:
            raise Refused("shape_error", "an index is out of range")
        axis += 1


def view(value, items, parameters):
    if items and items[0].startswith("p:"):
        axes = [int(item[2:]) for item in items]
        return Value(
            *(
                None if array is None else np.transpose(array, axes)
                for array in (value.array, None if value.bound is None else value.bounds)
            )
        )
    indices = tuple(index_of(item, parameters) for item in items)
    check_positions(indices, value.array.shape)
    bound = None if value.bound is None else np.asarray(value.bounds[indices])
    return Value(np.asarray(value.array[indices]), bound)


def coordinate(value, axis):
    shape = value.array.shape
    along = [extent if number == axis else 1 for number, extent in enumerate(shape)]
    return Value(np.broadcast_to(np.arange(shape[axis], dtype=np.int64).reshape(along), shape).copy())


def extent(value, axis):
    return Value(np.array(value.array.shape[axis], dtype=INT64))
