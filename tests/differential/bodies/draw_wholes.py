"""Captures arrays of which bodies take elements, each with its extents."""

import dataclasses

from ..element_types import NAMES, kind
from ..oracle.value import Value
from ..program import Apply, Cast, Extent, Literal, Whole

MAX_WHOLES = 2


def extents_of(drawer, source):
    """The values that are the extents of an array; in a body they are captured with it."""
    if source not in drawer.extents_of:
        rank = drawer.values[source].array.ndim
        drawer.extents_of[source] = [drawer.add(Extent(axis, operands=(source,))) for axis in range(rank)]
    return drawer.extents_of[source]


def draw_wholes(drawer):
    """The numbers of some arrays and their extents, in the order in which a body has them."""
    if not drawer.sources or drawer.random.random() < 0.15:
        return []
    count = drawer.random.randrange(1, min(len(drawer.sources), MAX_WHOLES) + 1)
    sources = drawer.random.sample(drawer.sources, count)
    return [number for source in sources for number in (source, *extents_of(drawer, source))]


def add_wholes(scope, drawer, numbers):
    for number in numbers:
        value = drawer.values[number]
        if number not in drawer.sources:
            length = scope.add_argument("int64", 0, Value(value.array))
            scope.drawer.extents_of[scope.drawer.sources[-1]].append(length)
            continue
        scope.drawer.nodes.append(Whole(NAMES[value.dtype], value.array.ndim, False))
        scope.drawer.values.append(Value(value.array, value.bound, whole=True))
        whole = len(scope.drawer.nodes) - 1
        scope.drawer.sources.append(whole)
        scope.drawer.extents_of[whole] = []
        scope.drawer.hidden.add(whole)


@dataclasses.dataclass
class Guard:
    """A condition of `when` that says that an index is in range on one of its sides."""

    condition: int
    side: int
    source: int
    index: int

    def arguments(self, captured, wholes):
        """The array and the index as the side has them."""
        return len(captured) + wholes.index(self.source), [captured.index(self.index)]


def guard_of_choice(drawer, captured, wholes):
    """Captures an index, too. None where there is no integer, or no array of rank 1."""
    draw = drawer.random
    sources = [each for each in wholes if each in drawer.sources and drawer.values[each].array.ndim == 1]
    indices = [
        number
        for number in captured
        if kind(drawer.values[number].dtype) in "iu"
        and not drawer.values[number].weak
        and drawer.values[number].bound is None
    ]
    if not sources or not indices or draw.random() < 0.3:
        return None
    source = draw.choice(sources)
    index = drawer.add(Cast("int64", operands=(draw.choice(indices),)))
    length, zero = drawer.extents_of[source][0], drawer.add(Literal("int64", 0, True))
    below = drawer.add(Apply("less", operands=(index, length)))
    condition = drawer.apply("logical_and", drawer.apply("greater_equal", index, zero), below)
    side = draw.choice([0, 0, 1])
    if side == 1 and condition is not None:
        condition = drawer.apply("logical_not", condition)
    if condition is None:
        return None
    captured.append(index)
    return Guard(condition, side, source, index)
