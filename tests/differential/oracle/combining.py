"""Reductions and scans by a body, which is associative, and commutes unless the node is ordered.

Integers are computed exactly, in two orders of their elements. Where these give different results, as a body
that was shrunk may, the element is not compared. Floating numbers are in combining_floats.py."""

import dataclasses

import numpy as np

from ..element_types import DTYPES, kind
from ..program import MAX_ELEMENTS, Argument, ReduceBy, all_nodes
from .bodies import Work, captured_of, evaluate_body, first_of
from .combining_floats import FloatOrders
from .combining_orders import Sides, rows_of
from .elementwise import cast
from .promotion import common_type
from .reductions import axes_of_bits, reduced_shape
from .value import Refused, TooLarge, Value, unknown_where

# Elements that are combined one after the other, before what they come to is combined in the same way.
CHUNK = 64


def in_type_of(argument, value, what):
    """A value or an identity in the type of the body's argument."""
    dtype = DTYPES[argument.type]
    if common_type([value, Value(np.zeros((), dtype))]) != dtype:
        raise Refused("type_error", f"{what} has another type than its argument")
    converted = cast(value, dtype)
    return Value(converted.array, converted.bound)


def check_body(node):
    """The arguments of the values."""
    body, count = node.bodies[0], node.states
    arguments = [each for each in body.nodes if isinstance(each, Argument)]
    captured = len(node.operands) - node.captured_begin
    if len(arguments) != 2 * count + captured or len(body.results) != count:
        raise Refused("type_error", "a body has other arguments or results than its node")
    if any(argument.rank for argument in arguments):
        raise Refused("shape_error", "a body takes an array")
    if [each.type for each in arguments[:count]] != [each.type for each in arguments[count : 2 * count]]:
        raise Refused("type_error", "the sides have other types")
    return arguments[:count]


class Combination:
    """What a node combines: values and identities in the types of the body, and the axes."""

    def __init__(self, node, operands, mode, evaluate_node):
        self.node, self.mode, self.evaluate_node = node, mode, evaluate_node
        self.is_scan = not isinstance(node, ReduceBy)
        arguments = check_body(node)
        self.values = [
            in_type_of(argument, value, "a value") for argument, value in zip(arguments, operands)
        ]
        self.identities = [
            in_type_of(argument, value, "an identity")
            for argument, value in zip(arguments, operands[node.states :])
        ]
        self.captured = captured_of(node, operands)
        self.types = [DTYPES[argument.type] for argument in arguments]
        if any(operand.array.ndim for operand in operands[node.states :]):
            raise Refused("shape_error", "an identity or a captured value is no scalar")
        self.shape = np.broadcast_shapes(*[value.array.shape for value in self.values])
        rank = len(self.shape)
        axes = 1 << node.axis if self.is_scan else node.axes
        if axes >> rank or not axes:
            raise Refused("shape_error", "there is no such axis, or none")
        self.axes = axes_of_bits(axes, rank)
        self.check_results()

    def check_results(self):
        """The types and ranks of the body's results."""
        with_ones = [Value(np.ones((), dtype)) for dtype in self.types]
        results = evaluate_body(
            self.node.bodies[0], with_ones + with_ones + self.captured, self.mode, self.evaluate_node
        )
        if any(
            result.dtype != dtype or result.weak or result.array.ndim
            for result, dtype in zip(results, self.types)
        ):
            raise Refused("type_error", "a result of the body has another type than its value")

    def row_arrays(self):
        return [rows_of(np.broadcast_to(value.array, self.shape), self.axes) for value in self.values]

    def back(self, array):
        """Rows of results in the shape of the result."""
        if not self.is_scan:
            return array.reshape(reduced_shape(self.shape, self.axes, self.node.keep))
        return np.moveaxis(array, -1, self.axes[0])

    def over_nothing(self):
        shape = reduced_shape(self.shape, self.axes, self.node.keep)
        if np.prod(shape, dtype=np.float64) > MAX_ELEMENTS:
            raise TooLarge
        results = []
        for identity in self.identities:
            bound = None if identity.bound is None else np.broadcast_to(identity.bounds, shape)
            results.append(Value(np.broadcast_to(identity.array, shape), bound))
        return results

    def unknown(self):
        """Where something is not known on which the results depend."""
        known = np.zeros(self.shape)
        for value in self.values:
            known = known + (np.isinf(value.bounds) if kind(value.dtype) == "f" else value.bounds > 0)
        rows = rows_of(known, self.axes)
        found = np.cumsum(rows, -1) > 0 if self.is_scan else rows.sum(-1) > 0
        captured = any((value.bounds > 0).any() for value in self.captured)
        return found | captured

    def is_floating(self):
        types = {DTYPES[node.type] for node in all_nodes(self.node.bodies[0].nodes) if hasattr(node, "type")}
        if any(kind(dtype) == "c" for dtype in types):
            raise TooLarge
        return any(kind(dtype) == "f" for dtype in types)

    def combine_exactly(self, left, right):
        captured = [dataclasses.replace(each, bound=None) for each in self.captured]
        given = [Value(array) for array in (*left, *right)] + captured
        results = evaluate_body(self.node.bodies[0], given, self.mode, self.evaluate_node)
        if any((result.bounds > 0).any() for result in results):
            raise TooLarge  # an operation of floating numbers in a body of integers
        return [np.broadcast_to(result.array, left[0].shape) for result in results]

    def depends_on_order(self, rows):
        """Whether neighbours show that the body is not associative, or does not commute where it should."""
        first, second, third = (
            [array[..., start : max(array.shape[-1] - 2 + start, 0)] for array in rows] for start in (0, 1, 2)
        )
        pairs = []
        if first[0].size:
            left = self.combine_exactly(self.combine_exactly(first, second), third)
            pairs += zip(left, self.combine_exactly(first, self.combine_exactly(second, third)))
        if not self.is_scan and not self.node.ordered:
            before, after = [array[..., :-1] for array in rows], [array[..., 1:] for array in rows]
            pairs += zip(self.combine_exactly(before, after), self.combine_exactly(after, before))
        return any((one != other).any() for one, other in pairs)

    def exact(self):
        rows = self.row_arrays()
        sides = Sides(self.combine_exactly, self.is_scan)
        results = sides.in_chunks(rows, CHUNK)
        others = sides.in_chunks(rows, 2) if rows[0].shape[-1] > 2 else results
        if not self.is_scan and not self.node.ordered:
            others = sides.backwards(rows, 3)
        unknown = self.unknown() | self.depends_on_order(rows)
        bounds = [unknown_where(unknown | (first != second)) for first, second in zip(results, others)]
        return [
            Value(first, bound if bound.any() else None) for first, bound in zip(results, bounds)
        ]

    def results(self):
        length = int(np.prod([self.shape[axis] for axis in self.axes], dtype=np.int64))
        if length == 0 and not self.is_scan:
            return self.over_nothing()
        if 0 in self.shape:
            shape = self.shape if self.is_scan else reduced_shape(self.shape, self.axes, self.node.keep)
            return [Value(np.zeros(shape, dtype)) for dtype in self.types]
        rows = FloatOrders(self).results() if self.is_floating() else self.exact()
        return [
            Value(self.back(value.array), None if value.bound is None else self.back(value.bounds))
            for value in rows
        ]


def combine_bodies(node, operands, mode, evaluate_node):
    with Work():
        return first_of(Combination(node, operands, mode, evaluate_node).results())
