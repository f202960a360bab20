"""Fits programs to the forms that they are printed in."""

import random

from ..draw_data import draw_data
from ..draw_layouts import can_be_written, draw_layout
from ..element_types import DTYPES, NAMES, kind
from ..oracle.evaluate import TooLarge, evaluate
from ..oracle.value import Refused
from ..program import SCALARS, Apply, Cast, Input, Literal, Parameter, Repeat, View, WithBodies
from ..targets import draw_targets
from .spelling import ASSIGNMENTS, has_operator

# stateless: a lambda without captures, whose numbers are written in it. captured: a lambda that reads its
# numbers and some of its arrays from variables around it. arguments: numbers are arguments of the call.
# expression: no lambda. compound: an expression on the right of +=, *= and the like, whose left side may be one
# of its operands. Numbers that must be arguments are in every form with a lambda (needed_arguments).
FORMS = ("stateless", "captured", "arguments", "expression", "compound")
WITHOUT_LAMBDA = ("expression", "compound")
# Expressions hold copies of their operands: what is used twice is in the type twice.
MAX_EXPRESSION_NODES = 60


def printed_operands(program, number):
    """What a value is computed from in the C++ text."""
    if number in program.named:
        return program.named[number].operands
    return program.nodes[number].operands


def printed_numbers(program):
    """The values that the C++ text has: not those inside of named reductions."""
    found, pending = set(program.outputs), list(program.outputs)
    while pending:
        for operand in printed_operands(program, pending.pop()):
            if operand not in found:
                found.add(operand)
                pending.append(operand)
    return found


def expression_size(program):
    """Nodes of the tree that an expression of the first output is."""
    sizes = []
    for number in range(len(program.nodes)):
        sizes.append(1 + sum(sizes[operand] for operand in printed_operands(program, number)))
    return sizes[program.outputs[0]]


def needed_arguments(program):
    """The numbers of scalars that functions take for values only as arguments of a call: outputs, the first operands of
    operations on scalars alone and of reductions, and operands of what has bodies, which converts them; its counts are
    numbers, too."""
    found = {output for output in program.outputs if isinstance(program.nodes[output], SCALARS)}
    for number in printed_numbers(program):
        operands, node = printed_operands(program, number), program.nodes[number]
        if isinstance(node, WithBodies):
            begin = 1 if isinstance(node, Repeat) else 0
            found |= {each for each in operands[begin:] if isinstance(program.nodes[each], SCALARS)}
            continue
        are_numbers = [isinstance(program.nodes[operand], SCALARS) for operand in operands]
        # a reduction's mask may be an array
        if are_numbers and (all(are_numbers) or number in program.named and are_numbers[0]):
            found.add(operands[0])
    return found


def as_expression(program):
    """The largest of the outputs that may be an expression, with what it needs; None if there is none."""
    found, most = None, 0
    for position, output in enumerate(program.outputs):
        alone = program.keep_only((output,))
        if any(isinstance(node, WithBodies) for node in alone.nodes):
            continue  # each use of a result would run its loop again
        size = expression_size(alone)
        if most < size <= MAX_EXPRESSION_NODES and not needed_arguments(alone):
            # Expressions have no mode.
            target = program.targets[position : position + 1]
            found, most = alone.replace(mode="standard", targets=target), size
    return found


def left_side(draw, program, value):
    """An array with the shape of an expression's value: often one of the expression's operands."""
    operands = [node.array for node in program.nodes if isinstance(node, Input)]
    found = [array for array in operands if array.shape == value.array.shape and can_be_written(array)]
    if found and draw.random() < 0.5:
        return draw.choice(found)
    same_kind = [name for name in DTYPES if kind(DTYPES[name]) == kind(value.dtype)]
    dtype = value.dtype if draw.random() < 0.6 else DTYPES[draw.choice(same_kind)]
    array = draw_layout(draw, draw_data(draw, dtype, value.array.shape))
    return array if can_be_written(array) else array.copy()


