"""Draws what a body computes: the next value of a state, and the condition of a loop."""

from ..element_types import DTYPES, NAMES, is_complex, kind
from ..oracle.external_functions import EXTERNAL_FUNCTIONS, argument_types
from ..oracle.operation_table import ARITY
from ..profiles import OPERATIONS
from ..program import Apply, Cast, External, Literal
from .draw_elements import draw_element, draw_guarded_condition

INTEGER_STEPS = """
    add add subtract multiply multiply bitwise_xor bitwise_and bitwise_or minimum maximum remainder floor_divide
    trunc_divide gcd left_shift right_shift where absolute square bit_count""".split()
BOOL_STEPS = "logical_xor logical_and logical_or logical_not not_equal equal where".split()
FLOATING_STEPS = """
    add subtract multiply minimum maximum true_divide sqrt absolute sin tanh exp less where where floor negative
    square arctan""".split()
COMPLEX_STEPS = "add subtract multiply conj where negative".split()
# A number between these two per step keeps a map near.
FACTORS = [0.5, 0.25, -0.5, 0.75]


class Steps:
    """Adds nodes to a scope's body. Methods return None where an operand is None or a node is refused."""

    def __init__(self, scope, rank):
        self.scope, self.drawer, self.random = scope, scope.drawer, scope.random
        self.rank = rank

    def value(self, number):
        return self.drawer.values[number]

    def apply(self, operation, *operands):
        if None in operands:
            return None
        try:
            return self.drawer.add(Apply(operation, operands=operands))
        except ValueError:
            return None

    def number(self, value):
        return self.drawer.add(Literal("int64" if isinstance(value, int) else "float64", value, True))

    def others(self):
        """Values of a rank that the state has."""
        return [
            number
            for number, value in enumerate(self.drawer.values)
            if value.array.ndim <= self.rank
            and not (value.weak and number > 0)
            and number not in self.drawer.hidden
        ]

    def partner(self, kinds):
        """The iteration's number, an argument or another value of some kinds; or a number."""
        draw = self.random
        found = [
            number
            for number in self.others()
            if kind(self.value(number).dtype) in kinds
            and (not self.value(number).weak or self.value(number).wraps)
        ]
        if not found or draw.random() < 0.3:
            return self.number(
                draw.choice([1, 2, 3, 5, 7]) if kinds <= set("biu") else draw.choice([0.5, 1.0, 2.0, 3.0])
            )
        return draw.choice(found)

    def real(self, number):
        if number is not None and is_complex(self.value(number).dtype):
            return self.apply("real", number)
        return number

    def cast(self, number, name):
        if number is None or not self.value(number).weak and NAMES[self.value(number).dtype] == name:
            return number
        if kind(DTYPES[name]) != "c":
            number = self.real(number)
        return self.drawer.add(Cast(name, operands=(number,)))

    def comparison(self, number):
        """A bool that rarely hangs on a rounding."""
        draw, chance = self.random, self.random.random()
        loops = [other for other in self.others() if self.value(other).wraps]
        if loops and chance < 0.4:
            number = draw.choice(loops)
            if draw.random() < 0.3:  # what fails may hold again later, when it counts no more
                return self.apply(
                    "equal", self.apply("remainder", number, self.number(2)), self.number(draw.choice([0, 1]))
                )
            low = self.number(draw.choice([1, 2, 3]))
            return self.apply(draw.choice(["less", "greater_equal", "equal"]), number, low)
        exact = [
            other
            for other in self.others()
            if kind(self.value(other).dtype) in "biu" and not self.value(other).weak
        ]
        if exact and chance < 0.8:
            other = draw.choice(exact)
            limit = self.number(draw.choice([0, 1, 3, 5, 100]))
            return self.apply(draw.choice(["less", "not_equal", "greater"]), other, limit)
        number = self.real(number)
        limit = self.number(draw.choice([0.1, 1.7, 3.3, -0.6]))
        return self.apply(draw.choice(["less", "greater"]), number, limit)

    def chosen(self, number, other):
        """Either of two values; None if one is weak and both are."""
        condition = self.comparison(number)
        operands = [number, other]
        self.random.shuffle(operands)
        return self.apply("where", condition, *operands)

    def step(self, number, names, kinds):
        operation = self.random.choice(names)
        if operation == "where":
            return self.chosen(number, self.partner(kinds))
        if ARITY[operation] == 1:
            return self.apply(operation, number)
        operands = [number, *[self.partner(kinds) for _ in range(ARITY[operation] - 1)]]
        if operation in ("left_shift", "right_shift"):
            operands[1] = self.number(self.random.choice([1, 2, 3]))
        elif self.random.random() < 0.3:
            operands.reverse()
        return self.apply(operation, *operands)

    def contract(self, number, kinds):
        """x * f + c."""
        product = self.apply("multiply", number, self.number(self.random.choice(FACTORS)))
        return self.apply("add", product, self.partner(kinds))

    def newton(self, number):
        """A step towards the square root of |c| + 1."""
        other = self.partner(set("biuf"))
        radicand = self.apply("add", self.apply("absolute", other), self.number(1.0)) if other else None
        positive = self.apply("add", self.apply("absolute", number), self.number(0.5))
        total = self.apply("add", positive, self.apply("true_divide", radicand, positive))
        return self.apply("multiply", total, self.number(0.5))

    def wave(self, number):
        function = self.random.choice(["sin", "tanh", "arctan", "cos"])
        scaled = self.apply("multiply", self.apply(function, number), self.number(0.5))
        return self.apply("add", scaled, self.partner(set("biuf")))

    def floating(self, number):
        chance = self.random.random()
        if chance < 0.4:
            return self.contract(number, set("biuf"))
        if chance < 0.55:
            return self.newton(number)
        if chance < 0.65:
            return self.wave(number)
        if chance < 0.8:
            return self.chosen(number, self.contract(number, set("biuf")))
        return self.chain(number, FLOATING_STEPS, set("biuf"))

    def complex(self, number):
        if self.random.random() < 0.6:
            return self.contract(number, set("biufc"))
        return self.chain(number, COMPLEX_STEPS, set("biufc"))

    def chain(self, number, names, kinds):
        """One to three operations of some names, or any that the profile has."""
        if not self.drawer.structure and self.random.random() < 0.3:
            names = OPERATIONS[self.drawer.profile]
        for _ in range(self.random.randrange(1, 4)):
            made = self.step(number, names, kinds)
            number = number if made is None else made
        return number

    def external(self, number):
        """A call of a user's own function, of values of its types."""
        name = self.random.choice(list(EXTERNAL_FUNCTIONS))
        types, operands = argument_types(name), [number]
        operands += [self.partner(set("biuf")) for _ in types[1:]]
        operands = [self.cast(operand, type_name) for operand, type_name in zip(operands, types)]
        return None if None in operands else self.drawer.add(External(name, operands=tuple(operands)))

    def of_kind(self, number):
        group = kind(self.value(number).dtype)
        if group == "f":
            return self.floating(number)
        if group == "c":
            return self.complex(number)
        return self.chain(number, BOOL_STEPS if group == "b" else INTEGER_STEPS, set("biu"))

    def meet(self, number, other):
        """Two values in one."""
        groups = {kind(self.value(each).dtype) for each in (number, other)}
        if groups == {"b"}:
            return self.apply("logical_xor", number, other)
        if "c" in groups:
            return self.apply("add", number, other)
        return self.apply(self.random.choice(["add", "maximum", "subtract"]), number, other)


