"""Draws programs: Drawer(seed, ...).draw() is the same everywhere."""

import random

import numpy as np

from . import draw_compositions, draw_conversions, profiles
from .draw_data import draw_data
from .draw_layouts import draw_layout
from .element_types import DTYPES, kind
from .oracle.evaluate import TooLarge, evaluate_node
from .oracle.operation_table import ARITY
from .oracle.value import Refused
from .parts.draw_parts import draw_some_parts
from .program import (
    MAX_ELEMENTS,
    SCALARS,
    Apply,
    Cast,
    Coordinate,
    Extent,
    Input,
    Literal,
    Parameter,
    Program,
    Reduce,
    Scan,
    View,
)
from .subjects import draw_subjects
from .targets import draw_targets

INPUT_VIEWS = [slice(None), slice(1, None), slice(None, -1), slice(None, None, -1), slice(None, None, 2)]


class Drawer:
    """A program as it grows: nodes and their values. What the oracle refuses is not added; methods that draw
    a node return its number or None."""

    def __init__(self, seed, profile=None, mode=None, structure=False, subject=None):
        self.random = random.Random(seed)
        draw = self.random
        self.seed, self.structure = seed, structure
        self.subject = subject or draw_subjects.subject_of(seed)
        self.profile = profile or draw.choices(list(profiles.PROFILES), profiles.PROFILE_WEIGHTS)[0]
        weights = profiles.MODE_WEIGHTS.get(self.profile, profiles.OTHER_MODE_WEIGHTS)
        self.mode = mode or draw.choices(profiles.MODES, weights)[0]
        self.types = profiles.PROFILES[self.profile]
        self.max_elements = draw.choice([300, 3000, 3000, 20000, MAX_ELEMENTS])
        self.nodes, self.values = [], []
        self.hidden = set()  # values that are no operands and no outputs
        self.sources = []  # arrays of which bodies take elements, and by these the values that are their extents
        self.extents_of = {}
        self.refused = None  # what the program ends with, if the oracle should refuse it
        self.target_share = 0.15
        self.shape = self.draw_shape()

    def draw_shape(self):
        draw = self.random
        rank = draw.choices(range(6), [1, 4, 6, 5, 3, 2])[0]
        if draw.random() < 0.03:
            rank = draw.choice([8, 12, 12, 14])
        while True:
            if rank < 6:
                shape = [
                    draw.choice(profiles.EXTENTS if draw.random() < 0.7 else profiles.SMALL_EXTENTS)
                    for _ in range(rank)
                ]
            else:
                shape = [draw.choice([1, 2, 2, 2, 3] if rank > 8 else [1, 1, 2, 3]) for _ in range(rank)]
            if 0 in shape and draw.random() < 0.75:
                continue
            if np.prod(shape, dtype=np.float64) <= self.max_elements:
                return shape

    def add(self, node):
        try:
            value = evaluate_node(node, self.values, self.nodes, self.mode, self.max_elements)
        except (Refused, TooLarge):
            return None
        if self.profile == "int" and kind(value.dtype) not in "biu":
            return None
        self.nodes.append(node)
        self.values.append(value)
        return len(self.values) - 1

    def is_refused(self, node):
        try:
            evaluate_node(node, self.values, self.nodes, self.mode)
        except Refused:
            return True
        except TooLarge:
            pass
        return False

    def apply(self, operation, *operands):
        """None where an operand is, where all are weak, or where shapes do not broadcast."""
        if any(operand is None for operand in operands):
            return None
        weak = [self.values[operand].weak for operand in operands]
        if all(weak) or operation == "where" and (weak[0] or all(weak[1:])):
            return None
        if operation == "clip" and any(kind(self.values[operand].dtype) == "b" for operand in operands):
            return None
        try:
            return self.add(Apply(operation, operands=operands))
        except ValueError:
            return None

    def arrays(self):
        return [
            number
            for number, value in enumerate(self.values)
            if not value.weak and number not in self.hidden
        ]

    def pick(self):
        """An array, more likely a late one."""
        arrays = self.arrays()
        return arrays[-1 - min(int(self.random.expovariate(0.25)), len(arrays) - 1)]

    def rank(self, number):
        return self.values[number].array.ndim

    def input(self):
        draw = self.random
        inputs = [node.array for node in self.nodes if isinstance(node, Input)]
        if inputs and draw.random() < 0.15:
            array = draw.choice(inputs)  # another view of memory that is there
            view = array[tuple(draw.choice(INPUT_VIEWS) for _ in array.shape)] if array.ndim else array
            return self.add(Input(view.T if draw.random() < 0.3 else view))
        shape = list(self.shape)
        if shape and draw.random() < 0.35:
            shape = shape[draw.randrange(len(shape) + 1) :]
        shape = [1 if draw.random() < 0.15 else extent for extent in shape]
        if np.prod(shape, dtype=np.float64) > self.max_elements:
            return None
        return self.add(Input(draw_layout(draw, draw_data(draw, DTYPES[draw.choice(self.types)], shape))))

    def weak_scalar(self, like):
        draw, partner = self.random, kind(self.values[like].dtype)
        if partner in "biu" and (self.profile == "int" or draw.random() < 0.8) or draw.random() < 0.25:
            if draw.random() < 0.15:
                return "int64", draw.choice(profiles.FAR_INTEGERS)
            number = draw.choice(profiles.WEAK_INTEGERS)
            return "int64", 1 if partner == "u" and number < 0 else number
        number = draw.choice(profiles.WEAK_FLOATING)
        # A C++ float, which is float32 beside integers.
        return ("float32", float(np.float32(number))) if draw.random() < 0.4 else ("float64", number)

    def strong_scalar(self):
        draw = self.random
        name = draw.choice([name for name in self.types if kind(DTYPES[name]) != "c"])
        if kind(DTYPES[name]) == "f":
            return name, draw.choice(profiles.STRONG_FLOATING)
        if name == "bool":
            return name, draw.choice([0, 1])
        limits = np.iinfo(DTYPES[name])
        return name, draw.choice(profiles.STRONG_INTEGERS + [limits.min, limits.max])

    def scalar(self, like, parameters=0.1):
        """A literal or a parameter beside another value."""
        weak = self.random.random() < 0.6
        name, number = self.weak_scalar(like) if weak else self.strong_scalar()
        return self.add((Parameter if self.random.random() < parameters else Literal)(name, number, weak))

    def partner(self, number):
        """A value that broadcasts with another: a scalar, an array, or itself."""
        draw = self.random
        chance = draw.random()
        if chance < 0.22:
            return self.scalar(number)
        if chance < 0.27:
            return number
        arrays = self.arrays()
        draw.shuffle(arrays)
        shape = self.values[number].array.shape
        for other in arrays[:12]:
            try:
                together = np.broadcast_shapes(shape, self.values[other].array.shape)
            except ValueError:
                continue
            if np.prod(together, dtype=np.float64) <= self.max_elements:
                return other
        return number

    def operation(self, names=None):
        draw = self.random
        operation = draw.choice(names or profiles.OPERATIONS[self.profile])
        operands = [self.pick()]
        while len(operands) < ARITY[operation]:
            like = operands[-1] if not self.values[operands[-1]].weak else operands[0]
            partner = self.partner(like)
            if partner is None:
                return None
            operands.append(partner)
        if len(operands) == 2 and draw.random() < 0.3:
            operands.reverse()
        return self.apply(operation, *operands)

    def structure_operation(self):
        names = profiles.STRUCTURE_OPERATIONS[self.profile]
        return self.operation(["where"] if self.random.random() < 0.2 else names)

    def cast(self):
        return self.add(Cast(self.random.choice(self.types), operands=(self.pick(),)))

    def slice_item(self, extent):
        """An item that takes an axis, and sometimes a parameter; None ends the items."""
        draw = self.random
        chance = draw.random()
        if chance < 0.35 or chance < 0.5 and extent == 0:
            return "s:_:_:_"
        if chance < 0.5:
            return f"i:{draw.randrange(-extent, extent)}"
        if chance < 0.7:
            return "s:_:_:-1"
        if chance < 0.85:
            return draw.choice(["s:1:_:_", "s:_:-1:_"])
        if chance < 0.95:
            start, stop = (
                draw.choice(["_", "_", str(draw.randrange(-extent - 2, extent + 3))]) for _ in range(2)
            )
            return f"s:{start}:{stop}:{draw.choice(['_', '2', '3', '-2', '-1', '1'])}"
        if chance < 0.97:
            self.add(Parameter("int64", draw.randrange(0, extent + 1), False))
            number = sum(isinstance(node, Parameter) for node in self.nodes) - 1
            return draw.choice([f"s:p{number}:_:_", f"s:_:p{number}:_"])
        return None

    def view(self):
        draw, operand = self.random, self.pick()
        shape = self.values[operand].array.shape
        if shape and draw.random() < 0.3:
            axes = draw.sample(range(len(shape)), len(shape))
            return self.add(View(tuple(f"p:{axis}" for axis in axes), operands=(operand,)))
        items = []
        for extent in shape:
            items += ["n"] if draw.random() < 0.12 else []
            item = self.slice_item(extent)
            if item is None:
                break
            items.append(item)
        items += ["n"] if draw.random() < 0.2 else []
        return self.add(View(tuple(items), operands=(operand,)))

    def axes(self, rank):
        """A set of axes, as bits."""
        chance = self.random.random()
        if rank and chance < 0.4:
            return 1 << self.random.randrange(rank)
        return (1 << rank) - 1 if chance < 0.7 else self.random.getrandbits(rank) if rank else 0

    def reduce(self, operand=None, operations=profiles.REDUCTIONS):
        operand = self.pick() if operand is None else operand
        operation, keep = self.random.choice(operations), self.random.random() < 0.5
        return self.add(Reduce(operation, self.axes(self.rank(operand)), keep, operands=(operand,)))

    def scan(self, operand=None):
        operand = self.pick() if operand is None else operand
        if self.rank(operand) == 0:
            return None
        axis = self.random.randrange(self.rank(operand))
        return self.add(Scan(self.random.choice(profiles.SCANS), axis, operands=(operand,)))

    def place(self):
        operand = self.pick()
        if self.rank(operand) == 0:
            return None
        axis = self.random.randrange(self.rank(operand))
        return self.add(self.random.choice([Coordinate, Extent])(axis, operands=(operand,)))

    def composition(self):
        return draw_compositions.draw_composition(self)

    def conversion(self):
        return draw_conversions.draw_conversion(self)

    def beside_reduction(self):
        return draw_compositions.draw_beside_reduction(self)

    def steps(self):
        """What the program grows by, as often as it is named."""
        draw = self.random
        if self.structure:
            steps = (
                [self.structure_operation] * 8
                + [self.reduce] * draw.choice([2, 4, 6])
                + [self.view] * draw.choice([1, 3])
            )
            steps += [self.scan] * draw.choice([0, 0, 1, 3])
            steps += [self.place, self.composition, self.cast, self.conversion]
            return steps + [self.beside_reduction] * 3 + [self.input] * draw.choice([0, 1])
        steps = (
            [self.operation] * 11
            + [self.cast]
            + [self.view] * 2
            + [self.reduce] * 2
            + [self.composition, self.place, self.conversion]
        )
        steps += (
            [self.beside_reduction] * 3
            + [self.scan] * (draw.random() < 0.3)
            + [self.input] * (draw.random() < 0.5)
        )
        for chance, more in (
            (0.15, [self.reduce] * 4 + [self.composition] * 3),
            (0.1, [self.view] * 6),
            (0.08, [self.scan] * 5 + [self.reduce] * 3),
            (0.08, [self.place] * 3 + [self.view] * 3),
            (0.1, [self.beside_reduction] * 6),
        ):
            steps += more if draw.random() < chance else []
        return steps

    def draw_outputs(self):
        draw = self.random
        used = {operand for node in self.nodes for operand in node.operands}
        arrays = self.arrays()
        unused = [
            number
            for number in arrays
            if number not in used and not isinstance(self.nodes[number], (Input, *SCALARS))
        ]
        draw.shuffle(unused)
        outputs = (unused or [arrays[-1]])[: draw.choice([1, 2, 4, 8, 16])]
        return outputs + ([draw.choice(arrays)] if draw.random() < 0.2 else [])

    def grow_from_inputs(self):
        draw = self.random
        for _ in range(draw.choice([1, 1, 2, 2, 3, 4])):
            self.input()
        while not self.arrays():
            self.input()
        count = draw.choice([5, 6, 8, 10, 12, 15, 20, 25] + ([] if self.structure else [30, 40]))
        steps = self.steps()
        if draw.random() < 0.3:
            # Small programs of reductions and scalars alone, whose data and literals nothing hides.
            count, steps = len(self.values) + draw.choice([2, 3, 4, 6, 8]), [self.beside_reduction]
        for _ in range(6 * count):
            if len(self.values) >= count:
                break
            draw.choice(steps)()

    def grow_from_subject(self):
        """What the subject is about, and sometimes some steps as in other programs."""
        draw = self.random
        self.max_elements = MAX_ELEMENTS
        draw_subjects.SUBJECTS[self.subject](self)
        if self.subject != "parts" and self.arrays() and draw.random() < 0.12:
            draw_some_parts(self)
        if draw.random() < 0.4 and self.arrays():
            steps = self.steps()
            for _ in range(draw.randrange(1, 8)):
                draw.choice(steps)()

    def draw(self):
        draw = self.random
        if self.subject:
            self.grow_from_subject()
        if not self.arrays():
            self.grow_from_inputs()
        outputs = self.draw_outputs()
        if self.refused is not None and self.is_refused(self.refused):
            nodes, outputs = (*self.nodes, self.refused), outputs[:1] * (draw.random() < 0.3)
            return Program(str(self.seed), self.mode, nodes, (*outputs, len(self.nodes)))
        targets = ()
        if draw.random() < self.target_share:
            targets = draw_targets(draw, self.nodes, [self.values[output].array for output in outputs])
        return Program(str(self.seed), self.mode, tuple(self.nodes), tuple(outputs), targets)
