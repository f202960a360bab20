"""Prints parts of arrays, gathers, searches, scatters, sorts and products as functions of sinter/dsl/parts/, scatters/,
stencils/, order/ and products/."""

from ..element_types import NAMES, is_complex, kind
from ..oracle.promotion import common_type
from ..program import (
    Bincount,
    Compress,
    Concatenate,
    Diagonal,
    Extended,
    Gather,
    Histogram,
    Histogram2d,
    Interp,
    Merged,
    Nonzero,
    Scatter,
    Window,
)

BOUNDARIES = {"checked": [], "guarded": [], "wrap": ["boundary::wrap"], "clip": ["boundary::clip"]}


class Unspellable(Exception):
    """The front end cannot spell a part or a body of the program; the text says why."""


def search_text(random, node, operands):
    """A call of searchsorted or interp; a side that is the default one is left out half of the time."""
    if isinstance(node, Interp):
        if node.beyond in ("left", "right"):
            raise Unspellable("a result beyond one end of the points alone")
        return f"interp({', '.join(operands)})"
    side = [] if node.side == "left" and random.random() < 0.5 else [f"search_side::{node.side}"]
    return f"searchsorted({', '.join([*operands, *side])})"


SCATTERS = {"add": "scatter_add", "minimum": "scatter_min", "maximum": "scatter_max", "last": "scatter"}
SCATTERS["add_unordered"] = SCATTERS["add"]
SEGMENTS = {"sum_unordered": "sum", "minimum": "min", "maximum": "max"}


def check_updates(base, updates):
    """The front end converts updates to their own kind alone, unless they are numbers of C++."""
    order = "biufc"
    fits = kind(updates.dtype) not in "fc" or kind(base.dtype) in "fc"
    if not updates.weak and kind(base.dtype) == "b":
        fits = fits and kind(updates.dtype) == "b"
    if not fits or is_complex(updates.dtype) and order.index(kind(base.dtype)) < 4:
        raise Unspellable("updates of another kind than the elements")


def scatter_text(node, operands, values, is_recorded):
    """A call of what writes at positions that are values; the chosen elements without their number. Of arrays alone the
    latter are not followed by zeros."""
    if isinstance(node, Scatter):
        if node.rule != "reported":
            raise Unspellable("a scatter that counts out of range or drops updates")
        check_updates(values[0], values[2])
        order = ["unordered"] if node.combine == "add_unordered" else []
        return f"{SCATTERS[node.combine]}({', '.join([*operands, f'axis<{node.axis}>', *order])})"
    if isinstance(node, (Nonzero, Compress)):
        if isinstance(node, Compress) and kind(values[1].dtype) != "b":
            raise Unspellable("a mask that is no array of booleans")
        if not is_recorded:
            raise Unspellable("chosen elements outside of a function")
        return f"std::get<0>({node.word}({', '.join(operands)}))"
    if not isinstance(node, (Bincount, Histogram, Histogram2d)):
        order = ["unordered"] if node.result == "sum_unordered" else []
        name = SEGMENTS.get(node.result, node.result)
        return f"segment_{name}({', '.join([*operands, f'axis<{node.axis}>', *order])})"
    arrays, counts = operands[: node.arrays], operands[node.arrays :]
    before = {Bincount: 1, Histogram: 3, Histogram2d: 6}[type(node)]
    weights = [f"weights({weight})" for weight in arrays[before:]]
    if isinstance(node, Histogram):
        common = common_type(values[:3])
        if node.edges != (NAMES[common] if kind(common) == "f" else "float64"):
            raise Unspellable("edges of another type than elements and bounds")
    elements = 2 if isinstance(node, Histogram2d) else 1
    return f"{node.word}({', '.join([*arrays[:elements], *counts, *arrays[elements:before], *weights])})"


EDGE_ORDERS = {1: "edge_order::first", 2: "edge_order::second"}
CONVOLUTIONS = ["convolution::full", "convolution::same", "convolution::valid"]


def product_text(node, operands):
    """A call of a product of arrays."""
    if node.function == "einsum":
        return f'einsum<"{node.setting}">({", ".join(operands)})'
    end = [f"axis<{node.setting}>"] if node.function == "vecdot" else []
    return f"{node.function}({', '.join([*operands, *end])})"


