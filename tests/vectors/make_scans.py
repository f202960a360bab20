#!/usr/bin/env python3
"""Writes scans.hpp: what NumPy's scans give. Run with NumPy 2: make_scans.py > scans.hpp"""
import warnings

import numpy as np

warnings.simplefilter("ignore")
shape = (2, 3, 4)


def hexadecimal(array):
    return " ".join(f"{int.from_bytes(v.tobytes(), 'little'):x}" for v in np.asarray(array).ravel())


def operands():
    """Elements of each type: floating ones also with -0, NaN and infinities, integers also such that wrap."""
    pattern = np.array([3, -2, 1, 0, 2, 3, -3, 1, 1, 0, 0, 2, -1, -1, 2, 3, 1, -3, 2, 0, 3, 1, -2, 1]).reshape(shape)
    yield "?", pattern > 0
    for code in "bil":
        yield code, pattern.astype(code)
    yield "l", pattern.astype("l") * (2**62 + 12345)
    for code in "BL":
        yield code, np.abs(pattern * 3).astype(code)
    for code in "efd":
        yield code, (pattern * 0.75 + 0.5).astype(code)
        special = (pattern * 0.75 + 0.5).astype(code)
        special[:, 0, :2] = special[0, :, 3] = -0.0
        special[0, 1, 2] = special[1, 0, 0] = np.nan
        special[0, 2, 1] = np.inf
        special[1, 1, 1] = -np.inf
        yield code, special


def scan(name, x, axis):
    """Half types accumulate in float32."""
    function = getattr(np, name)
    return function(x.astype("f"), axis=axis).astype("e") if x.dtype.char == "e" else function(x, axis=axis)


arrays = list(operands())
print(f"""#pragma once
// Written by make_scans.py with NumPy {np.__version__}. Bits of elements in hexadecimal.

namespace numpy_vectors {{

/// Elements of shape (2, 3, 4).
struct scan_operand {{
  char code;
  const char* values;
}};
inline constexpr scan_operand scan_operands[] = {{""")
for code, x in arrays:
    print(f"    {{'{code}', \"{hexadecimal(x)}\"}},")
print("""};
struct scan_result {
  const char* name;
  unsigned operand;  ///< position in scan_operands
  unsigned axis;
  char code;
  const char* results;
};
inline constexpr scan_result scan_results[] = {""")
for name in ("cumsum", "cumprod"):
    for i, (code, x) in enumerate(arrays):
        for axis in range(3):
            result = scan(name, x, axis)
            print(f"    {{\"{name}\", {i}, {axis}, '{result.dtype.char}', \"{hexadecimal(result)}\"}},")
print("};\n\n}  // namespace numpy_vectors")
