"""How C++ spells types, numbers, operations, views and reductions."""

import math

import numpy as np

from ..element_types import DTYPES, kind
from ..program import Parameter

CPP_TYPES = {
    "bool": "bool",
    "float16": "sinter::float16",
    "bfloat16": "sinter::bfloat16",
    "float32": "float",
    "float64": "double",
    "complex64": "std::complex<float>",
    "complex128": "std::complex<double>",
} | {f"{sign}int{bits}": f"std::{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)}

ALIASES = {
    "absolute": "abs",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "arctan2": "atan2",
    "power": "pow",
}
OPERATORS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "true_divide": "/",
    "remainder": "%",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
    "logical_and": "&&",
    "logical_or": "||",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "left_shift": "<<",
    "right_shift": ">>",
    "negative": "-",
    "positive": "+",
    "bitwise_not": "~",
    "logical_not": "!",
}
ORDERS = {"less", "less_equal", "greater", "greater_equal"}


def floating_text(number, is_constant):
    """A C++ double. `is_constant`: Sinter's names for infinity and NaN may stand there."""
    if math.isnan(number):
        return "nan" if is_constant else "std::numeric_limits<double>::quiet_NaN()"
    if math.isinf(number):
        name = "inf" if is_constant else "std::numeric_limits<double>::infinity()"
        return name if number > 0 else f"-{name}"
    return repr(float(number))


def integer_text(number):
    """A C++ integer: the least one has no literal."""
    if number == np.iinfo(np.int64).min:
        return "std::numeric_limits<std::int64_t>::min()"
    return f"{number}u" if number > np.iinfo(np.int64).max else str(number)


def number_text(node, is_constant):
    """The number of a scalar node."""
    if kind(DTYPES[node.type]) == "b":
        return "true" if node.value else "false"
    if kind(DTYPES[node.type]) == "f":
        return floating_text(node.value, is_constant)
    return integer_text(int(node.value))


def scalar_text(node, is_constant):
    """A scalar node as an operand or an argument."""
    if node.weak:
        return number_text(node, is_constant)
    return f"scalar<{CPP_TYPES[node.type]}>({number_text(node, False)})"


def has_operator(operation, dtypes):
    """Whether the operation's operator compiles for operands of these types: / and % do not for integers
    alone, orders do not between a boolean and a number."""
    if operation in ("true_divide", "remainder"):
        return any(kind(dtype) in "fc" for dtype in dtypes)
    if operation in ORDERS:
        return len({kind(dtype) == "b" for dtype in dtypes}) == 1
    return operation in OPERATORS


def in_parentheses(text):
    """An operand of an operator: of all operands negative numbers alone bind weaker."""
    return f"({text})" if text.startswith("-") else text


def apply_text(random, operation, operands, dtypes):
    """A call of the operation's function or of its alias, or its operator."""
    if has_operator(operation, dtypes) and random.random() < 0.5:
        symbol = OPERATORS[operation]
        first, *rest = map(in_parentheses, operands)
        return f"{first} {symbol} {rest[0]}" if rest else f"{symbol}{first}"
    name = ALIASES[operation] if operation in ALIASES and random.random() < 0.5 else operation
    return f"{name}({', '.join(operands)})"


def item_text(item, bound_text):
    """An item of an index list."""
    if item == "n":
        return "newaxis"
    if item.startswith("i:"):
        return bound_text(item[2:])
    start, stop, step = item[2:].split(":")
    if (start, stop, step) == ("_", "_", "_"):
        return "all()"
    if (start, step) == ("_", "_"):
        return f"slice({bound_text(stop)})"
    bounds = [start, stop] + ([] if step == "_" else [step])
    return f"slice({', '.join(bound_text(bound) for bound in bounds)})"


def view_text(random, operand, items, bound_text):
    """Indexing, or a permutation of all axes."""
    if not items or not items[0].startswith("p:"):
        return f"{operand}({', '.join(item_text(item, bound_text) for item in items)})"
    axes = [int(item[2:]) for item in items]
    if axes == sorted(axes, reverse=True) and random.random() < 0.5:
        return f"transpose({operand})"
    return f"permute<{', '.join(map(str, axes))}>({operand})"


def reduce_text(random, node, operand, rank):
    """A reduction with its axes, some counted from the back."""
    axes = [axis for axis in range(rank) if node.axes >> axis & 1]
    options = ["keepdims"] if node.keep else []
    if len(axes) < rank or random.random() < 0.5:
        named = [axis - rank if random.random() < 0.3 else axis for axis in axes]
        options.append(f"axis<{', '.join(map(str, named))}>")
    random.shuffle(options)
    return f"{node.operation}({', '.join([operand, *options])})"


def parameter_numbers(nodes):
    """What views name `pN`."""
    return [node.value for node in nodes if isinstance(node, Parameter)]
