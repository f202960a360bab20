"""How far a right answer of one floating-point operation may lie from NumPy's."""

import dataclasses
import itertools

import numpy as np
import scipy.special

from ..element_types import (
    FLOAT32,
    FLOAT64,
    HALF_TYPES,
    LARGEST,
    ROUNDING_UNIT,
    SMALLEST,
    is_complex,
    part_of,
)
from .operation_table import COMPLEX_BRANCHES, ERROR_FUNCTIONS, EXACT, FUNCTIONS, QUOTIENTS, ROUNDING
from .value import add_bounds, mark_unknown

# Roundings that a function may be off by; SciPy's error functions alone are off by 8 units.
FUNCTION_ROUNDINGS, COMPLEX_FUNCTION_ROUNDINGS, ERROR_FUNCTION_ROUNDINGS, FAST_ROUNDINGS = 12, 32, 60, 4096
PERIODIC = {"sin", "cos", "tan", "remainder", "fmod"}
# Beyond this, the corners of an operand's bound do not tell how far a periodic function moves.
MAX_OF_A_PERIOD = 0.1
# Beyond this, sines of fast mode have no bound.
MAX_FAST_ANGLE = 1e5
# On GPUs expit of fast mode is 0 below -88.7, and never a smaller number than this (docs/guide.md).
MIN_FAST_EXPIT = 2.0**-125
COMPLEX_RELATIVE = {"true_divide", "reciprocal", "sqrt", "absolute", "sign"}
# Their last operand divides; where it may be zero the result may be anything.
DIVISIONS = QUOTIENTS | {"true_divide", "reciprocal"}
WHOLE_QUOTIENTS = {"floor_divide", "trunc_divide"}
COMPLEX_EXACT = {"add", "subtract", "negative", "positive", "conj", "real", "imag"}


@dataclasses.dataclass
class Application:
    """`operands` and `exact`, the result, are float64 or complex128; `bounds` are those of the operands."""

    operation: str
    mode: str
    compute: np.dtype
    result: np.dtype
    operands: list
    bounds: list
    exact: np.ndarray

    def __post_init__(self):
        self.shape = self.exact.shape
        self.part = part_of(self.compute)
        self.is_half = self.compute in HALF_TYPES
        self.unit, self.smallest = ROUNDING_UNIT[self.part], SMALLEST[self.part]
        self.magnitude = np.abs(np.where(np.isfinite(self.exact), self.exact, 0))
        # In standard mode these are fused with others, or stay in float32.
        self.is_fused = self.mode != "strict" and (
            self.is_half and self.operation in ROUNDING or self.operation in ("multiply", "square")
        )


def within_period(application, bounds):
    """How far a function of a period moves between the corners: a whole period, or a pole, may lie there."""
    operation, operands, shape = application.operation, application.operands, application.shape
    bound = [np.broadcast_to(np.abs(bounds.get(i, 0)), shape) for i in range(len(operands))]
    if operation in ("sin", "cos") and not is_complex(application.compute):
        return np.minimum(bound[0], 2)
    if operation in ("remainder", "fmod"):
        period = np.abs(operands[1])
        moved = (bound[0] + np.abs(operands[0] / operands[1]) * bound[1]) / period
        is_exact = (bound[0] == 0) & (bound[1] == 0)
        return np.where(is_exact | (moved <= MAX_OF_A_PERIOD), 0, np.inf)
    is_near_pole = operation == "tan" and 2 * bound[0] >= np.abs(np.cos(operands[0]))
    return np.where((bound[0] > MAX_OF_A_PERIOD) | is_near_pole, np.inf, 0)


def moved_by_operands(application):
    """How far the result moves at the corners of its operands' bounds; infinite where it does not
    stay near."""
    operands, bounds, exact = application.operands, application.bounds, application.exact
    uncertain = [position for position, bound in enumerate(bounds) if bound is not None]
    finite = {
        position: np.where(np.isfinite(bounds[position]), bounds[position], 0) for position in uncertain
    }
    farthest = np.zeros(application.shape)
    for signs in itertools.product(
        *[(1, -1, 1j, -1j) if np.iscomplexobj(operands[position]) else (1, -1) for position in uncertain]
    ):
        corner = list(operands)
        for sign, position in zip(signs, uncertain):
            corner[position] = operands[position] + sign * finite[position]
        result = FUNCTIONS[application.operation](*corner)
        # one part of a complex number may be NaN while the other moves
        same = (result == exact) | (np.isnan(result) & np.isnan(exact) & (not np.iscomplexobj(exact)))
        distance = np.abs(result - exact)
        farthest = np.maximum(farthest, np.where(same, 0, np.where(np.isfinite(distance), distance, np.inf)))
    farthest = farthest * 1.5
    if application.operation in PERIODIC:
        farthest = np.maximum(farthest, within_period(application, finite))
    for position in uncertain:
        farthest = np.where(np.broadcast_to(np.isinf(bounds[position]), application.shape), np.inf, farthest)
    # a zero has either sign where an operand has
    has_either_sign = [may_be_zero(operands[position], bounds[position]) for position in uncertain]
    is_zero = (farthest == 0) & (exact == 0) & np.any(np.broadcast_arrays(*has_either_sign, farthest)[:-1], 0)
    farthest = np.where(is_zero, application.smallest, farthest)
    rounding = 2 * application.unit * application.magnitude + 2 * application.smallest
    return farthest + np.where(farthest > 0, rounding, 0)


