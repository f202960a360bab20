"""Draws where in memory an array's elements lie."""

import numpy as np

from .program import MAX_ELEMENTS

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
    # of many axes, those that do not merge
    layout = random.choice(LAYOUTS if array.ndim <= 8 else ["permuted", "permuted strided"])
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
    if count > 4 * MAX_ELEMENTS:
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
