"""What combines neighbours along an axis: NumPy's diff, gradient, trapezoid, convolve and correlate, of longer numbers."""

import numpy as np

from ..element_types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    HALF_TYPES,
    LARGEST,
    ROUNDING_UNIT,
    SMALLEST,
    is_complex,
    kind,
    part_of,
    to_floating,
    widen,
)
from .accumulation import SUM_ROUNDINGS
from .elementwise import cast
from .error_bounds import FAST_ROUNDINGS
from .promotion import common_type
from .value import Refused, Value, unknown_where

MODES = ["full", "same", "valid"]
MAX_ORDER = 32
# Roundings of a weight and of its product: differences, their sums and products, a quotient; NumPy's, too.
ROUNDINGS = 24


def count_of_windows(first, second, mode):
    shorter, longer = min(first, second), max(first, second)
    return [first + second - 1, longer, longer - shorter + 1][mode]


def stencil_shape(node, shapes):
    """The shape of the result; raises Refused."""
    shape, axis = shapes[0], node.axis
    if axis >= len(shape):
        raise Refused("shape_error", "there is no such axis")
    extent = shape[axis]
    if node.function == "diff":
        if not 0 <= node.setting <= MAX_ORDER:
            raise Refused("shape_error", "no such differences")
        return (*shape[:axis], max(extent - node.setting, 0), *shape[axis + 1 :])
    other = shapes[1]
    if node.function == "gradient":
        if len(other) > 1 or extent <= node.setting or other not in ((), (extent,)):
            raise Refused("shape_error", "too few elements, or other coordinates than elements")
        return shape
    if node.function == "trapezoid":
        return trapezoid_shape(shape, other, axis)
    if len(other) != 1 or 0 in (extent, *other):
        raise Refused("shape_error", "a kernel of another rank, or no elements")
    return (*shape[:axis], count_of_windows(extent, other[0], node.setting), *shape[axis + 1 :])


def trapezoid_shape(shape, other, axis):
    if len(other) not in (0, 1, len(shape)):
        raise Refused("shape_error", "coordinates of another rank")
    shorter = [max(extent - (i == axis), 0) for i, extent in enumerate(shape)]
    if other:
        widths = [1] * len(shape) if len(other) == 1 and len(shape) != 1 else list(other)
        widths[axis] = max((other[0] if len(other) == 1 else other[axis]) - 1, 0)
        try:
            shorter = np.broadcast_shapes(shorter, widths)
        except ValueError:
            raise Refused("shape_error", "other coordinates than elements") from None
    return (*shorter[:axis], *shorter[axis + 1 :])


def longer(array):
    """The numbers in more digits than any type has, and the same with 0 for what is not finite."""
    array = widen(array)
    array = array.astype(np.clongdouble if is_complex(array.dtype) else np.longdouble)
    return array, np.where(np.isfinite(array), array, 0)


def finish(exact, dtype, bound, size, is_unknown):
    """The result in its type. `size` is the sum of the magnitudes of all terms, none of which may overflow."""
    part = part_of(dtype)
    is_unknown = is_unknown | ~(size < 0.24 * LARGEST[part])
    is_finite = np.isfinite(exact)
    if is_complex(dtype):
        is_unknown = is_unknown | ~is_finite
        result = exact.astype(dtype)
    else:
        exact = exact.astype(np.float64)
        result = to_floating(exact, dtype)
    magnitude = np.abs(np.where(is_finite, exact, 0)).astype(float)
    bound = bound + 2 * ROUNDING_UNIT[part] * magnitude + 2 * SMALLEST[part]
    bound = np.where(is_finite, bound, 0)
    return Value(np.asarray(result), np.where(is_unknown, np.inf, bound).astype(float))


def along(function, array, axis, shape):
    """A function of each row along an axis."""
    if 0 in shape:
        return np.zeros(shape, array.dtype)
    return np.apply_along_axis(function, axis, array)


# Differences


def evaluate_diff(node, value):
    order, axis = node.setting, node.axis
    if order == 0:
        return Value(value.array, value.bound)

    def sums(array):
        for _ in range(order):
            array = array.take(range(1, array.shape[axis]), axis) + array.take(range(array.shape[axis] - 1), axis)
        return array

    def sums_of_all(array):  # of a diff, whose axis may have no elements left
        shape = stencil_shape(node, [array.shape])
        return np.zeros(shape) if 0 in shape else sums(array)

    if kind(value.dtype) in "biu":
        result = np.diff(value.array, order, axis)
        return Value(result, None if value.bound is None else unknown_where(sums_of_all(value.bounds) > 0))
    array, finite = longer(value.array)
    part = part_of(value.dtype)
    size = sums_of_all(np.abs(finite)).astype(float)
    moved = sums_of_all(value.bounds)
    bound = moved + order * (2 * ROUNDING_UNIT[part] * size + 2**order * SMALLEST[part])
    return finish(np.diff(array, order, axis), value.dtype, bound, size, np.isinf(moved))


