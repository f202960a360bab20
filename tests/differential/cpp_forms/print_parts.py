"""Prints parts of arrays as functions of sinter/dsl/parts.hpp."""

from ..program import Concatenate, Diagonal, Extended, Merged, Window
from .print_bodies import Unspellable


def extents_text(operand, rank):
    return [f"extent<{axis}>({operand})" for axis in range(rank)]


def reshape_text(operand, extents):
    return f"reshape({operand}, {', '.join(extents)})"


def part_text(node, operands, rank):
    """A call for one node; `rank` is that of its array."""
    axis, x = node.axis, operands[0]
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
