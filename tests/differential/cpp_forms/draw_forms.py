"""Draws programs with what only the C++ front end has: named reductions and complex numbers."""

import numpy as np

from .. import draw_conversions, profiles
from ..draw_compositions import beside_scalar
from ..draw_programs import Drawer
from ..element_types import DTYPES, is_complex, kind
from ..oracle.operation_table import ARITY
from ..program import Cast, Input, Literal
from .named_reductions import (
    ACCUMULATING,
    DEVIATIONS,
    KEEP_SHAPE,
    OF_COMPLEX,
    OF_FLOATING,
    OF_INTEGERS,
    ORDERS,
    POSITIONS,
    NamedReduction,
    define,
)

COMPLEX_NUMBERS = [0j, 1j, -1j, 1 + 0j, 0.5 - 2j, -1.5 + 0.25j, complex(float("inf"), 1.0)]
SCANS = ("cumsum", "cumprod", "cummax", "cummin")


class FormDrawer(Drawer):
    def __init__(self, *arguments):
        self.named = {}
        super().__init__(*arguments)

    def weak_scalar(self, like):
        partner = kind(self.values[like].dtype)
        share = 0.4 if partner == "c" else 0.3 if self.profile in ("complex", "all") else 0.02
        if self.profile != "int" and self.random.random() < share:
            number = self.random.choice(COMPLEX_NUMBERS)
            return self.random.choice(["complex64", "complex128"]), number
        return super().weak_scalar(like)

    def mask(self, number):
        """A boolean value of no higher rank that broadcasts with another; mostly of an input."""
        draw, shape = self.random, self.values[number].array.shape
        found = [
            other
            for other in self.arrays()
            if (isinstance(self.nodes[other], Input) or self.values[other].dtype == np.dtype(bool))
            and self.rank(other) <= len(shape)
            and self.broadcasts(shape, self.values[other].array.shape)
        ]
        if not found:
            return None
        mask = draw.choice(found)
        dtype = self.values[mask].dtype
        if dtype == np.dtype(bool):
            return mask
        if is_complex(dtype) or draw.random() < 0.3:
            return self.add(Cast("bool", operands=(mask,)))
        zero = self.add(Literal("int64", 0, True))
        return self.apply(draw.choice(["greater", "less", "equal"]), mask, zero)

    def broadcasts(self, shape, other):
        try:
            return np.prod(np.broadcast_shapes(shape, other), dtype=np.float64) <= self.max_elements
        except ValueError:
            return False

    def accumulator(self, function, dtype):
        """A type for the elements, as `function` takes them."""
        names = profiles.PROFILES["all"] if self.profile == "all" else self.types + ["float64", "int64"]
        names = [
            name
            for name in names
            if (is_complex(DTYPES[name]) or not is_complex(dtype))
            and (is_complex(DTYPES[name]) <= (function in OF_COMPLEX))
            and (function not in OF_FLOATING or kind(DTYPES[name]) in "fc")
            and (self.profile != "int" or kind(DTYPES[name]) in "biu")
        ]
        return self.random.choice(names) if names else ""

    def named_reduction(self, functions=()):
        draw, operand = self.random, self.pick()
        dtype, rank = self.values[operand].dtype, self.rank(operand)
        functions = list(
            functions or (OF_INTEGERS if self.profile == "int" else OF_INTEGERS + 2 * OF_FLOATING)
        )
        if is_complex(dtype):
            functions = [function for function in functions if function in OF_COMPLEX]
        functions = [function for function in functions if rank or function not in SCANS]
        if not functions:
            return None
        function = draw.choice(functions)
        axes = 1 << draw.randrange(rank) if function in SCANS else self.axes(rank)
        mask = self.mask(operand) if function not in POSITIONS and draw.random() < 0.4 else None
        named = NamedReduction(
            function,
            operand,
            axes,
            keep=function not in KEEP_SHAPE and draw.random() < 0.5,
            mask=mask,
            accumulator=(
                self.accumulator(function, dtype)
                if function in (*ACCUMULATING, "norm") and draw.random() < 0.3
                else ""
            ),
            ddof=draw.choice([None, 0, 1, 2]) if function in DEVIATIONS else None,
            order=draw.choice(ORDERS) if function == "norm" else "",
        )
        result = define(self, named)
        if result is not None and result not in named.operands and result not in self.named:
            self.named[result] = named
        return result

    def partner(self, number):
        """Numbers are spelled in more ways than other operands."""
        return self.scalar(number) if self.random.random() < 0.3 else super().partner(number)

    def scalar(self, like, parameters=0.1):
        if self.random.random() < 0.4:
            return self.add(Literal(*self.weak_scalar(like), True))
        return super().scalar(like, parameters)

    def beside_number(self):
        """An operation on a value and a number, mostly of the front end's types."""
        operand = self.pick()
        if self.random.random() < 0.5:
            return beside_scalar(self, operand)
        operations = [name for name in profiles.OPERATIONS[self.profile] if ARITY[name] == 2]
        operands = [operand, self.scalar(operand)]
        self.random.shuffle(operands)
        return self.apply(self.random.choice(operations), *operands)

    def beside_reduction(self):
        return self.named_reduction() if self.random.random() < 0.4 else super().beside_reduction()

    def steps(self):
        return super().steps() + [self.named_reduction] * 3 + [self.beside_number] * 6

    def conversion(self):
        """C++ itself computes what is made of numbers alone."""
        return draw_conversions.draw_conversion_of_arrays(self)

    def composition(self):
        return self.named_reduction() if self.random.random() < 0.75 else super().composition()

    def reduce(self, operand=None, operations=profiles.REDUCTIONS):
        if operand is None and self.random.random() < 0.5:
            return self.named_reduction()
        return super().reduce(operand, operations)

    def scan(self, operand=None):
        if operand is None and self.random.random() < 0.5:
            return self.named_reduction(SCANS)
        return super().scan(operand)

    def draw(self):
        return super().draw().replace(named=self.named)