def has_shape_of(value, argument, keeps_rank):
    return not keeps_rank or value.array.ndim == argument.array.ndim


def beside_element(steps, number):
    """A value and an element of an array in one, or the element alone."""
    element = draw_element(steps)
    if element is None or steps.value(element).array.ndim > steps.rank:
        return number
    met = element if steps.random.random() < 0.4 else steps.meet(number, element)
    return number if met is None else met


def draw_next(scope, argument, draw_within, name=None, keeps_rank=True):
    """The number of a value of the type and rank of an argument, mostly computed from it; or of another type."""
    draw, value = scope.random, scope.drawer.values[argument]
    steps = Steps(scope, value.array.ndim if keeps_rank else 99)
    name = name or NAMES[value.dtype]
    chance = draw.random()
    same = [each for each in steps.others() if has_shape_of(steps.value(each), value, keeps_rank)]
    number = argument
    if chance < 0.06:
        number = draw.choice(same)  # turns of states, or one that does not change
    elif chance < 0.94:
        number = steps.of_kind(argument)
    elif chance < 0.965:
        number = steps.external(argument)
    if number is not None and draw.random() < (0.35 if scope.depth == 2 else 0.25):
        within = draw_within(scope)
        if within is not None and steps.value(within).array.ndim <= steps.rank:
            met = steps.meet(number, within)
            number = number if met is None else met
    if number is not None and scope.drawer.sources and draw.random() < 0.7:
        number = beside_element(steps, number)
    if number is not None and not has_shape_of(steps.value(number), value, keeps_rank):
        number = steps.meet(argument, number)
    number = steps.cast(number, name)
    if number is None or not has_shape_of(steps.value(number), value, keeps_rank):
        return steps.cast(argument, name)
    return number


def draw_condition(scope, arguments, limit):
    """A condition that fails after `limit` iterations at the latest."""
    draw = scope.random
    rank = min(scope.drawer.values[argument].array.ndim for argument in arguments)
    steps = Steps(scope, rank)
    within = steps.apply(draw.choice(["less", "less", "not_equal"]), 0, steps.number(limit))
    if scope.drawer.sources and draw.random() < 0.5:
        condition, guarded = draw_guarded_condition(steps, within)
        if condition is not None and scope.drawer.values[condition].array.ndim <= rank:
            scope.guarded += guarded
            return condition
    low = [argument for argument in arguments if scope.drawer.values[argument].array.ndim <= rank]
    if draw.random() < 0.2:
        return within
    other = steps.comparison(draw.choice(low))
    if other is not None and scope.drawer.values[other].array.ndim > rank:
        return within
    if draw.random() < 0.3:
        third = steps.comparison(draw.choice(low))
        both = None if third is None else steps.apply("logical_or", other, third)
        other = other if both is None or scope.drawer.values[both].array.ndim > rank else both
    condition = steps.apply("logical_and", within, other)
    return within if condition is None else condition
