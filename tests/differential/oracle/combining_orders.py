"""Orders in which a row's elements may be combined. A side is a list of arrays, one for each value, with
elements along the last axis."""

import numpy as np


def rows_of(array, axes):
    """An array with the kept axes first and one axis of all reduced elements, in row-major order."""
    shape = array.shape
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    length = int(np.prod([shape[axis] for axis in axes], dtype=np.int64))
    return np.transpose(array, kept + list(axes)).reshape([shape[axis] for axis in kept] + [length])


def concatenate(first, second):
    return [join(*both) for both in zip(first, second)]


def join(first, second):
    if hasattr(first, "join"):
        return first.join(second)
    return np.concatenate([first, second], -1)


def part(side, index):
    return [array[..., index] for array in side]


def length_of(side):
    return side[0].shape[-1]


class Sides:
    """`combine(left, right)` gives the combined side."""

    def __init__(self, combine, is_scan):
        self.combine, self.is_scan = combine, is_scan

    def onto_first(self, left, right):
        """Combines `right` with as many of the first elements of `left`; the others stay."""
        count = length_of(right)
        if count == length_of(left):
            return self.combine(left, right)
        combined = self.combine(part(left, slice(0, count)), right)
        return concatenate(combined, part(left, slice(count, None)))

    def reduce_chunks(self, side, chunk):
        """The last axis in chunks, and these in chunks, until one element is left."""
        while length_of(side) > 1:
            combined = part(side, slice(0, None, chunk))
            for step in range(1, min(chunk, length_of(side))):
                combined = self.onto_first(combined, part(side, slice(step, None, chunk)))
            side = combined
        return part(side, 0)

    def scan_chunks(self, side, chunk):
        """Each chunk from its first element; then what is before the chunk as the left side."""
        length = length_of(side)
        if length <= 1:
            return side
        running = part(side, slice(0, None, chunk))
        steps = [running]
        for step in range(1, min(chunk, length)):
            following = part(side, slice(step, None, chunk))
            running = self.combine(part(running, slice(0, length_of(following))), following)
            steps.append(running)
        count = length_of(steps[0])
        if count > 1:
            # every chunk but the last one is whole
            totals = part(steps[-1], slice(0, count - 1))
            before = self.scan_chunks(totals, chunk)
            steps = [self.after(before, step) for step in steps]
        return self.interleave(steps, length)

    def after(self, before, step):
        rest = part(step, slice(1, None))
        if length_of(rest) == 0:
            return step
        combined = self.combine(part(before, slice(0, length_of(rest))), rest)
        return concatenate(part(step, slice(0, 1)), combined)

    def interleave(self, steps, length):
        """Element `chunk * i + s` is element i of step s."""
        order = np.concatenate([np.arange(length_of(step)) * len(steps) + s for s, step in enumerate(steps)])
        together = steps[0]
        for step in steps[1:]:
            together = concatenate(together, step)
        return part(together, np.argsort(order, kind="stable"))

    def in_chunks(self, side, chunk):
        return self.scan_chunks(side, chunk) if self.is_scan else self.reduce_chunks(side, chunk)

    def backwards(self, side, chunk):
        """From the last element to the first. For what commutes."""
        return self.reduce_chunks(part(side, slice(None, None, -1)), chunk)

    def in_lanes(self, side, lanes):
        """Lane j has the elements j, j + lanes, ...; the lanes are combined backwards. For what commutes."""
        length = length_of(side)
        combined = part(side, slice(0, lanes))
        if length > lanes * 32:  # many elements: in lanes of which each is a row
            whole = length - length % lanes
            columns = [array[..., :whole].reshape(*array.shape[:-1], -1, lanes) for array in side]
            combined = self.reduce_chunks([turn(array) for array in columns], 16)
            if whole < length:
                combined = self.onto_first(combined, part(side, slice(whole, None)))
        else:
            for begin in range(lanes, length, lanes):
                combined = self.onto_first(combined, part(side, slice(begin, begin + lanes)))
        return self.reduce_chunks(part(combined, slice(None, None, -1)), 8)


def turn(array):
    return array.turned() if hasattr(array, "turned") else np.swapaxes(array, -1, -2)
