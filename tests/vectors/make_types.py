#!/usr/bin/env python3
"""Writes types.hpp: the element types that NumPy's promotion and ufuncs give. Run with NumPy 2: make_types.py > types.hpp"""
import re
import sys
import warnings
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")
codes = "?bhilBHILefdFD"  # the order of element_type, without bfloat16
weak = (1, 1.0, 1j)  # Python scalars, which stand for C++ numbers
table = Path(__file__).parents[2] / "sinter" / "codegen" / "graph" / "operations.def"
rows = re.findall(r"^SINTER_OPERATION\((\w+), (\d)", table.read_text(), re.M)
other_names = {"bit_count": "bitwise_count", "bitwise_not": "invert"}


def code(function, *operands):
    try:
        return np.dtype(function(*operands).dtype).char
    except TypeError:
        return "-"


def one(char):
    return np.ones(1, char)


print(f"""#pragma once
// Written by make_types.py with NumPy {np.__version__}. A letter is NumPy's code of a result's type, '-' a TypeError; operands
// are in the order {codes}, the last one fastest.

namespace numpy_vectors {{

inline constexpr char codes[] = "{codes}";
inline constexpr char promoted[] =""")
for a in codes:
    print(f'    "{"".join(np.promote_types(a, b).char for b in codes)}"')
print("    ;")
print("/// Of an array with a Python scalar: a row each for True, 1, 1.0 and 1j.\ninline constexpr char promoted_weak[] =")
for scalar in (True, 1, 1.0, 1j):
    print(f'    "{"".join(np.result_type(one(a), scalar).char for a in codes)}"')
print("""    ;
struct operation_types {
  const char* name;
  const char* results;
};
inline constexpr operation_types operations[] = {""")
for name, arity in rows:
    function = getattr(np, other_names.get(name, name), None)
    if function is None or name in ("where", "clip"):
        continue
    if name == "round":  # a function, not a ufunc, with a kernel of its own for integers
        continue
    if arity == "1":
        results = [code(function, one(a)) for a in codes]
        text = "".join(results).replace("?-", '?" "-')  # no trigraph
        print(f'    {{"{name}", "{text}"}},')
    else:
        lines = ["".join(code(function, one(a), one(b)) for b in codes) for a in codes]
        print(f'    {{"{name}",')
        print("\n".join(f'     "{line}"'.replace("?-", '?" "-') for line in lines) + "},")
print("};\n")
print("""/// Of an array and one of the scalars 1, 1.0 and 1j: for each scalar a row with the array first, and one with it last.
inline constexpr operation_types operations_with_scalar[] = {""")
for name, arity in rows:
    function = getattr(np, other_names.get(name, name), None)
    if function is None or arity != "2":
        continue
    print(f'    {{"{name}",')
    for scalar in weak:
        for results in ([code(function, one(a), scalar) for a in codes], [code(function, scalar, one(a)) for a in codes]):
            print(f'     "{"".join(results)}"'.replace("?-", '?" "-'))
    print("    },")
print("};\n")
print("""/// Operands of the tables below: real types, then the scalars 1 and 1.0.
inline constexpr char choices[] = "?bhilBHILefd1.";
/// clip(x, low, high) of each three operands. Where all are scalars, the type is that of an array of the result.
inline constexpr char clipped[] =""")
clip_ufunc = np._core.umath.clip  # np.clip makes its first operand an array, which is strong
choices = [one(a) for a in codes[:12]] + [1, 1.0]
for x in choices:
    for low in choices:
        print(f'    "{"".join(code(lambda *all: np.asarray(clip_ufunc(*all)), x, low, high) for high in choices)}"')
print("    ;\n/// where(condition, x, y) of each two operands.\ninline constexpr char chosen[] =")
for x in choices:
    print(f'    "{"".join(code(np.where, one("?"), x, y) for y in choices)}"')
print("    ;\n\n}  // namespace numpy_vectors")
