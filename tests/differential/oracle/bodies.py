"""Loops and choices whose bodies are graphs: repeat, repeat_while and when."""

import contextlib

import numpy as np

from ..element_types import BOOL, DTYPES, INT64, kind
from ..program import Apply, Argument, Literal, Repeat, Whole
from .affine_loops import repeat_affine
from .elementwise import apply_where, as_condition, cast
from .promotion import common_type
from .value import Refused, TooLarge, Value, mark_unknown

# What the bodies of one node of the program may cost: the price of an operation, and that of an element in it.
MAX_COST, OPERATION_COST, ELEMENT_COST = 3.0, 8e-5, 4e-8
# A loop of more iterations is computed in a closed form, or until its states stay as they are.
MAX_ITERATIONS, MAX_UNTIL_STEADY = 20_000, 400


class Work:
    """What the node being evaluated may still cost. Nodes in its bodies share it. `operands_of` is None, or gets the
    operands of the nodes of bodies, by id."""

    depth, left = 0, MAX_COST
    operands_of = None

    def __enter__(self):
        if Work.depth == 0:
            Work.left = MAX_COST
        Work.depth += 1

    def __exit__(self, *_):
        Work.depth -= 1

    @staticmethod
    def pay(values):
        elements = sum(value.array.size for value in values if not value.whole)
        Work.left -= len(values) * OPERATION_COST + elements * ELEMENT_COST
        if Work.left < 0:
            raise TooLarge


@contextlib.contextmanager
def observe_bodies():
    """Gives the operands of the nodes of bodies that are evaluated meanwhile, by the nodes' ids."""
    Work.operands_of = {}
    try:
        yield Work.operands_of
    finally:
        Work.operands_of = None


def evaluate_body(body, arguments, mode, evaluate_node):
    """The results of a body, in their types."""
    values = []
    for node in body.nodes:
        if not isinstance(node, Argument):
            if Work.operands_of is not None:
                Work.operands_of[id(node)] = [values[operand] for operand in node.operands]
            values.append(evaluate_node(node, values, body.nodes, mode))
        elif len(values) < len(arguments):
            values.append(arguments[len(values)])
        else:
            raise Refused("type_error", "a body takes more than its node gives")
    Work.pay(values)
    if any(values[result].whole for result in body.results):
        raise Refused("type_error", "a result is an array for its elements")
    return [values[result] for result in body.results]


def argument_of(node, value):
    """A captured value as its argument."""
    dtype = DTYPES[node.type]
    if common_type([value, Value(np.zeros((), dtype))]) != dtype or value.array.ndim != node.rank:
        raise Refused("type_error", "a captured value has another type or rank than its argument")
    # in a body only what is whole around it has elements at indices
    if value.whole and not isinstance(node, Whole) or isinstance(node, Whole) and Work.depth > 1 and not value.whole:
        raise Refused("type_error", "a value is captured as an array for its elements, or such an array as a value")
    converted = cast(value, dtype)
    converted.whole = isinstance(node, Whole)
    if node.weak:
        if not value.weak:
            raise Refused("type_error", "a captured value is not weak")
        converted.weak, converted.wraps, converted.number = True, True, converted.array.item()
    return converted


def captured_of(node, operands, body=None):
    """What a body captures, each as that body declares it: of two bodies one may take a number as weak."""
    body = body or node.bodies[0]
    given = operands[node.captured_begin :]
    first = sum(isinstance(each, Argument) for each in body.nodes) - len(given)
    if first < 0:
        raise Refused("type_error", "a body takes less than its node gives")
    return [argument_of(each, value) for each, value in zip(body.nodes[first : first + len(given)], given)]


def broadcast(value, shape):
    bound = None if value.bound is None else np.broadcast_to(value.bounds, shape)
    return Value(np.broadcast_to(value.array, shape), bound)


def uses_argument(body, argument):
    return argument in body.results or any(argument in node.operands for node in body.nodes)


def counts_of(node, operands):
    """The iterations of a loop for each element where a number or a captured integer gives them; None elsewhere."""
    if isinstance(node, Repeat):
        return operands[0].array
    body = node.bodies[0]
    condition = body.nodes[body.results[0]]
    if not (isinstance(condition, Apply) and condition.operation == "less" and condition.operands[0] == 0):
        return None
    limit = condition.operands[1]
    if isinstance(body.nodes[limit], Literal):
        return np.array(body.nodes[limit].value)
    is_captured = isinstance(body.nodes[limit], Argument) and limit > node.states
    return operands[limit - 1].array if is_captured else None


def is_same(first, second):
    """Whether two values have the same bits, and bounds that do not grow: their last bits may change for ever."""
    same = first.array.tobytes() == second.array.tobytes()
    return same and np.allclose(first.bounds, second.bounds, rtol=1e-9, atol=0, equal_nan=True)


