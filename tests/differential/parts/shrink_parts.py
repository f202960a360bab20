"""Smaller programs with parts, searches and scatters: what shrink.py tries at their integers, ends and weights."""

import dataclasses

from ..oracle.evaluate import TooLarge, evaluate
from ..oracle.value import Refused
from ..program import Bincount, Histogram, Histogram2d, Interp, Literal, Order, Part, Scattering, Stencil


def plain_integers(program):
    """Numbers in place of the integers that parameters, extents and operations give."""
    try:
        values = evaluate(program)
    except (Refused, TooLarge, ValueError):
        return
    for number in sorted(program.part_integers()):
        if not isinstance(program.nodes[number], Literal):
            yield program.with_node(number, Literal("int64", int(values[number].array), True))


def smaller_integers(program):
    """Numbers nearer to 0 in place of the integers of parts; each use of a number is one by itself."""
    for number, node in enumerate(program.nodes):
        if not isinstance(node, (Part, Scattering)):
            continue
        for position in range(node.arrays, len(node.operands)):
            literal = program.nodes[node.operands[position]]
            if isinstance(literal, Literal):
                for value in sorted({0, 1, -1, int(literal.value / 2)}, key=abs):
                    if abs(value) < abs(literal.value):
                        yield with_integer(program, number, position, value)


def with_integer(program, number, position, value):
    """A new number before a node, as its operand at a position."""
    order = [other if other < number else other + 1 for other in range(len(program.nodes))]
    nodes = [
        dataclasses.replace(node, operands=tuple(order[operand] for operand in node.operands))
        for node in program.nodes
    ]
    operands = list(nodes[number].operands)
    operands[position] = number
    nodes[number] = dataclasses.replace(nodes[number], operands=tuple(operands))
    nodes.insert(number, Literal("int64", value, True))
    outputs = tuple(order[output] for output in program.outputs)
    return program.replace(nodes=tuple(nodes), outputs=outputs, named={})


def fewer_ends(program):
    """Interpolations without results of their own beyond the points."""
    for number, node in enumerate(program.nodes):
        if isinstance(node, Interp) and node.beyond != "none":
            yield program.with_node(number, Interp("none", operands=node.operands[:3]))


def without_weights(program):
    """Counts in place of sums of weights."""
    for number, node in enumerate(program.nodes):
        before = {Bincount: 1, Histogram: 3, Histogram2d: 6}.get(type(node))
        if before is not None and node.arrays > before:
            operands = node.operands[:before] + node.operands[before + 1 :]
            yield program.with_node(number, dataclasses.replace(node, operands=operands))


def simpler_stencils(program):
    """Lower orders of differences and of ends, and the first mode of a convolution."""
    for number, node in enumerate(program.nodes):
        least = {"diff": 0, "gradient": 1}.get(getattr(node, "function", None), 0)
        if isinstance(node, Stencil) and node.setting > least:
            yield program.with_node(number, dataclasses.replace(node, setting=node.setting - 1))


def simpler_order(program):
    """Fewer of the largest elements, and sorts in place of what is made of them."""
    simpler = {"sort_values": "argsort", "unique": "sort", "median": "sort", "quantile": "sort", "top_elements": "top_positions"}
    for number, node in enumerate(program.nodes):
        if not isinstance(node, Order):
            continue
        if node.setting > 1:
            yield program.with_node(number, dataclasses.replace(node, setting=node.setting // 2))
        if node.function in simpler:
            function = simpler[node.function]
            yield program.with_node(number, dataclasses.replace(node, function=function, operands=node.operands[:1]))


def smaller_parts(program):
    yield from simpler_order(program)
    yield from simpler_stencils(program)
    yield from fewer_ends(program)
    yield from without_weights(program)
    yield from plain_integers(program)
    yield from smaller_integers(program)
