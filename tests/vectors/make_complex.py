#!/usr/bin/env python3
"""Writes complex.hpp: what NumPy's functions give for complex numbers. Run with NumPy 2: make_complex.py > complex.hpp"""
import re
import warnings
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")
table = Path(__file__).parents[2] / "codegen" / "operations.def"
rows = re.findall(r"^SINTER_OPERATION\((\w+), (\d), (\w+)", table.read_text(), re.M)
# both sides of the branch cuts, tiny and large numbers, the neighbourhood of the unit circle and of 1 and -1
numbers = [complex(*z) for z in (
    (0, 0), (1, 0.5), (-1, 0.5), (-2, -0.25), (0.75, -3), (1e-10, 1e-12), (-1e-10, 3e-9), (3, 4), (-3, 4e-9),
    (-2, 0.0), (-2, -0.0), (2, 0.0), (2, -0.0), (0.0, 2), (-0.0, 2), (0.0, -2), (-0.5, 0.0), (0.5, -0.0),
    (0.6, 0.8), (-0.8, 0.6), (1, 1e-9), (-1, 1e-9), (20, 1), (-20, 2), (5, 30), (1e150, 1e150), (-1e200, 3e190),
    (1e-160, -2e-160), (0.9999999, 1e-8), (700, 3), (4, 0.0), (4, -0.0), (-4, 0.0), (0.0, 4), (-0.0, -4), (711, 1.2),
    (-711, 1.2), (1.2, 711), (1e308, 1e308), (-1.5e308, 1.7e308))]
singles = [complex(*z) for z in (
    (0, 0), (1, 0.5), (-2, -0.25), (1e-10, 1e-12), (-2, 0.0), (-2, -0.0), (2, -0.0), (0.0, 2), (-0.0, -2), (0.5, -0.0),
    (4, 0.0), (-4, -0.0), (0.0, 4), (20, 1), (-20, 2), (90, 1.2), (-90, 1.2), (1.2, -90), (1e20, 1e20), (3e38, 3e38),
    (-2e38, 1e30), (1e-25, -2e-25))]
inf, nan = float("inf"), float("nan")
special = [complex(a, b) for a in (inf, -inf, nan, 0.0, -0.0, 1.0, -2.5) for b in (inf, -inf, nan, 0.0, -0.0, 1.0)
           if not (abs(a) < 3 and abs(b) < 3)]
seconds = [complex(*z) for z in ((1, 0), (0.5, -2), (-3, 0.0), (2, 0), (0.0, 1), (-0.25, 0.125))]
names = [(name, int(arity)) for name, arity, rule in rows
         if hasattr(np, name) and not rule.startswith("real_") and name not in ("where",)
         and rule in ("promoted", "arithmetic", "whole", "floating", "quotient", "component", "angle", "comparison",
                      "predicate")]


def words(array):
    array = np.asarray(array)
    if array.dtype.kind == "b":
        array = array.astype("d")
    return [int.from_bytes(part.tobytes(), "little") for part in (np.float64(array.real), np.float64(array.imag))]


def joined(values):
    return " ".join(f"{word:x}" for value in values for word in words(value))


def print_results(name, code, results):
    print(f"    {{\"{name}\", '{code}',")
    line = ""
    for word in joined(results).split():
        if len(line) + len(word) > 96:
            print(f'     "{line}"')
            line = ""
        line += word + " "
    print(f'     "{line.rstrip()}"}},')


print(f"""#pragma once
// Written by make_complex.py with NumPy {np.__version__}. Bits of both parts as float64 in hexadecimal; of two operands the
// last runs fastest.

namespace numpy_vectors {{

inline constexpr const char* complex_numbers = "{joined(np.complex128(z) for z in numbers)}";
inline constexpr const char* complex_singles = "{joined(np.complex64(z) for z in singles)}";
inline constexpr const char* complex_special = "{joined(np.complex128(z) for z in special)}";
inline constexpr const char* complex_seconds = "{joined(np.complex128(z) for z in seconds)}";
/// code: D of complex_numbers, F of complex_singles, S of complex_special, the latter computed in complex128.
struct complex_results {{
  const char* name;
  char code;
  const char* results;
}};
inline constexpr complex_results of_complex[] = {{""")
for name, arity in names:
    function = getattr(np, name)
    for code, operands, dtype in (("D", numbers, np.complex128), ("F", singles, np.complex64),
                                  ("S", special, np.complex128)):
        try:
            if arity == 1:
                results = [function(dtype(z)) for z in operands]
            elif code == "S":
                continue  # C's and NumPy's products and quotients of what is infinite are not those of the definition
            else:
                results = [function(dtype(z), dtype(w)) for z in operands for w in seconds]
        except TypeError:
            continue
        print_results(name, code, results)
print("""};

/// Reductions of the numbers up to (3, 4), as (name, 'D', result).
inline constexpr complex_results of_several[] = {""")
x = np.array(numbers[:8])
mask = np.array([1, 1, 0, 1, 1, 1, 0, 1], bool)
for name, result in (("sum", x.sum()), ("prod", x[1:].prod()), ("mean", x.mean()), ("var", x.var()),
                     ("var ddof", x.var(ddof=1)), ("stddev", x.std()), ("norm", np.linalg.norm(x)),
                     ("norm 1", np.abs(x).sum()), ("norm inf", np.abs(x).max()), ("sum where", x.sum(where=mask)),
                     ("mean where", x.mean(where=mask)), ("var where", x.var(where=mask)),
                     ("count_nonzero", np.float64(np.count_nonzero(x))), ("nansum", np.nansum(np.append(x, np.nan)))):
    print(f"    {{\"{name}\", 'D', \"{joined([result])}\"}},")
print("};\n\n}  // namespace numpy_vectors")
