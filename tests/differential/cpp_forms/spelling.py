"""How C++ spells types, numbers, operations, views and reductions."""

import math

import numpy as np

from ..element_types import DTYPES, kind

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
# Those with a compound assignment.
ASSIGNMENTS = (
    "add subtract multiply true_divide bitwise_and bitwise_or bitwise_xor left_shift right_shift".split()
)
ORDERS = {"less", "less_equal", "greater", "greater_equal"}


def floating_text(number, is_constant, cpp_type="double"):
    """A C++ floating number. `is_constant`: Sinter's names for infinity and NaN may stand there."""
    limits = f"std::numeric_limits<{cpp_type}>"
    if math.isnan(number):
        return "nan" if is_constant else f"{limits}::quiet_NaN()"
    if math.isinf(number):
        name = "inf" if is_constant else f"{limits}::infinity()"
        return name if number > 0 else f"-{name}"
    return repr(float(number)) if cpp_type == "double" else f"{float(np.float32(number))!r}f"


def integer_text(number):
    """A C++ integer: the least one has no literal."""
    if number == np.iinfo(np.int64).min:
        return "std::numeric_limits<std::int64_t>::min()"
    return f"{number}u" if number > np.iinfo(np.int64).max else str(number)


def complex_text(number, name):
    part = "float" if name == "complex64" else "double"
    parts = [floating_text(part_of_it, False, part) for part_of_it in (number.real, number.imag)]
    return f"{CPP_TYPES[name]}({', '.join(parts)})"


def number_text(node, is_constant):
    """The number of a scalar node. Sinter's constants are doubles where they meet no floating type."""
    dtype = DTYPES[node.type]
    if kind(dtype) == "b":
        return "true" if node.value else "false"
    if kind(dtype) == "c":
        return complex_text(node.value, node.type)
    if kind(dtype) == "f" and node.weak and node.type == "float32":
        return floating_text(node.value, False, "float")
    if kind(dtype) == "f":
        return floating_text(node.value, is_constant)
    return integer_text(int(node.value))


def scalar_text(node, is_constant):
    """A scalar node as an operand or an argument."""
    if node.weak:
        return number_text(node, is_constant)
    return f"scalar<{CPP_TYPES[node.type]}>({number_text(node, False)})"


def parameter_text(node, position):
    """A scalar that a call reads from memory."""
    text = f"number_in<{CPP_TYPES[node.type]}>(with.inputs[{position}])"
    return text if node.weak else f"scalar<{CPP_TYPES[node.type]}>({text})"


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


def axes_option(random, bits, rank):
    """The axes of a reduction, some counted from the back; of all axes often nothing."""
    axes = [axis for axis in range(rank) if bits >> axis & 1]
    if len(axes) == rank and random.random() < 0.5:
        return []
    named = [axis - rank if random.random() < 0.3 else axis for axis in axes]
    return [f"axis<{', '.join(map(str, named))}>"]


def call_text(random, name, operand, options):
    """A reduction with its options in any order."""
    random.shuffle(options)
    return f"{name}({', '.join([operand, *options])})"


def reduce_text(random, node, operand, rank):
    options = ["keepdims"] * node.keep + axes_option(random, node.axes, rank)
    return call_text(random, node.operation, operand, options)


def named_text(random, named, operand, mask, rank):
    """A reduction by its name, with its accumulator and options."""
    if named.function.startswith("cum"):
        axis = named.axes.bit_length() - 1
        options = [f"axis<{axis - rank if random.random() < 0.3 else axis}>"]
    else:
        options = ["keepdims"] * named.keep + axes_option(random, named.axes, rank)
    options += [f"only_where({mask})"] * (mask is not None)
    options += [f"ddof({named.ddof})"] * (named.ddof is not None)
    template = [CPP_TYPES[named.accumulator]] if named.accumulator else []
    template += [named.order] if named.order else []
    name = f"{named.function}<{', '.join(template)}>" if template else named.function
    return call_text(random, name, operand, options)
