#!/usr/bin/env python3
"""Writes reductions.hpp: what NumPy's reductions give. Run with NumPy 2: make_reductions.py > reductions.hpp"""
import warnings

import numpy as np

from elements import hexadecimal, operands, print_end, print_heading, print_operands

warnings.simplefilter("ignore")
mask = np.array([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 1]], bool)  # holds somewhere along all axes
all_cases = ((None, True), ((1,), True), ((1,), mask), ((0, 2), True))


def is_floating(x):
    return x.dtype.kind == "f"


def floating(x):
    return x if is_floating(x) else x.astype("d")


def in_double(function):
    """Of what NumPy computes in another order or precision, or not at all: in double, rounded once."""
    return lambda x, axis, where: function(x.astype("d"), axis, where).astype(floating(x).dtype)


def extreme(name, lowest):
    def function(x, axis, where):
        if where is True:
            return getattr(np, name)(x, axis=axis, keepdims=True)
        limits = np.iinfo(x.dtype) if x.dtype.kind in "iu" else None
        initial = ((limits.min if lowest else limits.max) if limits else
                   not lowest if x.dtype.kind == "b" else -np.inf if lowest else np.inf)
        return getattr(np, name)(x, axis=axis, keepdims=True, where=where, initial=initial)
    return function


def plain(name, **options):
    function = getattr(np, name)
    return lambda x, axis, where: function(x, axis=axis, keepdims=True, where=where, **options)


def position(name):
    def function(x, axis, where):
        if where is not True or axis is not None and len(axis) > 1:
            return None
        return getattr(np, name)(x, axis=None if axis is None else axis[0], keepdims=True)
    return function


def norm(order):
    def function(x, axis, where):
        x = np.where(where, x, np.inf if order < 0 else 0)
        return np.linalg.vector_norm(x, axis=axis, keepdims=True, ord=order)
    return in_double(function)


def count_nonzero(x, axis, where):
    return np.count_nonzero(np.where(where, x, 0), axis=axis, keepdims=True).astype("l")


def logsumexp(x, axis, where):
    x = np.where(where, x, -np.inf)
    largest = x.max(axis=axis, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0)
    return np.log(np.sum(np.exp(x - largest), axis=axis, keepdims=True)) + largest


# What a mask holds back is 0 and -inf, also in rows that are NaN.
def softmax(x, axis, where):
    x = np.where(where, x, -np.inf)
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.where(where, powers / powers.sum(axis=axis, keepdims=True), 0)


def log_softmax(x, axis, where):
    return np.where(where, x - logsumexp(x, axis, where), -np.inf)


functions = [
    ("sum", plain("sum")), ("prod", plain("prod")), ("max", extreme("max", True)), ("min", extreme("min", False)),
    ("nanmax", extreme("nanmax", True)), ("nanmin", extreme("nanmin", False)), ("all", plain("all")),
    ("any", plain("any")), ("argmax", position("argmax")), ("argmin", position("argmin")), ("nansum", plain("nansum")),
    ("nanprod", plain("nanprod")), ("count_nonzero", count_nonzero), ("nanargmax", position("nanargmax")),
    ("nanargmin", position("nanargmin")), ("mean", plain("mean")), ("var", plain("var")), ("stddev", plain("std")),
    ("nanmean", plain("nanmean")), ("nanvar", plain("nanvar")), ("nanstddev", plain("nanstd")),
    ("logsumexp", in_double(logsumexp)), ("softmax", in_double(softmax)), ("log_softmax", in_double(log_softmax)),
]
cases = [(name, "0", "0", function) for name, function in functions]
cases += [(name, "1", "0", plain(numpy_name, ddof=1))
          for name, numpy_name in (("var", "var"), ("stddev", "std"), ("nanvar", "nanvar"), ("nanstddev", "nanstd"))]
cases += [("norm", "0", str(order), norm(order)) for order in (0, 1, 2, 3, 0.5, -1)]
cases += [("norm", "0", text, norm(order)) for text, order in (("infinity", np.inf), ("-infinity", -np.inf))]

arrays = list(operands())
print_heading("make_reductions.py", "\n#include <limits>\n")
print("inline constexpr double infinity = std::numeric_limits<double>::infinity();")
print_operands("reduction", arrays)
print(f"""/// Of shape (3, 4).
inline constexpr char reduction_mask[] = "{hexadecimal(mask)}";
struct reduction_result {{
  const char* name;
  unsigned operand;  ///< position in reduction_operands
  unsigned axes;     ///< a bit each; they are kept with extent 1
  bool masked;
  double ddof, order;
  char code;
  const char* results;
}};
inline constexpr reduction_result reduction_results[] = {{""")
for name, ddof, order, function in cases:
    for i, (code, x) in enumerate(arrays):
        if name == "norm" and code in "?bBlL":
            continue
        for axes, where in all_cases:
            try:
                result = function(x, axes, where)
            except TypeError:
                continue
            if result is None:
                continue
            bits = 7 if axes is None else sum(1 << a for a in axes)
            masked = "false" if where is True else "true"
            print(f"    {{\"{name}\", {i}, {bits}, {masked}, {ddof}, {order}, '{result.dtype.char}', "
                  f"\"{hexadecimal(result)}\"}},")
print_end()
