#!/usr/bin/env python3
"""Sinter from Python by ctypes: NumPy arrays are operands without a copy, and results become NumPy arrays without one.
Any other library that speaks DLPack serves as well: sinter_ctypes.py, beside this file, is what makes it so.
Usage: numpy_arrays.py PATH_OF_LIBSINTER"""
import sys

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped, without python: 1 ({missing})")
    sys.exit()

from sinter_ctypes import Sinter


def main():
    builder = Sinter(sys.argv[1]).builder()
    x, y = builder.input("float64", 2), builder.input("float64", 2)
    length = builder.finish(builder.apply("sqrt", builder.apply("add", builder.apply("square", x), builder.apply("square", y))))

    a = np.arange(12.0).reshape(3, 4)
    b = np.arange(24.0).reshape(4, 6).T[::2]  # any strides: nothing is copied
    expected = np.sqrt(a * a + b * b)
    assert np.allclose(np.from_dlpack(length(a, b)), expected)
    out = np.empty((3, 4))
    assert length(a, b, out=out) is out and np.allclose(out, expected)

    try:
        builder.apply("squareroot", x)
    except RuntimeError as error:
        print(error)
    print("the lengths are NumPy's")


main()
