"""Operations on elements."""

import numpy as np

from ..element_types import (
    BFLOAT16,
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    HALF_TYPES,
    LARGEST,
    ROUNDING_UNIT,
    SMALLEST,
    is_complex,
    kind,
    part_of,
    scalar_array,
    to_floating,
    to_integer,
    widen,
)
from .error_bounds import Application, bound_of
from .integers import apply_to_integers
from .operation_table import (
    COMPARISONS,
    EXACT,
    FUNCTIONS,
    LOGICAL,
    NAME_THEIR_TYPE,
    NUMPY,
    PREDICATES,
)
from .promotion import argument, check_exponent, check_weak_range, convert, types_of
from .value import Value, may_be_zero, unknown_where, unknown_where_any


# The operand that decides the result alone.
DECIDING = {"logical_and": False, "logical_or": True}


def as_condition(value):
    """A value as booleans, and its bound."""
    if value.weak:
        return np.array(bool(value.number)), None
    bound = None if value.bound is None else unknown_where(may_be_zero(value))
    return convert(value.array, BOOL), bound


def apply_logical(operation, values):
    conditions = [as_condition(value) for value in values]
    result = np.asarray(NUMPY[operation](*[array for array, _ in conditions]))
    bound = unknown_where_any(result.shape, [bound for _, bound in conditions])
    if bound is None or operation not in DECIDING:
        return Value(result, bound)
    for array, own in conditions:
        decides = (array == DECIDING[operation]) & (True if own is None else own == 0)
        bound = np.where(np.broadcast_to(decides, result.shape), 0.0, bound)
    return Value(result, bound)


def apply_where(values, dtype):
    condition, condition_bound = as_condition(values[0])
    for value in values[1:]:
        check_weak_range(value, dtype)
    result = np.where(condition, *[argument(value, dtype) for value in values[1:]]).astype(dtype)
    if all(value.bound is None for value in values[1:]) and condition_bound is None:
        return Value(result)
    bounds = [0 if value.bound is None else value.bound for value in values[1:]]
    bound = np.broadcast_to(np.where(condition, *bounds), result.shape)
    if condition_bound is not None:
        bound = np.where(np.broadcast_to(condition_bound > 0, result.shape), np.inf, bound)
    return Value(result, bound)


def compare_integers(operation, values):
    """By value, whatever the types are, and also with a number that the other type does not have."""
    result = np.asarray(
        NUMPY[operation](*[int(value.number) if value.weak else value.array for value in values])
    )
    return Value(result, unknown_where_any(result.shape, [value.bound for value in values]))


def compare_floating(operation, wide, bounds):
    result = np.asarray(NUMPY[operation](*wide))
    if all(bound is None for bound in bounds):
        return Value(result)
    total = sum(np.zeros(()) if bound is None else bound for bound in bounds)
    gap = np.abs(wide[0] - wide[1])
    numbers = ~(np.isnan(wide[0]) | np.isnan(wide[1]))
    near = (total > 0) & ~(gap > total) & numbers | np.isinf(total)
    same_infinity = np.isinf(wide[0]) & (wide[0] == wide[1]) & np.isfinite(total)
    return Value(result, np.broadcast_to(unknown_where(near & ~same_infinity), result.shape))


def apply_predicate(operation, array, bound, dtype):
    wide = widen(array)
    result = np.asarray(NUMPY[operation](wide))
    if operation == "signbit":
        unknown = np.isnan(wide)
        if bound is not None:
            unknown = unknown | (bound > 0) & (np.abs(wide) <= bound)
        return Value(result, unknown_where(unknown))
    if bound is None:
        return Value(result)
    unknown = np.isinf(bound)
    if kind(dtype) == "f":
        unknown = unknown | (bound > 0) & (np.abs(wide) + bound > 0.99 * LARGEST[dtype]) & np.isfinite(wide)
    return Value(result, np.broadcast_to(unknown_where(unknown), result.shape))


def apply_exponent(array, bound):
    """The exponent of two, which is not known where the number may have another one."""
    wide = widen(array)
    result = np.asarray(FUNCTIONS["frexp_exponent"](wide))
    if bound is None:
        return Value(result)
    low, high = (FUNCTIONS["frexp_exponent"](wide + sign * bound) for sign in (-1, 1))
    return Value(result, unknown_where((bound > 0) & ((low != high) | (np.abs(wide) <= bound))))


