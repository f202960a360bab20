"""Whether a result is right."""

import numpy as np

from ..element_types import is_complex, kind, widen


def equal_numbers(first, second):
    return (first == second) | (np.isnan(first) & np.isnan(second))


def right_floating(result, expected, is_strict):
    """Exact results of strict mode have the sign of their zeros too."""
    got, wanted = widen(result), widen(expected.array)
    with np.errstate(all="ignore"):
        if is_complex(expected.dtype):
            right = equal_numbers(got.real, wanted.real) & equal_numbers(got.imag, wanted.imag)
            right = right | np.isnan(got) & np.isnan(wanted)
        else:
            right = equal_numbers(got, wanted)
            if is_strict:
                right = right & ((np.signbit(got) == np.signbit(wanted)) | np.isnan(got))
        if expected.bound is not None:
            right = right | (np.abs(got - wanted) <= expected.bound) & (expected.bounds > 0)
    return right


def describe_difference(result, expected, is_strict):
    """What is wrong with a result, or None."""
    if result.dtype != expected.dtype:
        return f"type {result.dtype} instead of {expected.dtype}"
    if result.shape != expected.array.shape:
        return f"shape {result.shape} instead of {expected.array.shape}"
    if result.size == 0:
        return None
    if kind(expected.dtype) == "b" and np.atleast_1d(result).view(np.uint8).max() > 1:
        return "a bool that is neither 0 nor 1"
    known = np.isfinite(expected.bounds)
    if kind(expected.dtype) in "biu":
        wrong = (result != expected.array) & known
    else:
        wrong = ~right_floating(result, expected, is_strict) & known
    if not wrong.any():
        return None
    first = tuple(int(position) for position in np.argwhere(wrong)[0])
    bound = None if expected.bound is None else float(expected.bounds[first])
    return (
        f"{int(wrong.sum())} of {int(known.sum())} wrong, first at {list(first)}: {result[first]!r} "
        "instead of "
        f"{expected.array[first]!r}, bound {bound}"
    )


def nature_of_difference(result, expected, is_strict):
    """What kind of difference is first, so that a program is not shrunk to another fault."""
    if result.dtype != expected.dtype or result.shape != expected.array.shape:
        return "type or shape"
    if kind(expected.dtype) not in "fc":
        return "integer"
    wrong = ~right_floating(result, expected, is_strict) & np.isfinite(expected.bounds)
    got, wanted = widen(result)[wrong][:1], widen(expected.array)[wrong][:1]
    natures = (
        ("NaN was lost", np.isnan(wanted)),
        ("NaN appears", np.isnan(got)),
        ("infinity", np.isinf(got + wanted)),
    )
    return next((name for name, condition in natures if condition.any()), "number")
