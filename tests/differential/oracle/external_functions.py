"""What the external functions of driver/external_functions.hpp compute, as bodies."""

import numpy as np

from ..element_types import DTYPES
from ..program import Apply, Argument, Body, Literal
from .bodies import Work, evaluate_body
from .elementwise import cast
from .promotion import common_type
from .value import Refused, Value


def function(types, *nodes):
    """A body whose last node is its result."""
    arguments = tuple(Argument(name, 0, False) for name in types)
    return Body((*arguments, *nodes), (len(arguments) + len(nodes) - 1,))


EXTERNAL_FUNCTIONS = {
    "mix_words": function(
        ("uint32", "uint32"),
        Literal("uint32", 2654435761, False),
        Apply("multiply", operands=(0, 2)),
        Apply("bitwise_xor", operands=(3, 1)),
    ),
    "half_sum": function(
        ("float32", "float32"),
        Literal("float32", 0.5, False),
        Apply("multiply", operands=(0, 2)),
        Apply("multiply", operands=(1, 2)),
        Apply("add", operands=(3, 4)),
    ),
    "halve_here": function(
        ("int32",), Literal("int32", 2, False), Apply("trunc_divide", operands=(0, 1))
    ),
}


def argument_types(name):
    return [node.type for node in EXTERNAL_FUNCTIONS[name].nodes if isinstance(node, Argument)]


def call_external(node, operands, evaluate_node):
    """External code computes in its own types, in every mode."""
    arguments = []
    for name, value in zip(argument_types(node.operation), operands, strict=True):
        dtype = DTYPES[name]
        if common_type([value, Value(np.zeros((), dtype))]) != dtype:
            raise Refused("type_error", "an operand does not fit the argument of an external function")
        arguments.append(cast(value, dtype))
    with Work():
        return evaluate_body(EXTERNAL_FUNCTIONS[node.operation], arguments, "strict", evaluate_node)[0]
