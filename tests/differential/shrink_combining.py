"""Smaller reductions and scans by bodies: what shrink.py tries beside smaller bodies. A body that is no
longer associative does not fail, because the oracle does not compare what depends on the order."""

import dataclasses

from .program import Body, Combining, Component, Literal, ReduceBy
from .shrink_bodies import prune, without_argument


def without_value(node, which):
    """The node without a value on which no other one depends; or None."""
    body, count = node.bodies[0], node.states
    left = prune(Body(body.nodes, body.results[:which] + body.results[which + 1 :]))
    arguments = (which, count + which)
    used = {*left.results, *[operand for each in left.nodes for operand in each.operands]}
    if used & set(arguments):
        return None
    for argument in reversed(arguments):
        left = without_argument(left, argument)
    operands = [operand for position, operand in enumerate(node.operands) if position not in arguments]
    return dataclasses.replace(node, states=count - 1, operands=tuple(operands), bodies=(left,))


def fewer_values(nodes):
    """Lists of nodes with a node that lacks a value whose result nothing uses."""
    for number, node in enumerate(nodes):
        if not isinstance(node, Combining):
            continue
        components = [each for each in nodes if isinstance(each, Component) and each.operands == (number,)]
        uses_first = any(number in each.operands for each in nodes if each not in components)
        for which in range(node.states if node.states > 1 else 0):
            is_used = which == 0 and uses_first or any(each.result == which for each in components)
            smaller = None if is_used else without_value(node, which)
            if smaller is None:
                continue
            changes = {number: smaller}
            for position, each in enumerate(nodes):
                if each in components and each.result > which:
                    changes[position] = dataclasses.replace(each, result=each.result - 1)
            yield tuple(changes.get(position, each) for position, each in enumerate(nodes))


def plainer_options(nodes):
    """Lists of nodes with fewer axes, or without those that stay."""
    for number, node in enumerate(nodes):
        if not isinstance(node, ReduceBy):
            continue
        plainer = [dataclasses.replace(node, keep=False)] if node.keep else []
        for axis in range(node.axes.bit_length()):
            if node.axes >> axis & 1 and node.axes != 1 << axis:
                plainer.append(dataclasses.replace(node, axes=node.axes & ~(1 << axis)))
        for each in plainer:
            yield nodes[:number] + (each,) + nodes[number + 1 :]


def plainer_scalars(nodes):
    """Lists of nodes with numbers in place of identities that are computed, or parameters."""
    for node in nodes:
        if not isinstance(node, Combining):
            continue
        arguments = node.bodies[0].nodes
        for operand, argument in zip(node.operands[node.states : node.captured_begin], arguments):
            plain = Literal(argument.type, 0, False)
            if type(nodes[operand]) is not Literal:
                yield nodes[:operand] + (plain,) + nodes[operand + 1 :]


def smaller_combinations(program):
    for propose in (fewer_values, plainer_options, plainer_scalars):
        for nodes in propose(program.nodes):
            yield program.replace(nodes=nodes)