def function_error(application):
    """Of a function that is not correctly rounded."""
    operation, operands = application.operation, application.operands
    roundings = COMPLEX_FUNCTION_ROUNDINGS if is_complex(application.compute) else FUNCTION_ROUNDINGS
    if operation in ERROR_FUNCTIONS:
        roundings = ERROR_FUNCTION_ROUNDINGS
    if application.mode == "fast":
        roundings = FAST_ROUNDINGS
    extra = 0
    if operation in ("logaddexp", "logaddexp2"):
        largest = np.maximum(np.abs(operands[0]), np.abs(operands[1]))
        extra = np.where(np.isfinite(largest), largest, 0)
    if operation == "sinc":  # the angle is rounded first
        extra = 1
    if operation == "gammaln":  # below 0 two terms cancel
        extra = np.maximum(1, np.nan_to_num(scipy.special.gammaln(np.abs(operands[0])), posinf=0))
    if operation in ("ndtr", "gelu"):  # SciPy's tail has the error of a rounded square
        size = np.where(operands[0] < 0, np.minimum(np.abs(operands[0]), 40), 0)
        extra = application.magnitude * size * size
    if operation in ("sin", "cos", "tan") and application.mode == "fast":
        size = np.abs(operands[0])
        extra = np.where(np.isfinite(size) & (size < MAX_FAST_ANGLE), size, np.inf)
    unit = ROUNDING_UNIT[FLOAT32] if application.is_half else application.unit
    error = roundings * unit * (application.magnitude + extra) + 8 * application.smallest
    if operation in ("ndtr", "gelu"):  # SciPy has 0 where the result is a denormal float64
        error = error + np.where(operands[0] < -37.5, 2.0**-1022 * np.maximum(1, np.abs(operands[0])), 0)
    if operation == "expit" and application.mode == "fast":
        error = error + np.where(operands[0] < -87, MIN_FAST_EXPIT, 0)
    return error + (2 * application.unit * application.magnitude if application.is_half else 0)


def complex_error(application):
    if application.operation in COMPLEX_RELATIVE:
        size = application.magnitude
    else:
        size = np.abs(application.operands[0]) * np.abs(application.operands[-1])
    return 12 * application.unit * np.where(np.isfinite(size), size, 0) + 8 * application.smallest


def complex_power_error(application):
    """Of exp(b log(a)), which loses the digits of its logarithm. Whole exponents are powers of the base, as in
    NumPy: where these may overflow, what is left of a negative exponent is not known."""
    base, exponent = application.operands
    logarithm = np.log(np.where(base == 0, 1, base))
    size = np.abs(exponent) * np.abs(logarithm) + np.abs(exponent)
    error = 64 * application.unit * np.where(np.isfinite(size), size, 0) * application.magnitude
    may_overflow = np.abs(exponent.real * logarithm.real) > -0.8 * np.log(application.smallest)
    return np.where((exponent.real < 0) & may_overflow, np.inf, error)


def own_error(application, bound):
    """Adds the error of the operation itself."""
    operation, shape = application.operation, application.shape
    if operation not in EXACT:
        bound = add_bounds(bound, function_error(application), shape)
    elif is_complex(application.compute) and operation in COMPLEX_RELATIVE | {"multiply", "square"}:
        bound = add_bounds(bound, complex_error(application), shape)
    if is_complex(application.compute) and operation == "power":
        return add_bounds(bound, complex_power_error(application), shape)
    if application.mode == "fast" and operation in ROUNDING | QUOTIENTS:
        error = 64 * application.unit * application.magnitude + 8 * application.smallest
        return add_bounds(bound, np.inf if operation in QUOTIENTS else error, shape)
    if application.is_fused:
        error = application.unit * application.magnitude * 1.01 + application.smallest
        if operation in WHOLE_QUOTIENTS:  # integers that a half type has are not rounded
            error = np.where(application.magnitude * application.unit <= 1, 0, error)
        return add_bounds(bound, error, shape)
    return bound


