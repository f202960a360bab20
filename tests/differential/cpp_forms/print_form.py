"""Prints a program as a C++ function (driver/form.hpp), in one of several forms."""

import random

from ..element_types import NAMES
from ..oracle.bodies import observe_bodies
from ..oracle.evaluate import evaluate
from ..parts.write_parts import NamedPart
from ..program import (
    SCALARS,
    Apply,
    Cast,
    Component,
    Coordinate,
    Extent,
    Input,
    Interp,
    Order,
    Parameter,
    Part,
    Random,
    Reduce,
    Scan,
    Scattering,
    SearchSorted,
    Stencil,
    Product,
    View,
    WithBodies,
)
from .fit_form import WITHOUT_LAMBDA, needed_arguments, printed_numbers, printed_operands
from .print_bodies import BodyPrinter, component_text
from .print_parts import order_text, part_text, product_text, scatter_text, search_text, stencil_text
from .print_random import random_text
from .spelling import (
    ASSIGNMENTS,
    CPP_TYPES,
    OPERATORS,
    apply_text,
    has_operator,
    named_text,
    number_text,
    parameter_text,
    reduce_text,
    scalar_text,
    view_text,
)

MODE_CALLS = {"standard": "", "strict": ".strict()", "fast": ".fast()"}


class FormPrinter:
    def __init__(self, program, form):
        self.program, self.form = program, form
        self.random = random.Random(f"form {program.identifier}")
        with observe_bodies() as operands_of:
            self.values = evaluate(program)
        self.body_printer = BodyPrinter(self.random, operands_of)
        self.printed = printed_numbers(program)
        self.parameters = [number for number, node in enumerate(program.nodes) if isinstance(node, Parameter)]
        self.input_count = sum(isinstance(node, Input) for node in program.nodes)
        scalars = {number for number, _ in self.numbered(SCALARS)} & self.printed
        self.arguments = scalars if form == "arguments" else needed_arguments(program)
        self.bounds = []  # declarations of captured bounds
        inputs = [number for number, _ in self.numbered(Input)]
        is_captured = form == "captured"
        # an array that is a result is an argument: a lambda cannot return a captured one, which has no copy
        self.array_arguments = [
            number
            for number in inputs
            if not (is_captured and number > 0 and self.random.random() < 0.3) or number in program.outputs
        ]
        self.own_values = self.values_of_arguments()
        # Some operands are arrays instead of views.
        self.arrays = {number for number in inputs if self.random.random() < 0.2}

    def bound(self, text):
        """A bound of a slice, or a position."""
        if text == "_":
            return "end"
        if self.form != "captured":
            return text
        if text.startswith("p"):
            position = self.input_count + int(text[1:])
            text = f"number_in<std::int64_t>(with.inputs[{position}])"
        self.bounds.append(f"const std::int64_t bound_{len(self.bounds)} = {text};")
        return f"bound_{len(self.bounds) - 1}"

    def operand(self, number):
        """A value by its name, or a number where it stands in the text."""
        node = self.program.nodes[number]
        is_text = isinstance(node, SCALARS) and not isinstance(node, Parameter) and self.form != "captured"
        if not is_text or number in self.arguments:
            return f"n{number}"
        if node.weak and self.random.random() < 0.2:
            return f"literal({number_text(node, False)})"
        return scalar_text(node, is_constant=self.random.random() < 0.8)

    def node_text(self, number, node):
        operands = [self.operand(operand) for operand in printed_operands(self.program, number)]
        values = [self.values[operand] for operand in printed_operands(self.program, number)]
        named = self.program.named.get(number)
        if isinstance(named, NamedPart):
            return named.text.format(*operands)
        if named is not None:
            mask = operands[1] if len(operands) > 1 else None
            rank = values[0].array.ndim
            return named_text(self.random, named, operands[0], mask, rank)
        if isinstance(node, Apply):
            return apply_text(self.random, node.operation, operands, [value.dtype for value in values])
        if isinstance(node, Component):
            owner = node.operands[0]
            return component_text(self.program.nodes[owner], f"n{owner}", node.result)
        rank = values[0].array.ndim
        if isinstance(node, Part):
            return part_text(node, operands, rank)
        if isinstance(node, (SearchSorted, Interp)):
            return search_text(self.random, node, operands)
        if isinstance(node, Scattering):
            is_recorded = self.form not in WITHOUT_LAMBDA and bool({*node.operands} & self.own_values)
            return scatter_text(node, operands, values, is_recorded)
        if isinstance(node, Order):
            return order_text(self.random, node, operands, self.form not in WITHOUT_LAMBDA)
        if isinstance(node, Stencil):
            return stencil_text(node, operands)
        if isinstance(node, Product):
            return product_text(node, operands)
        if isinstance(node, Random):
            return random_text(self.random, node, operands)
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
        inner = (Apply, Cast, View, Reduce, Scan, Coordinate, Extent, Component, WithBodies, Part, Random)
        inner += (SearchSorted, Interp, Scattering, Stencil, Order, Product)
        return [
            line
            for number, node in self.numbered(inner)
            if number in self.printed and not (self.form == "compound" and number in self.assigned())
            for line in self.statement(number, node)
        ]

    def statement(self, number, node):
        if isinstance(node, WithBodies):
            texts = [self.operand(operand) + self.view(operand) for operand in node.operands]
            values = [self.values[operand] for operand in node.operands]
            return self.body_printer.define(f"n{number}", node, texts, values, [None] * len(texts))
        return [self.assignment(number, node) or f"const auto n{number} = {self.node_text(number, node)};"]

    def view(self, number):
        """Makes a view of an array that is no parameter of the lambda: neither a std::tuple nor what a body returns
        holds an array, which has no copy."""
        is_parameter = self.form not in WITHOUT_LAMBDA and number in self.array_arguments
        return "()" if number in self.arrays and not is_parameter else ""

    def assigned(self):
        """The nodes of the assignment that a compound form ends with."""
        output = self.program.outputs[0]
        node = self.program.nodes[output]
        return {output, *(node.operands if isinstance(node, Cast) else ())}

    def values_of_arguments(self):
        """The lambda's own values: what is made of captured arrays alone is a view or an expression."""
        found = {*self.array_arguments, *self.arguments}
        for number in range(len(self.program.nodes)):
            if found & set(printed_operands(self.program, number)):
                found.add(number)
        return {number for number in found if not isinstance(self.program.nodes[number], SCALARS)}

    def assignment(self, number, node):
        """A compound assignment to a copy of the first operand, in some lambdas; None elsewhere."""
        is_possible = (
            isinstance(node, Apply) and node.operation in ASSIGNMENTS and number not in self.program.named
        )
        if not is_possible or self.form in WITHOUT_LAMBDA:
            return None
        values = [self.values[operand] for operand in node.operands]
        result = self.values[number]
        same = (result.dtype, result.array.ndim) == (values[0].dtype, values[0].array.ndim)
        has = has_operator(node.operation, [value.dtype for value in values])
        is_value = node.operands[0] in self.own_values
        if not (same and has and is_value) or self.random.random() < 0.6:
            return None
        first, second = map(self.operand, node.operands)
        return f"auto n{number} = {first}; n{number} {OPERATORS[node.operation]}= {second};"

    def inputs(self):
        return [
            f"const auto n{number} = with.inputs[{position}].to<{self.view_type(node.array)}>()"
            + (".copy();" if number in self.arrays else ";")
            for position, (number, node) in enumerate(self.numbered(Input))
        ]

    def view_type(self, array):
        return f"{CPP_TYPES[NAMES[array.dtype]]}, {array.ndim}"

    def targets(self):
        return [
            f"auto target_{position} = with.targets[{position}].to<{self.view_type(target)}>();"
            for position, target in enumerate(self.program.targets)
        ]

    def scalar_value(self, number):
        """What a variable or an argument is made of."""
        node = self.program.nodes[number]
        if isinstance(node, Parameter):
            return parameter_text(node, self.input_count + self.parameters.index(number))
        return scalar_text(node, False)

    def scalars(self):
        return [
            f"const auto n{number} = {self.scalar_value(number)};"
            for number, node in self.numbered(SCALARS)
            if number in self.printed
            and number not in self.arguments
            and (self.form == "captured" or isinstance(node, Parameter))
        ]

    def lambda_call(self):
        names = [f"n{number}" for number in self.array_arguments]
        arguments = list(names)
        for number in sorted(self.arguments):
            names.append(f"n{number}")
            arguments.append(self.scalar_value(number))
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

    def compound(self):
        """`left OPERATION= expression`, whose left side is the target."""
        applied = self.program.nodes[min(self.assigned())]
        right = self.operand(applied.operands[1])
        return self.body() + [f"target_0 {OPERATORS[applied.operation]}= {right};", "return {};"]

    def print(self):
        special = {"expression": self.expression, "compound": self.compound}
        lines = special.get(self.form, self.lambda_call)()
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