def stencil_text(node, operands):
    """A call of what combines neighbours along an axis."""
    axis, end = f"axis<{node.axis}>", []
    if node.function == "diff":
        operands = [*operands, str(node.setting)]
    elif node.function == "gradient":
        end = [EDGE_ORDERS[node.setting]]
    elif node.function != "trapezoid":
        operands = [*operands, CONVOLUTIONS[node.setting]]
    return f"{node.function}({', '.join([*operands, axis, *end])})"


# Functions of the graph that are a result of a function of the front end.
RESULTS_OF_ORDER = {"top_elements": 0, "top_positions": 1, "sort_values": 1, "unique": 0}


def order_text(random, node, operands, is_recorded):
    """A call of what sorts along an axis."""
    axis = f"axis<{node.axis}>"
    if node.function == "permutation":
        return f"rng::permutation({', '.join(operands)})"
    if node.function == "shuffled":
        return f"rng::permutation({', '.join([*operands, axis])})"
    if node.function == "first_of_equal":
        raise Unspellable("the first of equal elements by itself")
    if node.function == "unique":
        if not is_recorded:
            raise Unspellable("chosen elements outside of a function")
        call = f"unique({operands[0]})"
    elif node.function in ("top_elements", "top_positions"):
        call = f"top_k<{node.setting}>({operands[0]}, {axis})"
    elif node.function == "sort" and random.random() < 0.2:
        call = f"partition({operands[0]}, {random.randrange(3)}, {axis})"
    else:
        name = "sort" if node.function == "sort_values" else node.function
        call = f"{name}({', '.join([*operands, axis])})"
    result = RESULTS_OF_ORDER.get(node.function)
    return call if result is None else f"std::get<{result}>({call})"


def element_text(random, node, operands, values, literals):
    """An element that a body takes, as a call of one of three functions."""
    array, *indices = operands
    if None not in literals[1:]:
        raise Unspellable("an element of a body at numbers alone")
    # at values of the function alone the front end gathers before the body, where nothing guards the indices
    if node.rule == "guarded" and not any("_" in index for index in indices):
        raise Unspellable("an element of a body at captured indices that may be out of range")
    boundary = BOUNDARIES[node.rule]
    if len(indices) == 1 and (boundary or random.random() < 0.3):
        return f"take({', '.join([array, indices[0], 'axis<0>', *boundary])})"
    are_values = all(literal is None and not value.weak for literal, value in zip(literals[1:], values[1:]))
    if are_values and not boundary and random.random() < 0.5:
        return f"{array}({', '.join(indices)})"
    return f"gather({', '.join([*operands, *boundary])})"


def extents_text(operand, rank):
    return [f"extent<{axis}>({operand})" for axis in range(rank)]


def reshape_text(operand, extents):
    return f"reshape({operand}, {', '.join(extents)})"


def part_text(node, operands, rank):
    """A call for one node; `rank` is that of its array."""
    axis, x = node.axis, operands[0]
    if isinstance(node, Gather):
        return f"take_along_axis({', '.join([*operands, f'axis<{axis}>', *BOUNDARIES[node.rule]])})"
    if isinstance(node, Concatenate):
        return f"concatenate<{axis}>({x}, {operands[1]})"
    if isinstance(node, Window):
        return f"sliding_window<{axis}>({x}, {operands[1]})"
    if isinstance(node, Diagonal):
        if rank != 2:
            raise Unspellable("a diagonal of more than two axes")
        return f"diag({x if node.axis == 0 else f'transpose({x})'}, {operands[1]})"
    if isinstance(node, Extended):
        if node.rule != "repeat":
            raise Unspellable("an axis that goes on from any position")
        return f"repeat_elements({x}, {operands[2]}, axis<{axis}>)"
    extents = extents_text(x, rank)
    if isinstance(node, Merged):
        extents[axis : axis + 2] = [f"{extents[axis]} * {extents[axis + 1]}"]
    else:
        rows = [] if node.whole else [f"floor_divide({extents[axis]}, {operands[1]})"]
        extents[axis : axis + 1] = [*rows, operands[1]]
    return reshape_text(x, extents)