def near_overflow(application, bound):
    """Close to the largest number everything hangs on a rounding; elsewhere NaN and infinities are exact."""
    operation, exact, part = application.operation, application.exact, application.part
    margin = 0.98 if application.is_half else 0.9999
    if application.is_half or operation in ("multiply", "square") or operation not in EXACT:
        if not is_complex(application.result):
            big = np.isfinite(exact) & (np.abs(exact) > LARGEST[part] * margin)
            bound = np.where(big, np.inf, bound)
        if application.is_half or operation in ("multiply", "square"):
            finite = [
                np.isfinite(np.broadcast_to(operand, application.shape)) for operand in application.operands
            ]
            bound = np.where(np.isinf(np.abs(exact)) & np.all(finite, axis=0), np.inf, bound)
    if not is_complex(application.result) and part != FLOAT64 and operation not in EXACT:
        bound = np.where(np.isfinite(exact) & (np.abs(exact) > LARGEST[part] * 0.9999), np.inf, bound)
    if is_complex(application.result):
        return bound  # the other part of a complex NaN keeps its bound
    return np.where((np.isnan(exact) | np.isinf(exact)) & np.isfinite(bound), 0, bound)


def outside_of_complex_range(application):
    """Where intermediate results of complex functions overflow or vanish, and beside branch cuts and
    zeros."""
    size = np.abs(application.exact)
    unknown = ~np.isfinite(size) | ~(size < 0.1 * LARGEST[application.part])
    limit = 1e12 if application.part == FLOAT32 else 1e100
    for operand in application.operands:
        size = np.broadcast_to(np.abs(operand), application.shape)
        unknown = unknown | ~np.isfinite(size) | (size > limit) | ((size < 1 / limit) & (size > 0))
    if application.operation in COMPLEX_BRANCHES:
        number = application.operands[0]
        size = np.abs(number)
        on_axis = (np.abs(number.imag) <= 1e-5 * size) | (np.abs(number.real) <= 1e-5 * size)
        pole = (np.abs(number * number - 1) < 1e-2) | (np.abs(number * number + 1) < 1e-2)
        unknown = unknown | on_axis | pole | (size < 1e-3)
    return unknown


def may_be_zero(operand, bound):
    return False if bound is None else (bound > 0) & (np.abs(operand) <= bound)


def jumps(application):
    """Where a function may jump within its operand's bound, which the bound's corners do not show."""
    operation, number, bound = application.operation, application.operands[0], application.bounds[0]
    if bound is None:
        return False
    low, high = number - bound, number + bound
    if operation == "modf_fraction":
        return (bound > 0) & (np.trunc(low) != np.trunc(high))
    if operation == "frexp_mantissa":
        return (bound > 0) & ((np.frexp(low)[1] != np.frexp(high)[1]) | may_be_zero(number, bound))
    if operation in ("tgamma", "gammaln"):
        return (bound > 0) & (low <= 0)
    if operation == "sinc":
        return bound > MAX_OF_A_PERIOD / np.pi
    return may_be_zero(number, bound) if operation in ("xlogy", "entr", "huber") else False


def may_be_whole_exponent(operands, bounds):
    """Where a negative base may have an integer exponent, or another one: a number, or NaN."""
    base, exponent = operands
    if np.iscomplexobj(exponent):
        return False
    is_negative = base - (0 if bounds[0] is None else bounds[0]) < 0
    has_integer = np.floor(exponent + bounds[1]) >= np.ceil(exponent - bounds[1])
    return is_negative & (bounds[1] > 0) & has_integer


def bound_of(application):
    """The bound of a result, or None where it is exact."""
    operation, operands, shape = application.operation, application.operands, application.shape
    bound = None
    if any(operand_bound is not None for operand_bound in application.bounds):
        bound = moved_by_operands(application)
    bound = own_error(application, bound)
    if bound is not None:
        bound = near_overflow(application, bound)
    if is_complex(application.compute) and operation not in COMPLEX_EXACT:
        bound = mark_unknown(bound, outside_of_complex_range(application), shape)
    if operation in DIVISIONS:
        bound = mark_unknown(bound, may_be_zero(operands[-1], application.bounds[-1]), shape)
    if operation == "power" and application.bounds[-1] is not None:
        bound = mark_unknown(bound, may_be_whole_exponent(operands, application.bounds), shape)
    bound = mark_unknown(bound, jumps(application), shape)
    if operation == "sinc":  # the angle overflows in the type
        bound = mark_unknown(bound, np.abs(operands[0]) > LARGEST[application.part] / 4, shape)
    if operation == "ldexp" and application.is_half and application.mode != "strict":
        # exponents that the half type does not have may stay as they are
        bound = mark_unknown(bound, np.abs(operands[1]) > 256, shape)
    if operation == "heaviside":
        # at 0 it is its second operand, which may be far from what it is beside 0
        bound = mark_unknown(bound, may_be_zero(operands[0], application.bounds[0]), shape)
    if operation == "copysign":
        unknown = np.isnan(operands[1]) | may_be_zero(operands[1], application.bounds[1])
        bound = mark_unknown(bound, unknown, shape)
    if operation in ("arctan2", "angle"):
        for operand, operand_bound in zip(operands, application.bounds):
            bound = mark_unknown(bound, may_be_zero(operand, operand_bound), shape)
    return bound
