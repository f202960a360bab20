"""Draws elements that bodies take of arrays at indices."""

from ..element_types import kind
from ..program import Element

RULES = ["checked", "checked", "wrap", "clip", "guarded"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
# Types that hold positions of every axis that is drawn, and those from -n.
POSITIONS = {False: ["int64", "int16", "int32", "uint16", "uint32", "uint64"], True: ["int64", "int16", "int32"]}


def integer_value(steps):
    """An integer of the body, also the iteration's number; now and then one that is made of another type."""
    found = [
        number
        for number in steps.others()
        if kind(steps.value(number).dtype) in "iu" and (not steps.value(number).weak or steps.value(number).wraps)
    ]
    exact = [number for number in steps.others() if steps.value(number).bound is None]
    if exact and (not found or steps.random.random() < 0.15):
        return steps.cast(steps.random.choice(exact), "int64")
    return steps.random.choice(found) if found else None


def any_index(steps):
    """An integer of any type, or a number."""
    draw = steps.random
    if draw.random() < 0.1:
        return steps.number(draw.choice([-100, -1, 0, 1, 2, 5, 1000]))
    index = integer_value(steps)
    return steps.cast(index, draw.choice(INTEGERS)) if draw.random() < 0.6 else index


def index_within(steps, length):
    """Modulo the axis, and half of the time from its end: from -n to -1."""
    draw = steps.random
    index = steps.apply("remainder", steps.cast(integer_value(steps), "int64"), length)
    from_end = draw.random() < 0.4
    if from_end:
        index = steps.apply("subtract", index, length)
    return steps.cast(index, draw.choice(POSITIONS[from_end])) if draw.random() < 0.4 else index


def is_inside(steps, indices, lengths):
    """Whether indices, which are int64s, are in range."""
    condition = None
    for index, length in zip(indices, lengths):
        low = steps.number(0)
        if steps.random.random() < 0.3:
            low = steps.apply("negative", length)
        inside = steps.apply(
            "logical_and", steps.apply("greater_equal", index, low), steps.apply("less", index, length)
        )
        condition = inside if condition is None else steps.apply("logical_and", condition, inside)
    return condition


def add_element(steps, source, indices, rule):
    if None in indices:
        return None
    return steps.drawer.add(Element(rule, operands=(source, *indices)))


def guarded_element(steps, source, lengths):
    """An element where its indices are in range, and another value elsewhere."""
    indices = [steps.cast(integer_value(steps), "int64") for _ in lengths]
    inside = is_inside(steps, indices, lengths)
    element = add_element(steps, source, indices, "guarded")
    if inside is None or element is None:
        return None
    steps.drawer.hidden.add(element)
    if steps.random.random() < 0.3:
        twice = steps.apply("logical_xor" if kind(steps.value(element).dtype) == "b" else "add", element, element)
        if twice is not None:
            steps.drawer.hidden.add(twice)
            element = twice
    other = steps.partner(set("biufc" if kind(steps.value(element).dtype) == "c" else "biuf"))
    if steps.random.random() < 0.5:
        return steps.apply("where", inside, element, other)
    return steps.apply("where", steps.apply("logical_not", inside), other, element)


def draw_element(steps):
    """The number of an element of an array that the body has, or None."""
    draw = steps.random
    if steps.scope.guarded and draw.random() < 0.7:
        source, indices = draw.choice(steps.scope.guarded)
        return add_element(steps, source, indices, "guarded")
    source, rule = draw.choice(steps.drawer.sources), draw.choice(RULES)
    lengths = steps.drawer.extents_of[source]
    if rule == "guarded":
        return guarded_element(steps, source, lengths)
    if rule == "checked":
        return add_element(steps, source, [index_within(steps, length) for length in lengths], rule)
    return add_element(steps, source, [any_index(steps) for _ in lengths], rule)


def draw_guarded_condition(steps, within):
    """`i < limit && 0 <= j && j < n`, or `… && x[j] < number`, and what next states may take: x[j]."""
    draw = steps.random
    source = draw.choice(steps.drawer.sources)
    lengths = steps.drawer.extents_of[source]
    indices = [steps.cast(integer_value(steps), "int64") for _ in lengths]
    inside = is_inside(steps, indices, lengths)
    if inside is None:
        return None, []
    if draw.random() < 0.5:
        return steps.apply("logical_and", within, inside), [(source, indices)]
    first = len(steps.drawer.nodes)
    element = add_element(steps, source, indices, "guarded")
    limit = steps.number(draw.choice([0, 1, 3, 5, 100]))
    comparison = draw.choice(["less", "not_equal", "greater"])
    holds = None if element is None else steps.apply(comparison, steps.real(element), limit)
    if holds is None:
        steps.drawer.hidden.update(range(first, len(steps.drawer.nodes)))
        return None, []
    if draw.random() < 0.5:
        condition = steps.apply("logical_and", within, steps.apply("logical_and", inside, holds))
    else:
        condition = steps.apply("logical_and", steps.apply("logical_and", within, inside), holds)
    steps.drawer.hidden.update(range(first, len(steps.drawer.nodes)))
    return condition, [(source, indices)]
