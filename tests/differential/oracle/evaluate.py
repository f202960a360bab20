"""The values of a program's nodes."""

import dataclasses

import numpy as np

from ..element_types import DTYPES, scalar_array
from ..program import (
    MAX_AXES,
    MAX_BYTES,
    MAX_ELEMENTS,
    Apply,
    Bincount,
    Cast,
    Combining,
    Component,
    Compress,
    Coordinate,
    Element,
    Extent,
    External,
    Histogram,
    Histogram2d,
    Input,
    Interp,
    Literal,
    Nonzero,
    Order,
    Parameter,
    Part,
    Random,
    Reduce,
    ReduceBy,
    Repeat,
    RepeatWhile,
    Scan,
    ScanBy,
    Scatter,
    SearchSorted,
    Segment,
    Stencil,
    Product,
    View,
    When,
)
from .bodies import choose_bodies, repeat_bodies
from .combining import combine_bodies
from .elementwise import apply, cast
from .elements import check_whole, evaluate_element
from .external_functions import call_external
from .histograms import evaluate_histogram, evaluate_histogram2d
from .order import evaluate_order, order_shape
from .parts import evaluate_part, overflows, part_shape
from .random_numbers import evaluate_random
from .reductions import axes_of_bits, reduce_value, reduced_shape, scan_value
from .scatters import evaluate_bincount, evaluate_compress, evaluate_nonzero, evaluate_segment, scatter, size_of
from .searches import evaluate_interp, evaluate_search
from .products import evaluate_product, product_shape
from .stencils import evaluate_stencil, stencil_shape
from .value import Refused, TooLarge, Value
from .views import coordinate, extent, view


def evaluate_scalar(node, operands, nodes, mode):
    return Value(scalar_array(node.value, DTYPES[node.type]), None, node.weak, node.value)


def evaluate_view(node, operands, nodes, mode):
    parameters = [other.value for other in nodes if isinstance(other, Parameter)]
    return view(operands[0], node.items, parameters)


def evaluate_component(node, operands, nodes, mode):
    if node.result >= len(operands[0].results):
        raise Refused("type_error", "there is no such result")
    return dataclasses.replace(operands[0].results[node.result], results=())


EVALUATORS = {
    Input: lambda node, operands, nodes, mode: Value(node.array),
    Literal: evaluate_scalar,
    Parameter: evaluate_scalar,
    Apply: lambda node, operands, nodes, mode: apply(node.operation, operands, mode),
    External: lambda node, operands, nodes, mode: call_external(node, operands, evaluate_node),
    Cast: lambda node, operands, nodes, mode: cast(operands[0], DTYPES[node.type]),
    View: evaluate_view,
    Reduce: lambda node, operands, nodes, mode: reduce_value(
        node.operation, operands[0], node.axes, node.keep, mode
    ),
    Scan: lambda node, operands, nodes, mode: scan_value(node.operation, operands[0], node.axis, mode),
    Coordinate: lambda node, operands, nodes, mode: coordinate(operands[0], node.axis),
    Extent: lambda node, operands, nodes, mode: extent(operands[0], node.axis),
    Random: lambda node, operands, nodes, mode: evaluate_random(node, operands, mode),
    Repeat: lambda node, operands, nodes, mode: repeat_bodies(node, operands, mode, evaluate_node),
    RepeatWhile: lambda node, operands, nodes, mode: repeat_bodies(node, operands, mode, evaluate_node),
    When: lambda node, operands, nodes, mode: choose_bodies(node, operands, mode, evaluate_node),
    ReduceBy: lambda node, operands, nodes, mode: combine_bodies(node, operands, mode, evaluate_node),
    ScanBy: lambda node, operands, nodes, mode: combine_bodies(node, operands, mode, evaluate_node),
    Component: evaluate_component,
    Element: lambda node, operands, nodes, mode: evaluate_element(node, operands),
    SearchSorted: lambda node, operands, nodes, mode: evaluate_search(node, operands),
    Interp: lambda node, operands, nodes, mode: evaluate_interp(node, operands, mode),
    Scatter: lambda node, operands, nodes, mode: scatter(*operands, node.axis, node.combine, node.rule),
    Bincount: lambda node, operands, nodes, mode: evaluate_bincount(node, operands),
    Histogram: lambda node, operands, nodes, mode: evaluate_histogram(node, operands, mode),
    Histogram2d: lambda node, operands, nodes, mode: evaluate_histogram2d(node, operands, mode),
    Segment: lambda node, operands, nodes, mode: evaluate_segment(node, operands, mode),
    Nonzero: lambda node, operands, nodes, mode: evaluate_nonzero(operands),
    Compress: lambda node, operands, nodes, mode: evaluate_compress(operands),
    Order: lambda node, operands, nodes, mode: evaluate_order(node, operands),
    Stencil: lambda node, operands, nodes, mode: evaluate_stencil(node, operands, mode),
    Product: lambda node, operands, nodes, mode: evaluate_product(node, operands, mode),
}