def next_bfloat16(first, second):
    first, second = np.broadcast_arrays(first.astype(np.float32), second.astype(np.float32))
    bits = first.astype(BFLOAT16).view(np.uint16).astype(np.int64)
    moved = np.where((second > first) == (first > 0), bits + 1, bits - 1)
    moved = np.where(first == 0, np.where(second < 0, 0x8001, 1), moved).astype(np.uint16)
    result = np.where(
        first == second, second, np.atleast_1d(moved).view(BFLOAT16).reshape(first.shape).astype(np.float32)
    )
    return np.where(np.isnan(first) | np.isnan(second), np.float32(np.nan), result).astype(BFLOAT16)


def compute_floating(operation, arrays, compute, result_type):
    """The result in its type, and in float64 or complex128, before it is rounded if it can be had."""
    function = FUNCTIONS[operation]
    if operation == "make_complex":
        result = np.empty(np.broadcast_shapes(*[array.shape for array in arrays]), result_type)
        result.real, result.imag = arrays
    elif operation == "nextafter" and compute == BFLOAT16:
        result = next_bfloat16(*arrays)
    elif operation == "nextafter" and compute == FLOAT16:
        result = np.where(arrays[0] == arrays[1], arrays[1], np.nextafter(*arrays))
    elif operation in EXACT and (compute == FLOAT32 or is_complex(compute)):
        result = np.asarray(function(*arrays)).astype(result_type)
    elif operation in EXACT and compute in HALF_TYPES:
        single = np.asarray(function(*[array.astype(np.float32) for array in arrays])).astype(np.float32)
        result = to_floating(single, compute)
    else:
        exact = np.asarray(function(*[widen(array) for array in arrays]))
        if is_complex(result_type):
            return exact.astype(result_type), exact
        result = to_floating(exact, part_of(compute))
        return (result.astype(result_type) if result_type in (FLOAT32, FLOAT64) else result), exact
    return np.asarray(result), widen(np.asarray(result))


def apply(operation, values, mode):
    result = apply_to_values(operation, values, mode)
    # what numbers alone make takes the type it meets, as they do
    if all(value.weak for value in values) and operation not in NAME_THEIR_TYPE:
        result.weak, result.number = True, result.array.item()
        result.wraps = any(value.wraps for value in values)
    return result


def apply_to_values(operation, values, mode):
    compute, result_type = types_of(operation, values)
    if operation in LOGICAL:
        return apply_logical(operation, values)
    if operation == "where":
        return apply_where(values, compute)
    if operation in COMPARISONS and all(kind(value.dtype) in "biu" for value in values):
        return compare_integers(operation, values)
    for value in values:
        check_weak_range(value, compute)
    if operation == "power":
        check_exponent(values, compute)
    arrays = [argument(value, compute) for value in values]
    bounds = [value.bound for value in values]
    if kind(compute) in "biu":
        result = apply_to_integers(operation, arrays, result_type)
        return Value(result, unknown_where_any(result.shape, bounds))
    if operation in COMPARISONS:
        return compare_floating(operation, [widen(array) for array in arrays], bounds)
    if operation in PREDICATES:
        return apply_predicate(operation, arrays[0], bounds[0], compute)
    if operation == "frexp_exponent":
        return apply_exponent(arrays[0], bounds[0])
    result, exact = compute_floating(operation, arrays, compute, result_type)
    application = Application(
        operation, mode, compute, result_type, [widen(array) for array in arrays], bounds, exact
    )
    return Value(result, bound_of(application))


def cast(value, dtype):
    check_weak_range(value, dtype)
    result = scalar_array(value.number, dtype) if value.wraps else convert(value.array, dtype)
    if value.bound is None:
        return Value(result)
    bounds, source = value.bounds, kind(value.dtype)
    if kind(dtype) == "b" and source in "fc":
        return Value(result, unknown_where(may_be_zero(value)))
    if source in "biu":
        return Value(result, unknown_where(bounds > 0))
    wide = widen(value.array)
    if kind(dtype) in "iu":
        low, high = (to_integer(wide + sign * value.finite_bounds, dtype) for sign in (-1, 1))
        return Value(result, unknown_where((low != high) | np.isinf(bounds)))
    part, rounded = part_of(dtype), widen(result)
    magnitude = np.abs(np.where(np.isfinite(rounded), rounded, 0))
    bound = np.where(bounds > 0, bounds + 4 * ROUNDING_UNIT[part] * magnitude + 2 * SMALLEST[part], 0.0)
    source_size = np.abs(wide)
    overflows = (
        (bounds > 0) & np.isfinite(source_size) & (source_size + value.finite_bounds > LARGEST[part] * 0.98)
    )
    return Value(result, np.where(overflows, np.inf, bound))
