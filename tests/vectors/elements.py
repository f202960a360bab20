"""What make_reductions.py and make_scans.py share: the elements that both are given, and how they are written."""
import numpy as np

shape = (2, 3, 4)


def hexadecimal(array):
    return " ".join(f"{int.from_bytes(v.tobytes(), 'little'):x}" for v in np.asarray(array).ravel())


def operands(for_scans=False):
    """Elements of each type; floating ones also with NaN and infinities, not along a whole axis. For scans floating
    ones also with -0, at the beginning of rows too, and integers also such that wrap."""
    pattern = np.array([3, -2, 1, 0, 2, 3, -3, 1, 1, 0, 0, 2, -1, -1, 2, 3, 1, -3, 2, 0, 3, 1, -2, 1]).reshape(shape)
    yield "?", pattern > 0
    for code in "bil":
        yield code, pattern.astype(code)
    if for_scans:
        yield "l", pattern.astype("l") * (2**62 + 12345)
    for code in "BL":
        yield code, np.abs(pattern * 3).astype(code)
    for code in "efd":
        yield code, (pattern * 0.75 + 0.5).astype(code)
        special = (pattern * 0.75 + 0.5).astype(code)
        if for_scans:
            special[:, 0, :2] = special[0, :, 3] = -0.0
        else:
            special[1, 2, 3] = np.nan
        special[0, 1, 2] = special[1, 0, 0] = np.nan
        special[0, 2, 1] = np.inf
        special[1, 1, 1] = -np.inf
        yield code, special


def print_heading(program, includes=""):
    print(f"""#pragma once
// Written by {program} with NumPy {np.__version__}. Bits of elements in hexadecimal.
{includes}
namespace numpy_vectors {{
""")


def print_operands(kind, arrays):
    """The table of operands: `kind`_operands, of struct `kind`_operand."""
    print(f"""/// Elements of shape {shape}.
struct {kind}_operand {{
  char code;
  const char* values;
}};
inline constexpr {kind}_operand {kind}_operands[] = {{""")
    for code, x in arrays:
        print(f"    {{'{code}', \"{hexadecimal(x)}\"}},")
    print("};")


def print_end():
    print("};\n\n}  // namespace numpy_vectors")