def comes_from_scalars(node, operands):
    if isinstance(node, (Literal, Parameter)):
        return True
    # a reduction of a number over no axes is the number, or an operation on it
    if not isinstance(node, (Apply, Cast, View, Reduce)) or not all(value.from_scalars for value in operands):
        return False
    return isinstance(node, View) or all(operand.array.ndim == 0 for operand in operands)


def is_on_host(node, operands):
    if isinstance(node, (Apply, Cast)):
        return all(operand.on_host for operand in operands)
    return isinstance(node, (Literal, Parameter, Extent))


def result_shape(node, operands):
    """The shape of what may have more elements than its operands: a broadcast, a part, and a reduction of an
    empty axis."""
    if isinstance(node, Part):
        return part_shape(node, operands)
    shapes = [operand.array.shape for operand in operands]
    if isinstance(node, (Apply, External, Random)):  # a distribution's numbers have rank 0, or are broadcast
        return np.broadcast_shapes(*shapes)
    if isinstance(node, SearchSorted):
        return shapes[1]
    if isinstance(node, (Bincount, Histogram, Histogram2d)):
        return tuple(size_of(value) for value in operands[node.arrays :])
    if isinstance(node, Segment):
        return (*shapes[0][: node.axis], size_of(operands[2]), *shapes[0][node.axis + 1 :])
    if isinstance(node, Order):
        return order_shape(node, operands)
    if isinstance(node, Stencil):
        return stencil_shape(node, shapes)
    if isinstance(node, Product):
        return product_shape(node, shapes)
    if isinstance(node, Element):
        return np.broadcast_shapes(*shapes[1:])
    if isinstance(node, Combining):
        return np.broadcast_shapes(*shapes[: node.states])
    if isinstance(node, Reduce):
        return reduced_shape(shapes[0], axes_of_bits(node.axes, len(shapes[0])), node.keep)
    return shapes[0] if shapes else ()


def evaluate_node(node, values, nodes, mode, max_elements=MAX_ELEMENTS):
    """The value of a node after `nodes`, whose values are given. Raises Refused, and TooLarge before
    it takes memory."""
    operands = [values[operand] for operand in node.operands]
    check_whole(node, operands)
    if np.prod(result_shape(node, operands), dtype=np.float64) > max_elements:
        raise TooLarge
    with np.errstate(all="ignore"):
        if isinstance(node, Part):
            value = evaluate_part(node, operands)
        else:
            value = EVALUATORS[type(node)](node, operands, nodes, mode)
    value.from_scalars = comes_from_scalars(node, operands)
    value.on_host = is_on_host(node, operands)
    value.overflows = overflows(node, operands, value)
    if value.array.size > max_elements or value.array.ndim > MAX_AXES:
        raise TooLarge
    if value.bytes + sum(other.bytes for other in values) > MAX_BYTES:
        raise TooLarge
    return value


def evaluate(program, variant="fused"):
    """The values of all nodes. Of an unfused program each node is a kernel of its own, and the integers of parts are
    numbers that earlier kernels have computed: elements of arrays may decide them, and they wrap around."""
    values = []
    for number, node in enumerate(program.nodes):
        try:
            value = evaluate_node(node, values, program.nodes, program.mode)
        except Refused as refusal:
            refusal.if_used |= refusal.if_needed and number not in program.outputs
            raise
        if variant == "unfused" and value.array.ndim == 0:
            value.on_host, value.overflows = True, False
        values.append(value)
    return values