def as_compound(program):
    """`left OPERATION= expression` for an expression of the program; None if there is none. The result has the
    type of the left side."""
    program = as_expression(program)
    if program is None:
        return None
    draw = random.Random(f"compound {program.identifier}")
    value = evaluate(program)[program.outputs[0]]
    left = left_side(draw, program, value)
    possible = [name for name in ASSIGNMENTS if has_operator(name, [left.dtype, value.dtype])]
    draw.shuffle(possible)
    nodes = (*program.nodes, Input(left))
    for operation in possible:
        applied = Apply(operation, operands=(len(nodes) - 1, program.outputs[0]))
        compound = program.replace(
            nodes=(*nodes, applied), outputs=(len(nodes),), targets=(left,) if left.size else ()
        )
        try:
            result = evaluate(compound)[-1]
        except (Refused, TooLarge, ValueError):
            continue
        if result.array.shape != left.shape or not left.size or kind(result.dtype) != kind(left.dtype):
            continue
        if result.dtype != left.dtype:
            cast = Cast(NAMES[left.dtype], operands=compound.outputs)
            compound = compound.replace(nodes=(*compound.nodes, cast), outputs=(len(nodes) + 1,))
        return compound
    return None


def with_bounds_as_numbers(program):
    """Bounds of views that parameters name become numbers of the program."""
    values = [node.value for node in program.parameters()]

    def settle(item):
        parts = [str(values[int(part[1:])]) if part.startswith("p") else part for part in item[2:].split(":")]
        return f"s:{':'.join(parts)}" if item.startswith("s:") else item

    nodes = [
        View(tuple(map(settle, node.items)), operands=node.operands) if isinstance(node, View) else node
        for node in program.nodes
    ]
    return program.replace(nodes=tuple(nodes))


def bound_parameters(program):
    """The numbers of the parameters that are bounds of views."""
    parameters = [number for number, node in enumerate(program.nodes) if isinstance(node, Parameter)]
    return {
        parameters[int(part[1:])]
        for node in program.nodes
        if isinstance(node, View)
        for item in node.items
        if item.startswith("s:")
        for part in item[2:].split(":")
        if part.startswith("p")
    }


def with_parameters(program, chosen):
    """Exactly these scalars are parameters, which each call reads; the others are written in the text."""
    before = [number for number, node in enumerate(program.nodes) if isinstance(node, Parameter)]
    after = {number: position for position, number in enumerate(sorted(chosen))}

    def renumber(item):
        if not item.startswith("s:"):
            return item
        parts = item[2:].split(":")
        return "s:" + ":".join(
            f"p{after[before[int(part[1:])]]}" if part.startswith("p") else part for part in parts
        )

    nodes = []
    for number, node in enumerate(program.nodes):
        if isinstance(node, SCALARS):
            node = (Parameter if number in chosen else Literal)(node.type, node.value, node.weak)
        elif isinstance(node, View):
            node = View(tuple(map(renumber, node.items)), operands=node.operands)
        nodes.append(node)
    return program.replace(nodes=tuple(nodes))


def inside_named(program, printed):
    """The values inside of the named reductions that are printed: their numbers are what the names mean."""
    found = set()
    for result in printed & set(program.named):
        outside, pending = set(program.named[result].operands), [result]
        while pending:
            number = pending.pop()
            inside = set(program.nodes[number].operands) - outside - found
            found |= inside
            pending += inside
    return found


def choose_parameters(program, form):
    """A function without captures reads as parameters only what must be arguments; others half of their
    numbers."""
    draw = random.Random(f"parameters {program.identifier}")
    if form != "captured":
        program = with_bounds_as_numbers(program)
    printed = printed_numbers(program)
    possible = needed_arguments(program) if form == "stateless" else printed
    chosen = {
        number
        for number in sorted(possible - inside_named(program, printed))
        if isinstance(program.nodes[number], SCALARS) and draw.random() < 0.5
    }
    return with_parameters(program, chosen | bound_parameters(program))


def fit_to_form(program, form, identifier):
    """The program as the form has it, or None."""
    fit = {"expression": as_expression, "compound": as_compound}.get(form, lambda same: same)
    fitted = fit(program)
    return fitted and choose_parameters(fitted.replace(identifier=identifier), form)


def left_of_compound(program):
    """The left side of a compound assignment."""
    applied = program.nodes[program.outputs[0]]
    if isinstance(applied, Cast):
        applied = program.nodes[applied.operands[0]]
    return program.nodes[applied.operands[0]].array


def refit_targets(draw, form, program, varied):
    """The varied program with targets where the program has them, as its text has; None where that is not
    possible."""
    if not program.targets:
        return varied.replace(targets=())
    try:
        results = [evaluate(varied)[output].array for output in varied.outputs]
    except (Refused, TooLarge, ValueError):
        return None
    if form == "compound":
        left = left_of_compound(varied)
        fits = can_be_written(left) and left.size and left.shape == results[0].shape
        return varied.replace(targets=(left,)) if fits else None
    targets = varied.targets or draw_targets(draw, varied.nodes, results)
    return varied.replace(targets=targets) if targets else None
