"""The same graph called again: with other shapes, strides, memory and scalars, so that what was kept of the first
call is held to the second."""

import numpy as np

from ..draw_layouts import draw_layout
from ..element_types import DTYPES, kind
from ..oracle.evaluate import TooLarge, evaluate
from ..oracle.searches import ascending, is_ascending
from ..oracle.value import Refused
from ..program import MAX_ELEMENTS, Input, Order, Parameter, Part, Product, Scattering, Stencil
from ..targets import draw_targets

MAX_FACTOR = 3


def other_extents(random, program):
    """New extents by old ones: equal extents stay equal, so that what broadcasts still does."""
    arrays = [node.array for node in program.nodes if isinstance(node, Input)]
    extents = sorted({extent for array in arrays for extent in array.shape if extent > 1})
    changes = {}
    for extent in extents:
        if random.random() < 0.6:
            changes[extent] = random.choice(
                [2, 3, extent - 1, extent + 1, extent // 2 + 1, MAX_FACTOR * extent]
            )
    return changes


def other_array(random, array, changes):
    shape = [max(changes.get(extent, extent), 1) for extent in array.shape]
    if array.size == 0:
        return array
    if np.prod(shape, dtype=np.float64) > MAX_ELEMENTS:
        raise TooLarge
    elements = np.resize(np.array(array, order="C").reshape(-1), shape)
    # what is searched stays sorted, and so do the columns whose extremes are
    if is_ascending(array):
        elements = ascending(elements)
    elif array.ndim == 2 and all(is_ascending(column) for column in array.T):
        elements = np.stack([ascending(column) for column in elements.T], 1)
    return draw_layout(random, elements.astype(array.dtype))


def other_scalar(random, node):
    if kind(DTYPES[node.type]) == "b":
        return not node.value
    if kind(DTYPES[node.type]) in "iu":
        most = np.iinfo(DTYPES[node.type]).max
        return random.choice([0, 1, 2, min(node.value + 1, most), max(node.value - 1, 0)])
    numbers = [0.0, -0.0, 0.5, -1.0, 3.25, float("inf"), float("nan"), node.value]
    return random.choice(numbers + [0.5 - 2j] * (kind(DTYPES[node.type]) == "c"))


def other_node(random, node, changes):
    if isinstance(node, Input):
        return Input(other_array(random, node.array, changes))
    if isinstance(node, Parameter):
        return Parameter(node.type, other_scalar(random, node), node.weak)
    return node


def is_refused(program):
    try:
        evaluate(program)
    except Refused:
        return True
    except (TooLarge, ValueError):
        pass
    return False


def vary(random, program):
    """Another program with the graph of this one; None where it would be too large, or where only values that
    nothing uses would be refused."""
    if any(isinstance(node, (Part, Product, Scattering, Stencil, Order)) for node in program.nodes) and is_refused(program):
        return None  # of two refusals the library's may be another one
    changes = other_extents(random, program)
    try:
        varied = program.replace(
            nodes=tuple(other_node(random, node, changes) for node in program.nodes), targets=()
        )
        values = evaluate(varied)
    except Refused:
        return varied if is_refused(varied.keep_only(varied.outputs)) else None
    except (TooLarge, ValueError):
        return None
    if random.random() < 0.3:
        outputs = [values[output].array for output in program.outputs]
        return varied.replace(targets=draw_targets(random, varied.nodes, outputs))
    return varied