# Slopes and areas


class Spacing:
    """A spacing or coordinates; `is_known`: of coordinates only those that ascend have a bound."""

    def __init__(self, value, axis, rank):
        self.numbers, _ = longer(value.array)
        number = np.abs(self.numbers)
        self.is_known = bool(np.isfinite(number).all() and not is_complex(value.dtype))
        self.relative = 0.0
        if value.array.ndim == 0:
            self.is_known &= bool(1e-3 < number < 1e3)
            self.relative = float(value.bounds / number) if self.is_known else 0.0
            self.is_known &= self.relative < 0.1
        else:
            along_axis = axis if value.array.ndim == rank and rank > 1 else 0
            steps = np.diff(self.numbers, axis=along_axis)
            fits = (steps > 1e-3) & (steps < 1e3)
            self.is_known &= bool(not value.bounds.any() and (fits.all() if value.array.size else True))
        self.unit = ROUNDING_UNIT[value.dtype] if kind(value.dtype) == "f" and not value.weak else 0.0


def type_of_quotient(values):
    common = common_type(values)
    return common if kind(common) in "fc" else FLOAT64


def magnitudes_of_slopes(array, spacing, axis, ends):
    """The sums of the magnitudes of each slope's terms, of the magnitudes of elements."""
    array = np.moveaxis(array, axis, -1)
    size = np.zeros(array.shape)
    if spacing.ndim == 0:
        before = behind = np.full(array.shape[-1] - 1, abs(float(spacing)))
    else:
        before = behind = np.abs(np.diff(spacing)).astype(float)
    before, behind = before[:-1], behind[1:]
    size[..., 1:-1] = (
        behind / (before * (before + behind)) * array[..., :-2]
        + (before + behind) / (before * behind) * array[..., 1:-1]
        + before / (behind * (before + behind)) * array[..., 2:]
    )
    steps = np.full(array.shape[-1] - 1, abs(float(spacing))) if spacing.ndim == 0 else np.abs(np.diff(spacing))
    for place, pair in ((0, (0, 1)), (-1, (-1, -2))):
        near = steps[0] if place == 0 else steps[-1]
        size[..., place] = (array[..., pair[0]] + array[..., pair[1]]) / float(near)
        if ends == 2:
            third, far = (2, steps[1]) if place == 0 else (-3, steps[-2])
            inverse = 4 / float(min(near, far))
            size[..., place] = inverse * (size[..., place] * float(near) + array[..., third])
    return np.moveaxis(size, -1, axis)


def evaluate_gradient(node, x, step, mode):
    if is_complex(step.dtype):
        raise Refused("type_error", "a complex spacing")
    dtype = type_of_quotient([x])
    spacing = Spacing(step, node.axis, x.array.ndim)
    value = cast(x, dtype)
    array, finite = longer(value.array)
    exact = np.asarray(np.gradient(array, spacing.numbers, axis=node.axis, edge_order=node.setting))
    if not spacing.is_known:
        return Value(to_result(exact, dtype), np.full(exact.shape, np.inf))

    def sizes(numbers):
        return magnitudes_of_slopes(numbers, spacing.numbers, node.axis, node.setting)

    size = sizes(np.abs(finite).astype(float))
    moved = sizes(value.finite_bounds)
    is_unknown = sizes(unknown_where(np.isinf(value.bounds)) != 0) > 0
    part = part_of(dtype)
    unit = max(ROUNDING_UNIT[part], spacing.unit)
    roundings = FAST_ROUNDINGS if mode == "fast" else ROUNDINGS
    small = SMALLEST[part] * (1 + sizes(np.ones(array.shape)))
    bound = 1.5 * moved + (roundings * unit + 1.5 * spacing.relative) * size + roundings * small
    rise = 8 * size * (1 + np.max(np.abs(np.diff(spacing.numbers)), initial=0) if spacing.numbers.ndim else 1)
    rise = np.maximum(rise, 4 * np.abs(finite).max(initial=0)) if spacing.unit or part in HALF_TYPES else rise
    return finish(exact, dtype, bound, np.maximum(size, rise).astype(float), is_unknown)


