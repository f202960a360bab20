"""Compares the results of docs/from_numpy.md's right sides, which a program prints, with NumPy's left sides."""

import re
import subprocess
import sys

try:
    import numpy as np
    from numpy.lib.stride_tricks import sliding_window_view
except ImportError:
    print("skipped, without NumPy")
    sys.exit(0)


def operands():
    return {
        "np": np,
        "sliding_window_view": sliding_window_view,
        "x": np.linspace(-1, 1, 6, dtype=np.float32),
        "y": np.linspace(0, 3, 6, dtype=np.float32),
        "m": np.arange(24, dtype=np.float32).reshape(4, 6),
        "k": np.arange(6, dtype=np.int32),
    }


def differences(page, lines):
    """A line of text for each row of NumPy's tables whose sides differ."""
    numpy_part = page.split("\n## From CuPy")[0]
    rows = re.findall(r"\n\| `([^`]*)` \| `([^`]*)` \|", page)
    numpy_rows = re.findall(r"\n\| `([^`]*)` \| `([^`]*)` \|", numpy_part)
    if len(rows) != len(lines):
        yield f"the page has {len(rows)} rows, and the program printed {len(lines)}"
        return
    with np.errstate(all="ignore"):
        for (left, right), line in zip(numpy_rows, lines):
            wanted = np.asarray(eval(left, operands()))
            head, elements = line.split(" :")
            _, dtype, *extents = head.split()
            shape = tuple(map(int, extents))
            values = np.array(elements.split(), dtype=np.float64).reshape(shape)
            if shape != wanted.shape:
                yield f"{left} has shape {wanted.shape}, {right} {shape}"
            elif dtype != wanted.dtype.name and not isinstance(eval(left, operands()), int):
                yield f"{left} is {wanted.dtype.name}, {right} {dtype}"
            elif not np.allclose(values, wanted.astype(np.float64), rtol=1e-5, atol=1e-6, equal_nan=True):
                yield f"{left} is\n{wanted}\n{right}\n{values}"


def main(page, program):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    found = list(differences(text, output.splitlines()))
    print("\n".join(found))
    return len(found) != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
