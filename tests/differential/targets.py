"""The arrays that results are written to: where in memory they lie, and what they hold after a call whose
results share memory. A call reads its inputs before it writes, and of results that share memory the last one
wins."""

import numpy as np

from .draw_layouts import can_be_written, draw_layout
from .program import Input, byte_offset, memory_of


def part_of_memory(random, memory, result):
    """Elements for a result somewhere in memory of any type, with a step or backwards; None where they do not
    fit."""
    if not (memory.flags.c_contiguous and memory.flags.writeable):
        return None
    size, step = result.size, random.choice([1, 1, 1, 2, -1, -2])
    elements = memory.reshape(-1).view(np.uint8)
    elements = elements[: elements.size - elements.size % result.itemsize].view(result.dtype)
    length = (size - 1) * abs(step) + 1
    if size == 0 or elements.size < length:
        return None
    start = random.randrange(elements.size - length + 1)
    return elements[start : start + length][:: abs(step)][:: 1 if step > 0 else -1].reshape(result.shape)


def target_over(random, array, result):
    """An array of the program, or a part of its memory, as a target; None where it does not fit."""
    same = array.shape == result.shape and array.dtype == result.dtype
    target = array if same and random.random() < 0.7 else part_of_memory(random, memory_of(array), result)
    return target if target is not None and can_be_written(target) else None


def draw_target(random, inputs, targets, result):
    """A target of its own, or one over an input or over an earlier target."""
    chance = random.random()
    arrays = list(targets if targets and chance < 0.3 else inputs if chance < 0.6 else [])
    random.shuffle(arrays)
    # Mostly of one type: other types overlap in parts of elements.
    arrays.sort(key=lambda array: array.dtype != result.dtype)
    for array in arrays:
        target = target_over(random, array, result)
        if target is not None:
            return target
    target = draw_layout(random, np.zeros(result.shape, result.dtype))
    return target if can_be_written(target) else np.zeros(result.shape, result.dtype)


def draw_targets(random, nodes, results):
    """An array for each result. Empty where a result is."""
    if any(result.size == 0 for result in results):
        return ()
    inputs, targets = [node.array for node in nodes if isinstance(node, Input)], []
    for result in results:
        targets.append(draw_target(random, inputs, targets, result))
    return tuple(targets)


def byte_positions(target):
    """The positions of an array's bytes in the memory it lies in, with an axis more than the array."""
    positions = np.full(target.shape, byte_offset(target), np.int64)
    for axis, (extent, stride) in enumerate(zip(target.shape, target.strides)):
        steps = np.arange(extent, dtype=np.int64) * stride
        positions += steps.reshape((-1,) + (1,) * (target.ndim - axis - 1))
    return positions[..., None] + np.arange(target.itemsize)


def bytes_of_target(target, memory):
    """The positions in its buffer that a target covers, as a mask of bytes."""
    covered = np.zeros(memory.nbytes, bool)
    if target.size:
        covered[byte_positions(target).ravel()] = True
    return covered


def share_memory(targets):
    return len({id(memory_of(target)) for target in targets}) < len(targets)


def elements_that_stay(targets):
    """For each target, which of its elements no later target writes, not even in part."""
    if not share_memory(targets):
        return [np.ones(target.shape, bool) for target in targets]
    last_writers = {}
    positions = [byte_positions(target) for target in targets]
    for number, target in enumerate(targets):
        memory = memory_of(target)
        last = last_writers.setdefault(id(memory), np.full(memory.nbytes, -1, np.int64))
        last[positions[number]] = number
    return [
        (last_writers[id(memory_of(target))][positions[number]] == number).all(axis=-1)
        for number, target in enumerate(targets)
    ]


def kinds_of_overlap(program):
    """What a session counts of a program's targets."""
    if not program.targets:
        return []
    inputs = [node.array for node in program.nodes if isinstance(node, Input)]
    over_inputs = any(
        memory_of(array) is memory_of(target)
        and (bytes_of_target(array, memory_of(array)) & bytes_of_target(target, memory_of(target))).any()
        for array in inputs
        for target in program.targets
    )
    over_results = any(not stays.all() for stays in elements_that_stay(program.targets))
    return (
        ["results into targets"]
        + ["targets over inputs"] * over_inputs
        + ["targets over results"] * over_results
    )