def to_result(exact, dtype):
    return exact.astype(dtype) if is_complex(dtype) else np.asarray(to_floating(exact.astype(np.float64), dtype))


def evaluate_trapezoid(node, y, step, mode):
    dtype = type_of_quotient([y, step])
    axis = node.axis
    shape = stencil_shape(node, [y.array.shape, step.array.shape])
    spacing = Spacing(step, axis, y.array.ndim)
    array, finite = longer(cast(y, dtype).array)
    bounds = cast(y, dtype).bounds

    def areas(numbers, width):
        return np.asarray(np.trapezoid(numbers, width, axis=axis) if width.ndim else np.trapezoid(numbers, dx=width, axis=axis))

    exact = areas(array, spacing.numbers).reshape(shape)
    if not spacing.is_known:
        return Value(to_result(exact, dtype), np.full(shape, np.inf))
    width = np.abs(spacing.numbers) if spacing.numbers.ndim == 0 else spacing.numbers
    size = areas(np.abs(finite).astype(float), width.astype(float)).reshape(shape)
    is_unknown = areas(np.isinf(bounds).astype(float), width.astype(float)).reshape(shape) > 0
    moved = areas(np.where(np.isinf(bounds), 0, bounds), width.astype(float)).reshape(shape)
    part = part_of(dtype)
    accumulated = FLOAT32 if part in HALF_TYPES else part
    roundings = (8 * ROUNDING_UNIT[part] + SUM_ROUNDINGS * ROUNDING_UNIT[accumulated]) * (64 if mode == "fast" else 1)
    count = y.array.shape[axis]
    width_max = float(np.abs(spacing.numbers).max(initial=0))
    bound = 1.5 * moved + (roundings + 1.5 * spacing.relative) * size + 4 * count * SMALLEST[part] * (1 + width_max)
    greatest = float(np.abs(finite).max(initial=0)) * 2 * (1 + width_max)
    if spacing.numbers.ndim and step.dtype != dtype:  # coordinates are rounded first
        bound = bound + 4 * ROUNDING_UNIT[part] * width_max * 2 * areas(np.abs(finite).astype(float), np.float64(1)).reshape(shape)
    return finish(exact, dtype, bound, np.maximum(size, greatest), is_unknown)


# Convolutions


def evaluate_convolution(node, x, kernel, mode):
    dtype = common_type([x, kernel])
    function = np.convolve if node.function == "convolve" else np.correlate
    where, shape = MODES[node.setting], stencil_shape(node, [x.array.shape, kernel.array.shape])
    values = [cast(value, dtype) for value in (x, kernel)]
    arrays, bounds = [value.array for value in values], [value.finite_bounds for value in values]

    def combined(first, second):
        return along(lambda row: function(row, second, where), first, node.axis, shape)

    unknown = [np.isinf(value.bounds).astype(float) for value in values]
    ones = [np.ones(array.shape) for array in arrays]
    is_unknown = combined(unknown[0], ones[1]) + combined(ones[0], unknown[1]) > 0
    if kind(dtype) in "biu":
        result = combined(*arrays).astype(dtype)
        moved = combined(bounds[0], ones[1]) + combined(ones[0], bounds[1])
        is_unknown = is_unknown | (moved > 0)
        return Value(result, unknown_where(is_unknown) if is_unknown.any() else None)
    longest, finite = zip(*[longer(array) for array in arrays])
    sizes = [np.abs(array).astype(float) for array in finite]
    size = combined(*sizes)
    moved = combined(bounds[0], sizes[1]) + combined(sizes[0], bounds[1]) + combined(*bounds)
    part = part_of(dtype)
    accumulated = FLOAT32 if part in HALF_TYPES else part
    roundings = 4 * ROUNDING_UNIT[part] + SUM_ROUNDINGS * ROUNDING_UNIT[accumulated]
    bound = moved + roundings * (4 if mode == "fast" else 1) * size + 4 * kernel.array.size * SMALLEST[part]
    return finish(combined(*longest), dtype, bound, size, is_unknown)


def evaluate_stencil(node, operands, mode):
    if node.function == "diff":
        return evaluate_diff(node, operands[0])
    if node.function == "gradient":
        return evaluate_gradient(node, *operands, mode)
    if node.function == "trapezoid":
        return evaluate_trapezoid(node, *operands, mode)
    return evaluate_convolution(node, *operands, mode)
