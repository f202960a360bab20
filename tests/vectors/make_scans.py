#!/usr/bin/env python3
"""Writes scans.hpp: what NumPy's scans give. Run with NumPy 2: make_scans.py > scans.hpp"""
import warnings

import numpy as np

from elements import hexadecimal, operands, print_end, print_heading, print_operands

warnings.simplefilter("ignore")


def scan(name, x, axis):
    """Half types accumulate in float32."""
    if name in ("cummax", "cummin"):
        return (np.maximum if name == "cummax" else np.minimum).accumulate(x, axis=axis)
    function = getattr(np, name)
    return function(x.astype("f"), axis=axis).astype("e") if x.dtype.char == "e" else function(x, axis=axis)


arrays = list(operands(for_scans=True))
print_heading("make_scans.py")
print_operands("scan", arrays)
print("""struct scan_result {
  const char* name;
  unsigned operand;  ///< position in scan_operands
  unsigned axis;
  char code;
  const char* results;
};
inline constexpr scan_result scan_results[] = {""")
for name in ("cumsum", "cumprod", "cummax", "cummin"):
    for i, (code, x) in enumerate(arrays):
        for axis in range(3):
            result = scan(name, x, axis)
            print(f"    {{\"{name}\", {i}, {axis}, '{result.dtype.char}', \"{hexadecimal(result)}\"}},")
print_end()
