"""Classes of differences from NumPy that were examined and are no faults.

Each speaks about errors of finite floating-point numbers alone: a difference in NaN, infinity, type,
shape, integers, booleans or positions is never explained, nor is an error or a crash."""

import dataclasses
from typing import Callable

import numpy as np

from .element_types import NAMES, is_complex, kind, widen
from .oracle.comparison import right_floating
from .oracle.evaluate import evaluate
from .oracle.operation_table import COMPARISONS
from .program import Apply, Scan, WithBodies, all_nodes

# What grows without an error by a unit in the last place of a large number.
GROWING = {
    "exp",
    "exp2",
    "expm1",
    "cosh",
    "sinh",
    "power",
    "degrees",
    "multiply",
    "square",
    "sum",
    "prod",
    "cumsum",
    "cumprod",
    "tgamma",
    "ldexp",
}
PERIODIC = {"sin", "cos", "tan", "remainder", "fmod"}
# What turns a rounding into a difference of any size.
STEEP = COMPARISONS | set(
    """tan remainder fmod floor_divide trunc_divide floor ceil trunc rint round sign heaviside modf_fraction
    frexp_mantissa frexp_exponent tgamma""".split()
)
FAST_ABSOLUTE = {"log", "log2", "log10", "log1p", "sin", "cos", "tan"}


@dataclasses.dataclass
class ExplainedDifference:
    """`applies(program, output)` looks at what an output is computed from, which may be the cause."""

    name: str
    reason: str
    applies: Callable


def ancestors(program, output):
    found, pending = {output}, [output]
    while pending:
        for operand in program.nodes[pending.pop()].operands:
            if operand not in found:
                found.add(operand)
                pending.append(operand)
    return found


def operations_of(program, numbers):
    nodes = all_nodes(program.nodes[number] for number in numbers)
    return {getattr(node, "operation", "") for node in nodes}


def amplified(program, output):
    """A periodic function of what a growing function gave; in a loop, the order of nodes says nothing."""
    for number in ancestors(program, output):
        inside = operations_of(program, [number]) if isinstance(program.nodes[number], WithBodies) else set()
        if inside & PERIODIC and operations_of(program, ancestors(program, number)) & GROWING:
            return True
    return any(
        isinstance(program.nodes[number], Apply)
        and program.nodes[number].operation in PERIODIC
        and operations_of(program, ancestors(program, number) - {number}) & GROWING
        for number in ancestors(program, output)
    )


def has_type(program, names):
    """Whether a value of the program has one of some types: radians of a bool is a float16, for one."""
    types = {NAMES[value.dtype] for value in evaluate(program)}
    return bool((types | {getattr(node, "type", "") for node in all_nodes(program.nodes)}) & set(names))


# The session holds these to the interpreter instead (strict_check.py).
AMPLIFIED = ExplainedDifference(
    "amplified rounding",
    "a large number is off by a unit in its last place, and a periodic function of it has another phase",
    amplified,
)
EXPLAINED = [
    AMPLIFIED,
    ExplainedDifference(
        "narrow types between operations",
        "outside of strict mode a fused kernel keeps float16 and bfloat16 in float32 and rounds results "
        "alone, so a function that is steep there differs",
        lambda program, output: program.mode != "strict"
        and has_type(program, ("float16", "bfloat16"))
        and bool(operations_of(program, ancestors(program, output)) & STEEP),
    ),
    ExplainedDifference(
        "absolute error of fast functions",
        "the stated error of fast logarithms near 1 and of fast sines near 0 is absolute",
        lambda program, output: program.mode == "fast"
        and bool(operations_of(program, ancestors(program, output)) & FAST_ABSOLUTE),
    ),
    ExplainedDifference(
        "scans of complex64",
        "roundings of one sign add up with the length, and the bound grows with its square root",
        lambda program, output: any(
            isinstance(program.nodes[number], Scan) for number in ancestors(program, output)
        )
        and has_type(program, ("complex64",)),
    ),
]


def differs_in_finite_numbers_alone(result, expected):
    if (
        result.dtype != expected.dtype
        or result.shape != expected.array.shape
        or kind(expected.dtype) not in "fc"
    ):
        return False
    got, wanted = widen(result), widen(expected.array)
    wrong = ~right_floating(result, expected, is_strict=False) & np.isfinite(expected.bounds)
    parts = (
        [(got.real, wanted.real), (got.imag, wanted.imag)] if is_complex(expected.dtype) else [(got, wanted)]
    )
    return all((np.isfinite(first) & np.isfinite(second))[wrong].all() for first, second in parts)


def explain(program, outcome):
    """The class that explains all differences of an outcome, or None."""
    if outcome.status != "wrong" or not outcome.differences:
        return None
    if not all(differs_in_finite_numbers_alone(*difference) for difference in outcome.differences.values()):
        return None
    for explained in EXPLAINED:
        if all(explained.applies(program, output) for output in outcome.differences):
            return explained
    return None
