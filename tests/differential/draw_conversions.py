"""Draws programs whose answers hang on the types of operands and on the roundings of conversions."""

import numpy as np

from .draw_layouts import draw_layout
from .element_types import DTYPES, is_complex, kind
from .program import Apply, Cast, Input, Literal, Parameter

# Bits of a number of each type that another number may have to be rounded to.
DIGITS = {"bfloat16": 8, "float16": 11, "float32": 24}
WIDE_INTEGERS = ["int32", "uint32", "int64", "uint64"]
# What numbers alone make, without an error in the type of the result.
NUMBER_OPERATIONS = ["add", "subtract", "multiply", "maximum", "minimum", "negative", "true_divide"]


def beside_tie(draw, digits, source):
    """A number that lies in the middle of two numbers of some digits, or the least distance away from it."""
    middle = 2 * draw.randrange(1 << (digits - 1), 1 << digits) + 1
    sign, side = draw.choice([-1, 1]), draw.choice([-1, 0, 1])
    if kind(source) in "iu":
        limits = np.iinfo(source)
        # float16 ends at 2^16
        shift = draw.randrange((16 if digits == 11 else int(limits.max).bit_length()) - digits)
        number = (middle << shift) + (side if shift else 0)
        return min(number, limits.max) if limits.min == 0 else max(limits.min, sign * min(number, limits.max))
    number = source.type(sign * middle * 2.0 ** draw.randrange(-20, 4))
    return number if side == 0 else np.nextafter(number, source.type(side * np.inf))


def rounded_cast(drawer):
    """A cast of numbers beside ties: what is rounded twice is wrong there."""
    draw = drawer.random
    target = draw.choice([name for name in DIGITS if name in drawer.types] or [None])
    if target is None:
        return None
    wider = ["float64"] + (["float32"] if target != "float32" else [])
    source = DTYPES[draw.choice(WIDE_INTEGERS + wider)]
    numbers = [beside_tie(draw, DIGITS[target], source) for _ in range(draw.choice([1, 17, 64, 257]))]
    operand = drawer.add(Input(draw_layout(draw, np.array(numbers, source))))
    return None if operand is None else drawer.add(Cast(target, operands=(operand,)))


def clip_of_three_types(drawer):
    """A clip of one array in three types, of which numbers may take the place of one or two."""
    draw, array = drawer.random, drawer.pick()
    names = [name for name in drawer.types if name != "bool" and not is_complex(DTYPES[name])]
    if is_complex(drawer.values[array].dtype) or not names:
        return None
    operands = [drawer.add(Cast(draw.choice(names), operands=(array,))) for _ in range(3)]
    if None in operands:
        return None
    for position in draw.sample(range(3), draw.choice([0, 1, 1, 2])):
        operands[position] = drawer.scalar(operands[position])
    return drawer.apply("clip", *operands)


def beside_computed_number(drawer):
    """An operation on an array and what numbers alone make, which takes the type it meets as they do."""
    draw, array = drawer.random, drawer.pick()
    kinds = [draw.choice([Literal, Literal, Parameter]) for _ in range(2)]
    numbers = [drawer.add(node(*drawer.weak_scalar(array), True)) for node in kinds]
    operation = draw.choice(NUMBER_OPERATIONS)
    computed = drawer.add(Apply(operation, operands=tuple(numbers[: 1 if operation == "negative" else 2])))
    # what is not exact would have an error in the type that it takes, too
    if computed is None or drawer.values[computed].bounds.any():
        return None
    operands = [array, computed]
    draw.shuffle(operands)
    return drawer.apply(draw.choice(["add", "multiply", "maximum", "less"]), *operands)


OF_ARRAYS = [rounded_cast, clip_of_three_types]


def draw_conversion_of_arrays(drawer):
    return drawer.random.choice(OF_ARRAYS)(drawer)


def draw_conversion(drawer):
    return drawer.random.choice(OF_ARRAYS + [beside_computed_number])(drawer)