class Loop:
    def __init__(self, node, operands, mode, evaluate_node):
        self.node, self.mode, self.evaluate_node = node, mode, evaluate_node
        self.body = node.bodies[0]
        self.arguments = self.body.nodes[1 : 1 + node.states]
        self.states = [
            self.first_state(argument, value)
            for argument, value in zip(self.arguments, operands[node.lead :])
        ]
        self.captured = captured_of(node, operands)
        self.find_shapes()

    @staticmethod
    def first_state(argument, value):
        dtype = DTYPES[argument.type]
        if common_type([value, Value(np.zeros((), dtype))]) != dtype or value.array.ndim > argument.rank:
            raise Refused("type_error", "a first state has another type or rank than its state")
        converted = cast(value, dtype)
        return broadcast(converted, (1,) * (argument.rank - value.array.ndim) + value.array.shape)

    def run_body(self, iteration):
        number = Value(np.array(iteration, INT64), None, True, iteration, wraps=True)
        results = evaluate_body(
            self.body, [number, *self.states, *self.captured], self.mode, self.evaluate_node
        )
        conditions, following = results[: self.node.conditions], results[self.node.conditions :]
        if len(following) != len(self.states) or any(value.dtype != BOOL for value in conditions):
            raise Refused(
                "type_error", "a body has other results than its states, or a condition that is no bool"
            )
        for argument, value in zip(self.arguments, following):
            if value.dtype != DTYPES[argument.type] or value.array.ndim != argument.rank:
                raise Refused("type_error", "a state becomes another type or rank")
            if conditions and conditions[0].array.ndim > argument.rank:
                raise Refused("shape_error", "a condition has a higher rank than a state")
        return conditions, following

    def find_shapes(self):
        """States have the shapes of their next values and of the condition."""
        changes = True
        while changes:
            conditions, following = self.run_body(0)
            shapes = [
                np.broadcast_shapes(
                    state.array.shape, value.array.shape, *[each.array.shape for each in conditions]
                )
                for state, value in zip(self.states, following)
            ]
            changes = shapes != [state.array.shape for state in self.states]
            self.states = [broadcast(state, shape) for state, shape in zip(self.states, shapes)]

    def repeat(self, count):
        if count > MAX_ITERATIONS:
            self.repeat_often(count)
            return
        for iteration in range(count):
            self.step(iteration)

    def step(self, iteration):
        following = self.run_body(iteration)[1]
        self.states = [broadcast(value, state.array.shape) for value, state in zip(following, self.states)]

    def repeat_often(self, count):
        """Integers in a closed form; other states until a step changes none of them."""
        if all(kind(state.dtype) in "iu" for state in self.states):
            self.repeat_integers(count)
            return
        if uses_argument(self.body, 0):
            raise TooLarge
        for iteration in range(MAX_UNTIL_STEADY):
            before = self.states
            self.step(iteration)
            if all(map(is_same, before, self.states)):
                return
        raise TooLarge

    def repeat_integers(self, counts):
        results = self.body.results[self.node.conditions :]
        arrays = repeat_affine(self.body, results, self.states, self.captured, counts)
        self.states = [broadcast(Value(array), state.array.shape) for array, state in zip(arrays, self.states)]

    def repeat_while(self):
        """An element whose condition fails stays from then on. Where a condition is not known, nothing is known from
        then on."""
        iteration, active, unknown = 0, np.array(True), np.array(False)
        while True:
            (condition,), following = self.run_body(iteration)
            unknown = unknown | active & (condition.bounds > 0)
            active = active & condition.array
            self.states = [
                self.mark(apply_where([Value(active), value, state], state.dtype), unknown)
                for value, state in zip(following, self.states)
            ]
            if not active.any():
                return
            iteration += 1

    @staticmethod
    def mark(value, unknown):
        return Value(value.array, mark_unknown(value.bound, unknown, value.array.shape))


def first_of(results):
    return Value(results[0].array, results[0].bound, results=tuple(results))


def repeat_bodies(node, operands, mode, evaluate_node):
    with Work():
        loop = Loop(node, operands, mode, evaluate_node)
        if isinstance(node, Repeat):
            count = operands[0]
            if kind(count.dtype) not in "iu" or count.array.ndim:
                raise Refused("type_error", "a count is no integer of rank 0")
            loop.repeat(int(cast(count, INT64).array))
            if count.bound is not None and count.bounds.any():
                loop.states = [loop.mark(state, True) for state in loop.states]
        else:
            counts = counts_of(node, operands)
            if counts is not None and kind(counts.dtype) in "iu" and counts.max(initial=0) > MAX_ITERATIONS:
                loop.repeat_integers(counts)
            else:
                loop.repeat_while()
        return first_of(loop.states)


def choose_bodies(node, operands, mode, evaluate_node):
    with Work():
        condition = Value(*as_condition(operands[0]))
        sides = [
            evaluate_body(body, captured_of(node, operands, body), mode, evaluate_node) for body in node.bodies
        ]
        results = []
        for first, second in zip(*sides, strict=True):
            values = [Value(side.array, side.bound) for side in (first, second)]
            if values[0].dtype != values[1].dtype:
                raise Refused("type_error", "the sides have results of different types")
            results.append(apply_where([condition, *values], values[0].dtype))
        return first_of(results)
