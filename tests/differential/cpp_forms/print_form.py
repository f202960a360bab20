"""Prints a program as a C++ function (driver/form.hpp), in one of several forms."""

import random

from ..element_types import NAMES
from ..oracle.evaluate import evaluate
from ..program import SCALARS, Apply, Cast, Coordinate, Extent, Input, Reduce, Scan, View
from .spelling import (
    CPP_TYPES,
    apply_text,
    number_text,
    parameter_numbers,
    reduce_text,
    scalar_text,
    view_text,
)

# stateless: a lambda without captures, whose numbers are written in it. captured: a lambda that reads its
# numbers and some of its arrays from variables around it. arguments: numbers are arguments of the call.
# expression: no lambda. Numbers that must be arguments are in every form with a lambda (needed_arguments).
FORMS = ("stateless", "captured", "arguments", "expression")
# Expressions hold copies of their operands: what is used twice is in the type twice.
MOST_EXPRESSION_NODES = 60
MODE_CALLS = {"standard": "", "strict": ".strict()", "fast": ".fast()"}


def expression_size(program):
    """Nodes of the tree that an expression of the first output is."""
    sizes = []
    for node in program.nodes:
        sizes.append(1 + sum(sizes[operand] for operand in node.operands))
    return sizes[program.outputs[0]]


def needed_arguments(program):
    """The numbers of scalars that functions take for values only as arguments of a call: outputs, and the
    first operands of operations on scalars alone."""
    found = {output for output in program.outputs if isinstance(program.nodes[output], SCALARS)}
    for node in program.nodes:
        if node.operands and all(isinstance(program.nodes[operand], SCALARS) for operand in node.operands):
            found.add(node.operands[0])
    return found


def as_expression(program):
    """The largest of the outputs that may be an expression, with what it needs; None if there is none."""
    found, most = None, 0
    for position, output in enumerate(program.outputs):
        alone = program.keep_only((output,))
        size = expression_size(alone)
        if most < size <= MOST_EXPRESSION_NODES and not needed_arguments(alone):
            # Expressions have no mode.
            target = program.targets[position : position + 1]
            found, most = alone.replace(mode="standard", targets=target), size
    return found


def fit_to_form(program, form, identifier):
    """The program as the form has it, or None."""
    fitted = as_expression(program) if form == "expression" else program
    return fitted and fitted.replace(identifier=identifier)


class FormPrinter:
    def __init__(self, program, form):
        self.program, self.form = program, form
        self.random = random.Random(f"form {program.identifier}")
        self.values = evaluate(program)
        scalars = {number for number, _ in self.numbered(SCALARS)}
        self.arguments = scalars if form == "arguments" else needed_arguments(program)
        self.bounds = []  # declarations of captured bounds
        inputs = [number for number, _ in self.numbered(Input)]
        is_captured = form == "captured"
        self.array_arguments = [
            number for number in inputs if not (is_captured and number > 0 and self.random.random() < 0.3)
        ]

    def bound(self, text):
        """A bound of a slice, or a position."""
        if text == "_":
            return "end"
        number = parameter_numbers(self.program.nodes)[int(text[1:])] if text.startswith("p") else int(text)
        if self.form != "captured":
            return str(number)
        self.bounds.append(f"const std::int64_t bound_{len(self.bounds)} = {number};")
        return f"bound_{len(self.bounds) - 1}"

    def operand(self, number):
        """A value by its name, or a number where it stands in the text."""
        node = self.program.nodes[number]
        if not isinstance(node, SCALARS) or number in self.arguments or self.form == "captured":
            return f"n{number}"
        if node.weak and self.random.random() < 0.2:
            return f"literal({number_text(node, False)})"
        return scalar_text(node, is_constant=self.random.random() < 0.8)

    def node_text(self, node):
        operands = [self.operand(number) for number in node.operands]
        values = [self.values[number] for number in node.operands]
        if isinstance(node, Apply):
            return apply_text(self.random, node.operation, operands, [value.dtype for value in values])
        rank = values[0].array.ndim
        if isinstance(node, Cast):
            return f"astype<{CPP_TYPES[node.type]}>({operands[0]})"
        if isinstance(node, View):
            return view_text(self.random, operands[0], node.items, self.bound)
        if isinstance(node, Reduce):
            return reduce_text(self.random, node, operands[0], rank)
        axis = node.axis - rank if self.random.random() < 0.3 else node.axis
        if isinstance(node, Scan):
            return f"{node.operation}({operands[0]}, axis<{axis}>)"
        return f"{'coordinate' if isinstance(node, Coordinate) else 'extent'}<{axis}>({operands[0]})"

    def numbered(self, kinds):
        return [(number, node) for number, node in enumerate(self.program.nodes) if isinstance(node, kinds)]

    def body(self):
        inner = (Apply, Cast, View, Reduce, Scan, Coordinate, Extent)
        return [f"const auto n{number} = {self.node_text(node)};" for number, node in self.numbered(inner)]

    def inputs(self):
        return [
            f"const auto n{number} = with.inputs[{position}].to<{self.view_type(node.array)}>(){self.copy()};"
            for position, (number, node) in enumerate(self.numbered(Input))
        ]

    def copy(self):
        """Makes some operands arrays instead of views."""
        return ".copy()" if self.random.random() < 0.2 else ""

    def view_type(self, array):
        return f"{CPP_TYPES[NAMES[array.dtype]]}, {array.ndim}"

    def targets(self):
        return [
            f"const auto target_{position} = with.targets[{position}].to<{self.view_type(target)}>();"
            for position, target in enumerate(self.program.targets)
        ]

    def scalars(self):
        if self.form != "captured":
            return []
        return [
            f"const auto n{number} = {scalar_text(node, False)};"
            for number, node in self.numbered(SCALARS)
            if number not in self.arguments
        ]

    def lambda_call(self):
        names = [f"n{number}" for number in self.array_arguments]
        arguments = list(names)
        for number in sorted(self.arguments):
            names.append(f"n{number}")
            arguments.append(scalar_text(self.program.nodes[number], False))
        outputs = ", ".join(f"n{output}" for output in self.program.outputs)
        result = outputs if len(self.program.outputs) == 1 else f"std::tuple{{{outputs}}}"
        body = self.body() + [f"return {result};"]
        capture = "[&]" if self.form == "captured" else "[]"
        into = ", ".join(f"target_{position}" for position in range(len(self.program.targets)))
        function = f"function{MODE_CALLS[self.program.mode]}" + (f".into({into})" if into else "")
        call = f"{function}({', '.join(arguments)})"
        parameters = ", ".join(f"auto {name}" for name in names)
        return [
            f"const auto function = fuse({capture}({parameters}) {{",
            *[f"  {line}" for line in body],
            "});",
            *([f"{call};", "return {};"] if into else [f"return list_of({call});"]),
        ]

    def expression(self):
        output = f"n{self.program.outputs[0]}"
        # The call makes a target without a name: elements of another view may be assigned to it.
        last = [f"target_0() = {output};", "return {};"] if self.program.targets else []
        return self.body() + (last or [f"return list_of(evaluate({output}));"])

    def print(self):
        lines = self.expression() if self.form == "expression" else self.lambda_call()
        lines = self.inputs() + self.targets() + self.scalars() + self.bounds + lines
        return "\n".join(
            [
                f"std::vector<any_array> {function_name(self.program)}(const form_operands& with) {{",
                *[f"  {line}" for line in lines],
                "}",
            ]
        )


def function_name(program):
    return "program_" + program.identifier.replace("-", "_")


def print_form(program, form):
    return FormPrinter(program, form).print()
