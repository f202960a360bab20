"""Every operation on special values: of every type, of every pair of types, and with literals on either
side."""

import numpy as np

from .draw_data import floating_special, integer_special
from .check import Outcome
from .element_types import BOOL, DTYPES, is_complex, kind, to_floating
from .oracle.comparison import describe_difference
from .oracle.evaluate import evaluate, evaluate_node
from .oracle.operation_table import ARITY
from .oracle.value import Refused
from .program import Apply, Cast, Input, Literal, Program

MODES = ("strict", "standard")
RESULTS_OF_A_KERNEL = 24
COMPLEX_VALUES = [0, 1, -1, 1j, -1j, 1 + 1j, 2 - 3j, -0.5 + 0.25j, 3, -4j, 100 + 1j]
MORE_FLOATING = [
    -2.5,
    2,
    3,
    -3,
    7.25,
    100,
    1e-3,
    255,
    256.5,
    2**15,
    -(2.0**15),
    60000,
    -(2.0**31) - 2**8,
    2.0**32,
    -(2.0**63),
    2.0**64,
    0.1,
    0.7,
]
MORE_INTEGERS = [2, 3, 7, 31, 32, 63, 64, 8, 15, 16, -1, -2, -3, -7, -8]
INTEGER_LITERALS = [0, 1, 2, 3, -1, -2, 8, 64]
FLOATING_LITERALS = [0.0, -0.0, 1.0, 2.0, 0.5, -1.0, 3.0, float("inf"), float("-inf"), float("nan"), 0.1]


def special_values(dtype):
    if dtype == BOOL:
        return np.array([0, 1, 1, 0], bool)
    if is_complex(dtype):
        return np.array(COMPLEX_VALUES, dtype)
    if kind(dtype) == "f":
        with np.errstate(all="ignore"):
            return np.concatenate([floating_special(dtype), to_floating(np.array(MORE_FLOATING), dtype)])
    limits = np.iinfo(dtype)
    more = [number for number in MORE_INTEGERS if limits.min <= number <= limits.max]
    return np.concatenate([integer_special(dtype), np.array(more, dtype)])


def run_candidates(driver, mode, base, candidates, label):
    """Runs nodes over `base`, many to a kernel; those that the oracle refuses one by one. Yields faults."""
    program = Program("sweep", mode, tuple(base), ())
    values = evaluate(program)
    accepted = []
    for node in candidates:
        try:
            evaluate_node(node, values, program.nodes, mode)
            accepted.append(node)
        except Refused as refusal:
            answer = driver.run(Program("sweep", mode, (*base, node), (len(base),)), "fused")
            if answer.error_kind != refusal.kind:
                yield name_of(node, label), Outcome("not refused", f"{answer.status} {answer.text}")
    for start in range(0, len(accepted), RESULTS_OF_A_KERNEL):
        nodes = accepted[start : start + RESULTS_OF_A_KERNEL]
        outputs = tuple(range(len(base), len(base) + len(nodes)))
        whole = Program("sweep", mode, (*base, *nodes), outputs)
        answer = driver.run(whole, "fused", timeout=120)
        if answer.status != "ok":
            yield f"{label}, one of {len(nodes)} operations", answer
            continue
        expected = evaluate(whole)
        for node, output, result in zip(nodes, outputs, answer.outputs):
            difference = describe_difference(result, expected[output], mode == "strict")
            if difference:
                yield name_of(node, label), Outcome("wrong", difference)


def name_of(node, label):
    return f"{getattr(node, 'operation', node.word)} {node.operands} of {label}"


def sweep_unary():
    operations = [name for name, arity in ARITY.items() if arity == 1]
    for name, dtype in DTYPES.items():
        candidates = [
            Apply(operation, operands=(0,))
            for operation in operations
            if (operation, name) != ("round", "bool")
        ]
        candidates += [Cast(other, operands=(0,)) for other in DTYPES]
        yield [Input(np.tile(special_values(dtype), 3))], candidates, name


def binary_operations():
    return [name for name, arity in ARITY.items() if arity == 2]


def sweep_binary():
    candidates = [Apply(name, operands=(0, 1)) for name in binary_operations()] + [
        Apply("where", operands=(0, 0, 1))
    ]
    for first_name, first in DTYPES.items():
        for second_name, second in DTYPES.items():
            pairs = np.meshgrid(special_values(first), special_values(second), indexing="ij")
            yield [
                Input(np.array(array.ravel())) for array in pairs
            ], candidates, f"{first_name} {second_name}"


def sweep_literal():
    candidates = [Apply(name, operands=order) for order in ((0, 1), (1, 0)) for name in binary_operations()]
    candidates += [Apply("where", operands=(0, 0, 1)), Apply("where", operands=(0, 1, 0))]
    literals = [("int64", number) for number in INTEGER_LITERALS] + [
        ("float64", number) for number in FLOATING_LITERALS
    ]
    for name, dtype in DTYPES.items():
        for literal_type, number in literals:
            if kind(dtype) != "u" or literal_type != "int64" or number >= 0:
                yield [
                    Input(special_values(dtype)),
                    Literal(literal_type, number, True),
                ], candidates, f"{name} weak {number!r}"


SWEEPS = {"unary": sweep_unary, "binary": sweep_binary, "literal": sweep_literal}


def run_sweep(driver, which):
    """Prints the faults and returns how many there are."""
    faults = groups = 0
    for mode in MODES:
        for base, candidates, label in SWEEPS[which]():
            groups += 1
            for name, outcome in run_candidates(driver, mode, base, candidates, label):
                faults += 1
                print(f"{mode} {name}: {outcome.status}: {outcome.text[:300]}", flush=True)
    print(f"sweep {which}: {groups} groups of operands, {faults} faults")
    return faults
