"""Prints loops, choices, and reductions and scans by bodies as calls of the C++ front end, with bodies as lambdas.

The front end finds the types of states itself, so what a program converts on its way into a body is converted by
`astype` or `scalar` before. The condition of repeat_while takes states alone: where it asks for the iteration, the loop
has a state more, which counts."""

from ..element_types import DTYPES, kind
from ..program import (
    Apply,
    Argument,
    Cast,
    Combining,
    Component,
    Element,
    External,
    Literal,
    Repeat,
    RepeatWhile,
    ScanBy,
    When,
    needed_numbers,
)
from .print_parts import Unspellable, element_text
from .spelling import CPP_TYPES, apply_text, axes_option, call_text, scalar_text

# What may be asked of a counting state as of the iteration's number, which has no type of its own.
WITHOUT_TYPE = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "remainder"}


def result_count(node):
    return len(node.bodies[0].results) if isinstance(node, When) else node.states


def component_text(owner, name, result):
    return f"std::get<{result}>({name}_all)" if result_count(owner) > 1 else name


def list_text(texts):
    return texts[0] if len(texts) == 1 else f"std::tuple({', '.join(texts)})"


def strong_literal(node, type_name):
    """A literal as a number of a type."""
    group = kind(DTYPES[type_name])
    make = {"b": bool, "c": complex, "f": float}.get(group, int)
    return scalar_text(Literal(type_name, make(node.value), False), False)


