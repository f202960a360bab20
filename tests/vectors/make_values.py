#!/usr/bin/env python3
"""Writes values.hpp: what NumPy's operations give for awkward operands. Run with NumPy 2: make_values.py > values.hpp"""
import re
import warnings
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")
table = Path(__file__).parents[2] / "codegen" / "operations.def"
rows = re.findall(r"^SINTER_OPERATION\((\w+), (\d), (\w+)", table.read_text(), re.M)
other_names = {"bit_count": "bitwise_count", "bitwise_not": "invert"}
operands = {
    "?": [0, 1],
    "b": [-128, -127, -7, -1, 0, 1, 2, 3, 8, 127],
    "B": [0, 1, 2, 7, 8, 128, 255],
    "l": [-(2**63), -(2**62) - 1, -7, -1, 0, 1, 3, 64, 2**63 - 1],
    "L": [0, 1, 5, 63, 2**63, 2**64 - 1],
    "d": [0.0, -0.0, 0.5, -2.5, 3.0, 1e308, 5e-324, float("inf"), float("-inf"), float("nan")],
}


def expected(name, function, code, a, b=None):
    """Bits of the result, or '-' where Sinter's answer is its own (design, section 2)."""
    if code not in "d?" and (name == "reciprocal" and a == 0 or name == "power" and b < 0):
        return "-"
    arguments = [np.array([v], code) for v in ((a,) if b is None else (a, b))]
    try:
        result = function(*arguments)
    except TypeError:
        return None
    return f"{int.from_bytes(result.tobytes(), 'little'):x}", result.dtype.char


print(f"""#pragma once
// Written by make_values.py with NumPy {np.__version__}. Bits of results in hexadecimal, '-' where Sinter means something else
// by design; of two operands the last runs fastest.

namespace numpy_vectors {{

/// Bits of the operands of each type.
struct operand_values {{
  char code;
  const char* values;
}};
inline constexpr operand_values operands[] = {{""")
for code, values in operands.items():
    bits = [f"{int.from_bytes(np.array([v], code).tobytes(), 'little'):x}" for v in values]
    print(f"    {{'{code}', \"{' '.join(bits)}\"}},")
print("""};
struct result_values {
  const char* name;
  char code;
  const char* results;
};
inline constexpr result_values results[] = {""")
for name, arity, rule in rows:
    function = getattr(np, other_names.get(name, name), None)
    if function is None or name in ("where", "clip"):
        continue
    for code, values in operands.items():
        if rule in ("floating", "quotient") and code != "d":
            continue
        tuples = [(a,) for a in values] if arity == "1" else [(a, b) for a in values for b in values]
        found = [expected(name, function, code, *t) for t in tuples]
        if None in found or (name == "round" and code == "?"):
            continue
        words = [f if f == "-" else f[0] for f in found]
        print(f"    {{\"{name}\", '{code}',")
        line = ""
        for word in words:
            if len(line) + len(word) > 96:
                print(f'     "{line}"')
                line = ""
            line += word + " "
        print(f'     "{line.rstrip()}"}},')
print("};\n\n}  // namespace numpy_vectors")
