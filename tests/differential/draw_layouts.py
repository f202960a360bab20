"""Draws where in memory an array's elements lie, and the targets that results are written to."""

import numpy as np

from .program import MOST_ELEMENTS, Input, byte_offset, memory_of

LAYOUTS = [
    "contiguous",
    "contiguous",
    "permuted",
    "strided",
    "strided",
    "broadcast",
    "offset",
    "permuted strided",
]
STEPS = [1, 1, 2, 3, -1, -2]


def draw_broadcast(random, array):
    """The array that repeats the first element of some axes: its elements change."""
    repeated = [random.random() < 0.5 for _ in range(array.ndim)]
    return np.broadcast_to(
        array[tuple(slice(0, 1) if repeat else slice(None) for repeat in repeated)].copy(), array.shape
    )


def draw_layout(random, array):
    """The same elements somewhere in a larger buffer."""
    if array.ndim == 0:
        if random.random() < 0.7:
            return array.copy()
        memory = np.zeros(4, array.dtype)
        memory[2] = array
        return memory[2:3].reshape(())
    layout = random.choice(LAYOUTS)
    if layout == "contiguous" or array.size == 0 and layout == "broadcast":
        return array.copy()
    if layout == "broadcast":
        return draw_broadcast(random, array)
    axes = list(range(array.ndim))
    if "permuted" in layout:
        random.shuffle(axes)
    steps = [random.choice(STEPS) if "strided" in layout else 1 for _ in axes]
    extents = [array.shape[axis] * abs(step) for axis, step in zip(axes, steps)]
    lead = 0 if layout == "permuted" else random.choice([0, 1, 3])
    count = int(np.prod(extents, dtype=np.int64))
    if count > 4 * MOST_ELEMENTS:
        return array.copy()
    memory = np.zeros(count + lead + 4, array.dtype)
    window = memory[lead : lead + count].reshape(extents)[tuple(slice(None, None, step) for step in steps)]
    result = np.transpose(window, np.argsort(axes))
    result[...] = array
    return result


def repeats_elements(array):
    return any(stride == 0 and extent > 1 for stride, extent in zip(array.strides, array.shape))


def can_be_written(array):
    return array.flags.writeable and not repeats_elements(array)


def target_over(random, operand, result):
    """An operand, or a part of its memory, as a target; None where it does not fit."""
    if operand.shape == result.shape and operand.flags.writeable and random.random() < 0.7:
        return operand
    memory = memory_of(operand)
    fits = (
        memory.ndim == 1
        and memory.dtype == result.dtype
        and memory.size >= result.size
        and memory.flags.writeable
    )
    if not fits:
        return None
    start = random.randrange(memory.size - result.size + 1)
    return memory[start : start + result.size].reshape(result.shape)


def draw_targets(random, nodes, results):
    """An array for each result; one of them may lie over an operand. Empty where a result is."""
    if any(result.size == 0 for result in results):
        return ()
    targets, overlaps = [], False
    for result in results:
        target = None
        if not overlaps and random.random() < 0.35:
            operands = [
                node.array for node in nodes if isinstance(node, Input) and node.array.dtype == result.dtype
            ]
            random.shuffle(operands)
            found = [target_over(random, operand, result) for operand in operands]
            target = next((array for array in found if array is not None and can_be_written(array)), None)
            overlaps = target is not None
        if target is None:
            target = draw_layout(random, np.zeros(result.shape, result.dtype))
            target = target if can_be_written(target) else np.zeros(result.shape, result.dtype)
        targets.append(target)
    return tuple(targets)


def bytes_of_target(target, memory):
    """The positions in its buffer that a target covers, as a mask of bytes."""
    covered = np.zeros(memory.nbytes, bool)
    if target.size:
        positions = np.array([byte_offset(target)], dtype=np.int64)
        for extent, stride in zip(target.shape, target.strides):
            positions = (positions[:, None] + np.arange(extent, dtype=np.int64) * stride).ravel()
        covered[(positions[:, None] + np.arange(target.itemsize)).ravel()] = True
    return covered
