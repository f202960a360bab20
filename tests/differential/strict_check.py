"""Holds programs in strict mode to the interpreter, bit for bit, where strict mode promises its results.

The values of what is not promised (functions, sums of floating numbers) are computed first and become inputs:
what is computed from them is compared, however steep it is."""

import numpy as np

from .check import Outcome, check
from .element_types import is_complex, kind, widen
from .oracle.bodies import counts_of, observe_bodies
from .oracle.evaluate import evaluate
from .oracle.operation_table import COMPARISONS, EXACT, LOGICAL, PREDICATES
from .oracle.promotion import types_of
from .oracle.value import Refused
from .program import (
    LEAVES,
    Apply,
    Combining,
    Component,
    Gather,
    Input,
    Order,
    Random,
    Reduce,
    Repeat,
    RepeatWhile,
    Scan,
    Scatter,
    Segment,
    Stencil,
    Product,
    all_nodes,
)

# The sign of NaN is not promised.
REAL = (EXACT | COMPARISONS | LOGICAL | PREDICATES | {"where"}) - {"signbit", "copysign"}
COMPLEX = set("add subtract negative positive where equal not_equal real imag conj".split())
SUMS = {"sum", "prod", "cumsum", "cumprod"}
MAX_OUTPUTS = 16
# The interpreter takes two seconds for so many of two operations on 64 elements.
MAX_ITERATIONS = 200_000


def is_promised(node, operands):
    """Whether strict mode gives the interpreter's bits for the node, given those of its operands' values."""
    if isinstance(node, Apply):
        compute = types_of(node.operation, operands)[0]
        if kind(compute) in "biu":
            return True
        types = [compute] + [operand.dtype for operand in operands]
        return node.operation in (COMPLEX if any(map(is_complex, types)) else REAL)
    if isinstance(node, Scan | Reduce) and node.operation in SUMS:
        return kind(operands[0].dtype) in "biu"
    if isinstance(node, Random):
        return node.distribution not in ("normal", "exponential")
    if isinstance(node, Scatter) and node.combine == "add_unordered":
        return kind(operands[0].dtype) in "biu"
    if isinstance(node, Segment):  # means of complex numbers are quotients
        if node.result == "sum_unordered":
            return kind(operands[0].dtype) in "biu"
        return node.result != "mean" or not is_complex(operands[0].dtype)
    if isinstance(node, Order):  # quantiles and medians compute with floating numbers
        return node.function not in ("median", "quantile")
    if isinstance(node, Product):  # sums of floating numbers
        return all(kind(operand.dtype) in "biu" for operand in operands)
    if isinstance(node, Stencil):  # sums of floating numbers, and quotients of complex ones
        is_integer = all(kind(operand.dtype) in "biu" for operand in operands)
        if node.function in ("convolve", "correlate"):
            return is_integer
        return node.function == "diff" or node.function == "gradient" and not is_complex(operands[0].dtype)
    if isinstance(node, Combining):  # floating results depend on the order
        return all(kind(operand.dtype) in "biu" for operand in operands[: node.states])
    return True


def same_bits(first, second):
    """Element by element; a NaN is like any other."""
    if first.dtype != second.dtype or first.shape != second.shape:
        return np.zeros(1, bool)
    if kind(first.dtype) in "biu":
        return first == second
    got, wanted = widen(first), widen(second)
    same = np.ones(first.shape, bool)
    for part in ("real", "imag") if is_complex(first.dtype) else ("real",):
        one, other = getattr(got, part), getattr(wanted, part)
        equal = (one == other) & (np.signbit(one) == np.signbit(other))
        same &= equal | (np.isnan(one) & np.isnan(other))
    return same


def describe(result, wanted, same):
    if result.dtype != wanted.dtype or result.shape != wanted.shape:
        return "another type or shape"
    first = tuple(int(position) for position in np.argwhere(~same)[0])
    count = f"{int((~same).sum())} of {same.size} differ"
    return f"{count}, first at {list(first)}: {result[first]!r} instead of {wanted[first]!r}"


def iterations_of(node, values):
    """The most that an element takes, as far as it is known before the loop runs."""
    if not isinstance(node, (Repeat, RepeatWhile)):
        return 0
    counts = counts_of(node, [values[operand] for operand in node.operands])
    return 0 if counts is None else counts.max(initial=0)


class StrictCheck:
    """`driver` runs programs as usual, `interpreter` is a process of sinter_differential_interpreter."""

    def __init__(self, driver, interpreter):
        self.driver, self.interpreter = driver, interpreter

    def cut(self, program):
        """The program with inputs for what is not promised, and outputs for what is; or an answer that is an
        error, or None where nothing is promised, or where the interpreter would take too long."""
        with observe_bodies() as operands_of:
            values = evaluate(program)
        if any(iterations_of(node, values) > MAX_ITERATIONS for node in program.nodes):
            return None
        operands_of |= {id(node): [values[operand] for operand in node.operands] for node in program.nodes}
        promised = []
        for node in program.nodes:
            if isinstance(node, Component):
                promised.append(promised[node.operands[0]])
            else:
                promised.append(
                    all(is_promised(each, operands_of.get(id(each), ())) for each in all_nodes([node]))
                )
        replaced = [number for number, is_exact in enumerate(promised) if not is_exact]
        # what is replaced is computed by itself, without the condition under which an element is used
        if replaced and any(isinstance(node, Gather) and node.rule == "guarded" for node in program.nodes):
            return None
        wanted = list(program.outputs) + [
            operand for number in replaced for operand in program.nodes[number].operands
        ]
        outputs = [
            number
            for number in dict.fromkeys(wanted)
            if promised[number] and not isinstance(program.nodes[number], LEAVES)
        ][:MAX_OUTPUTS]
        if not outputs:
            return None
        if replaced:
            answer = self.driver.run(program.replace(outputs=tuple(replaced), targets=()), "call")
            if answer.status != "ok":
                return answer
            for number, array in zip(replaced, answer.outputs):
                program = program.with_node(number, Input(array))
        return program.keep_only(outputs)

    def check(self, program):
        """The program that was compared and its outcome; None where there is nothing to compare."""
        program = program.replace(mode="strict").keep_only(program.outputs)
        try:
            cut = self.cut(program)
        except Refused as refusal:
            # the interpreter reports no index
            return None if refusal.if_needed else (program, check(self.interpreter, program))
        if cut is None:
            return None
        if not isinstance(cut, type(program)):
            return program, Outcome(cut.status, cut.text)
        answer, expected = self.driver.run(cut, "fused"), self.interpreter.run(cut, "fused")
        if "ok" not in (answer.status, expected.status) and answer.error_kind == expected.error_kind:
            return cut, Outcome("ok")
        for run in (answer, expected):
            if run.status != "ok":
                return cut, Outcome(run.status, run.text)
        for position, (result, wanted) in enumerate(zip(answer.outputs, expected.outputs)):
            same = same_bits(result, wanted)
            if not same.all():
                output = f"output {position} (n{cut.outputs[position]})"
                text = f"{output}: {describe(result, wanted, same)}"
                return cut, Outcome("wrong", f"not the interpreter's bits: {text}")
        return cut, Outcome("ok")
