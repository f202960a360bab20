"""Smaller programs with loops and choices: what shrink.py tries in bodies."""

import dataclasses

from .program import Argument, Body, Cast, Component, Literal, Repeat, RepeatWhile, WithBodies


def argument_count(body):
    return sum(isinstance(node, Argument) for node in body.nodes)


def prune(body):
    """The body without the nodes that its results do not need; arguments stay."""
    needed, pending = set(range(argument_count(body))), list(body.results)
    while pending:
        number = pending.pop()
        if number not in needed:
            needed.add(number)
            pending += body.nodes[number].operands
    order = {old: new for new, old in enumerate(sorted(needed))}
    nodes = tuple(renumber(body.nodes[old], order) for old in sorted(needed))
    return Body(nodes, tuple(order[result] for result in body.results))


def renumber(node, order):
    return dataclasses.replace(node, operands=tuple(order.get(operand, operand) for operand in node.operands))


def with_body_node(body, number, node):
    return Body(body.nodes[:number] + (node,) + body.nodes[number + 1 :], body.results)


def fewer_statements(body):
    """A node's operand, or an argument of its type, in its place."""
    for number in reversed(range(len(body.nodes))):
        node = body.nodes[number]
        if isinstance(node, (Argument, Literal)):
            continue
        arguments = [other for other, each in enumerate(body.nodes) if isinstance(each, Argument)]
        for instead in dict.fromkeys([*node.operands, *arguments]):
            order = {number: instead}
            nodes = tuple(renumber(user, order) for user in body.nodes)
            results = tuple(order.get(result, result) for result in body.results)
            yield prune(Body(nodes, results))


def smaller_nodes_within(body):
    for number, node in enumerate(body.nodes):
        for smaller in smaller_nodes(node):
            yield prune(with_body_node(body, number, smaller))


def without_captured(node):
    """The node without a captured value that its bodies do not use."""
    for position in range(node.captured_begin, len(node.operands)):
        argument = argument_count(node.bodies[0]) - len(node.operands) + position
        used = any(
            argument in [*body.results, *[operand for each in body.nodes for operand in each.operands]]
            for body in node.bodies
        )
        if not used:
            yield dataclasses.replace(
                node,
                operands=node.operands[:position] + node.operands[position + 1 :],
                bodies=tuple(without_argument(body, argument) for body in node.bodies),
            )


def without_argument(body, argument):
    order = {old: old - (old > argument) for old in range(len(body.nodes))}
    nodes = [renumber(node, order) for number, node in enumerate(body.nodes) if number != argument]
    return Body(tuple(nodes), tuple(order[result] for result in body.results))


def smaller_nodes(node):
    """Nodes with smaller bodies in place of one that has bodies."""
    if not isinstance(node, WithBodies):
        return
    yield from without_captured(node)
    for which, body in enumerate(node.bodies):
        for smaller in (*fewer_statements(body), *smaller_nodes_within(body)):
            bodies = node.bodies[:which] + (smaller,) + node.bodies[which + 1 :]
            yield dataclasses.replace(node, bodies=bodies)


def first_states_instead(nodes):
    """Lists of nodes with the first states of a loop in place of its results."""
    for number, node in enumerate(nodes):
        if not isinstance(node, (Repeat, RepeatWhile)):
            continue
        casts = [
            Cast(argument.type, operands=(operand,))
            for argument, operand in zip(
                node.bodies[0].nodes[1 : 1 + node.states], node.operands[node.lead :]
            )
        ]
        yield tuple(
            (
                casts[0]
                if position == number
                else (
                    casts[each.result] if isinstance(each, Component) and each.operands == (number,) else each
                )
            )
            for position, each in enumerate(nodes)
        )


def without_state(node, state):
    """The loop without a state on which no other one depends; or None."""
    body, argument = node.bodies[0], 1 + state
    position = node.conditions + state
    left = prune(Body(body.nodes, body.results[:position] + body.results[position + 1 :]))
    if argument in left.results or any(argument in each.operands for each in left.nodes):
        return None
    operand = node.lead + state
    return dataclasses.replace(
        node,
        states=node.states - 1,
        operands=node.operands[:operand] + node.operands[operand + 1 :],
        bodies=(without_argument(left, argument),),
    )


def fewer_states(nodes):
    """Lists of nodes with a loop that lacks a state which nothing uses."""
    for number, node in enumerate(nodes):
        if not isinstance(node, (Repeat, RepeatWhile)):
            continue
        components = [each for each in nodes if isinstance(each, Component) and each.operands == (number,)]
        for state in range(1, node.states):
            smaller = without_state(node, state)
            if smaller is not None and all(each.result != state for each in components):
                yield tuple(
                    (
                        smaller
                        if each is node
                        else (
                            dataclasses.replace(each, result=each.result - 1)
                            if each in components and each.result > state
                            else each
                        )
                    )
                    for each in nodes
                )


def fewer_iterations(nodes):
    """Lists of nodes with a smaller number in place of a loop's count."""
    for node in nodes:
        if isinstance(node, Repeat) and isinstance(nodes[node.operands[0]], Literal):
            count = nodes[node.operands[0]]
            for smaller in sorted({1, 2, count.value // 2, count.value - 1}):
                if 0 < smaller < count.value:
                    position = node.operands[0]
                    yield nodes[:position] + (dataclasses.replace(count, value=smaller),) + nodes[
                        position + 1 :
                    ]


def smaller_programs(program):
    for propose in (first_states_instead, fewer_states, fewer_iterations):
        for nodes in propose(program.nodes):
            yield program.replace(nodes=nodes)
    for number, node in enumerate(program.nodes):
        for smaller in smaller_nodes(node):
            yield program.with_node(number, smaller)