class BodyPrinter:
    """`operands_of`: the operands' values of the nodes in bodies, by id (oracle/bodies.py)."""

    def __init__(self, random, operands_of):
        self.random, self.operands_of = random, operands_of

    def define(self, name, node, texts, values, literals):
        """Lines that define a node's first result and, of several, all of them. `texts`, `values` and `literals` are
        those of its operands; a literal is None for what is no number in the text."""
        operands = list(zip(texts, values, literals))
        if isinstance(node, Combining):
            lines = self.combining(name, node, operands)
        elif isinstance(node, When):
            lines = self.choice(name, node, operands)
        else:
            lines = self.loop(name, node, operands)
        if result_count(node) == 1 and not self.counts(node):
            return [f"const auto {name} = {lines[0]}", *lines[1:]]
        return [f"const auto {name}_all = {lines[0]}", *lines[1:], f"const auto {name} = std::get<0>({name}_all);"]

    def converted(self, argument, text, value, literal):
        """An operand as the argument that it becomes."""
        if argument.weak or not value.weak and value.dtype == DTYPES[argument.type]:
            return text
        if literal is not None:
            return strong_literal(literal, argument.type)
        return f"astype<{CPP_TYPES[argument.type]}>({text})"

    def first_state(self, argument, text, value, literal, is_nested):
        """The same with the rank of its state, which the front end takes from values alone."""
        text, missing = self.converted(argument, text, value, literal), argument.rank - value.array.ndim
        if missing == 0:
            return text
        if is_nested:  # what a body computes has no views
            raise Unspellable("a state in a body that has a higher rank than its first value")
        return f"{text}({', '.join(['newaxis'] * missing + ['all()'] * value.array.ndim)})"

    def captured(self, node, operands):
        """The texts of captured operands, and their literals."""
        given = operands[node.captured_begin :]
        count = sum(isinstance(each, Argument) for each in node.bodies[0].nodes)
        arguments = node.bodies[0].nodes[count - len(given) : count]
        texts = [self.converted(argument, *operand) for argument, operand in zip(arguments, given)]
        return texts, [literal for _, _, literal in given]

    def function(self, prefix, parameters, body, arguments, literals, results, more=(), first=()):
        """A lambda that computes results of a body. `arguments`: the texts of the body's arguments; `more`: results
        besides; `first`: lines that it begins with."""
        texts, literals, lines = list(arguments), list(literals), list(first)
        needed = needed_numbers(body, results)
        for number in range(len(arguments), len(body.nodes)):
            node, name = body.nodes[number], f"{prefix}{number}"
            literals.append(node if isinstance(node, Literal) else None)
            if isinstance(node, Literal):
                texts.append(self.literal(node))
            elif isinstance(node, Component):
                texts.append(component_text(body.nodes[node.operands[0]], texts[node.operands[0]], node.result))
            else:
                texts.append(name)
                if number in needed:
                    lines += self.statement(name, node, texts, literals)
        returned = list_text([*[texts[result] for result in results], *more])
        parameter_list = ", ".join(f"auto {parameter}" for parameter in parameters)
        head = f"[&]({parameter_list}) {{" if parameters else "[&] {"
        return [head, *[f"  {line}" for line in lines], f"  return {returned};", "}"]

    def literal(self, node):
        if node.weak and self.random.random() < 0.3:
            return f"literal({scalar_text(node, False)})"
        return scalar_text(node, is_constant=False)

    def statement(self, name, node, texts, literals):
        operands = [texts[operand] for operand in node.operands]
        numbers = [literals[operand] for operand in node.operands]
        if id(node) not in self.operands_of:
            raise Unspellable("a body that does not run")
        values = self.operands_of[id(node)]
        if hasattr(node, "bodies"):
            return self.define(name, node, operands, values, numbers)
        if isinstance(node, Element):
            return [f"const auto {name} = {element_text(self.random, node, operands, values, numbers)};"]
        if None not in numbers:
            raise Unspellable("an operation of a body on numbers alone")
        if isinstance(node, Cast):
            return [f"const auto {name} = astype<{CPP_TYPES[node.type]}>({operands[0]});"]
        if isinstance(node, External):
            return [f"const auto {name} = {node.operation}({', '.join(operands)});"]
        text = apply_text(self.random, node.operation, operands, [value.dtype for value in values])
        return [f"const auto {name} = {text};"]

    @staticmethod
    def counts(node):
        """Whether the condition of a loop asks for the iteration."""
        return isinstance(node, RepeatWhile) and 0 in needed_numbers(node.bodies[0], node.bodies[0].results[:1])

    @staticmethod
    def check_condition(body):
        for number in needed_numbers(body, body.results[:1]):
            node = body.nodes[number]
            if 0 not in node.operands:
                continue
            others = [body.nodes[operand] for operand in node.operands if operand != 0]
            is_fit = isinstance(node, Apply) and node.operation in WITHOUT_TYPE
            if not is_fit or not all(isinstance(other, Literal) for other in others):
                raise Unspellable("a condition that computes with the iteration")
        if 0 in body.results[:1]:
            raise Unspellable("a condition that computes with the iteration")

    def loop(self, name, node, operands):
        body, counts = node.bodies[0], self.counts(node)
        firsts = [
            self.first_state(argument, *operand, is_nested=id(node) in self.operands_of)
            for argument, operand in zip(body.nodes[1 : 1 + node.states], operands[node.lead :])
        ]
        captured, literals = self.captured(node, operands)
        states = [f"{name}_s{state}" for state in range(node.states)]
        literals = [None] * (1 + node.states) + literals
        results = body.results[node.conditions :]
        counter, iteration = f"{name}_steps", f"{name}_i"
        parameters = states + [counter] * counts
        takes_iteration = 0 in needed_numbers(body, results)
        next_states = self.function(
            f"{name}_",
            parameters + [iteration] * takes_iteration,
            body,
            [iteration, *states, *captured],
            literals,
            results,
            [f"{counter} + 1"] * counts,
        )
        next_states[-1] += ");"
        first = ", ".join(firsts + ["literal(0)"] * counts)
        if isinstance(node, Repeat):
            return [f"repeat({operands[0][0]}, {first}, {next_states[0]}", *next_states[1:]]
        if counts:
            self.check_condition(body)
        condition = self.function(
            f"{name}_", parameters, body, [counter, *states, *captured], literals, body.results[:1]
        )
        condition[-1] += f", {first}, {next_states[0]}"
        return [f"repeat_while({condition[0]}", *condition[1:], *next_states[1:]]

    def choice(self, name, node, operands):
        captured, literals = self.captured(node, operands)
        sides = [
            self.function(f"{name}_{letter}", [], body, captured, literals, body.results)
            for letter, body in zip("ab", node.bodies)
        ]
        sides[0][-1] += f", {sides[1][0]}"
        sides[1][-1] += ");"
        return [f"when({operands[0][0]}, {sides[0][0]}", *sides[0][1:], *sides[1][1:]]

    def combining(self, name, node, operands):
        body, count = node.bodies[0], node.states
        values, identities = (
            [
                self.converted(argument, *operand)
                for argument, operand in zip(body.nodes[:count], operands[first : first + count])
            ]
            for first in (0, count)
        )
        captured, literals = self.captured(node, operands)
        sides = [f"{name}_left", f"{name}_right"]
        parts = [f"{side}{value}" for side in sides for value in range(count)]
        first = [
            f"const auto {side}{value} = std::get<{value}>({side});" for side in sides for value in range(count)
        ]
        if count == 1:
            parts, first = sides, []
        combine = self.function(
            f"{name}_", sides, body, [*parts, *captured], [None] * 2 * count + literals, body.results, first=first
        )
        rank = max(value.array.ndim for _, value, _ in operands[:count])
        if isinstance(node, ScanBy):
            function, options = "scan", [f"axis<{node.axis - rank if self.random.random() < 0.3 else node.axis}>"]
        else:
            function, options = "reduce", axes_option(self.random, node.axes, rank)
            options += ["keepdims"] * node.keep + ["ordered"] * node.ordered
        end = call_text(self.random, "", list_text(identities) + ", " + list_text(values), options)
        combine[-1] += f", {end[1:]};"
        return [f"{function}({combine[0]}", *combine[1:]]
