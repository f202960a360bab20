"""Random numbers: Philox4x32-10 and what distributions make of its words (sinter/rng.hpp says which word each element
takes)."""

import numpy as np

from ..element_types import DTYPES, FLOAT32, FLOAT64, HALF_TYPES, ROUNDING_UNIT, SMALLEST, kind
from .elementwise import apply, cast
from .error_bounds import FAST_ROUNDINGS
from .value import Refused, Value

# The stated error of normals, and what NumPy's own logarithms and sines may add to it.
NORMAL_ULPS, MARGIN = 5, 1.25
# Types of a distribution's elements.
FLOATING = ("float16", "bfloat16", "float32", "float64")
TYPES = {
    "bits": ("uint32", "uint64"),
    "uniform": FLOATING,
    "normal": FLOATING,
    "exponential": FLOATING,
    "randint": ("int32", "int64"),
    "bernoulli": ("bool",),
}
SIGNIFICANT_BITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
LOW, WORD_BITS = np.uint64(0xFFFFFFFF), np.uint64(32)


def philox4x32(counter, key, rounds=10):
    """Salmon, Moraes, Dror and Shaw: "Parallel random numbers: as easy as 1, 2, 3", section 3.3. Words are uint64 below
    2^32; the counter's may be arrays."""
    counter, key = list(counter), list(key)
    for number in range(rounds):
        if number:
            key = [(key[0] + np.uint64(0x9E3779B9)) & LOW, (key[1] + np.uint64(0xBB67AE85)) & LOW]
        even, odd = counter[0] * np.uint64(0xD2511F53), counter[2] * np.uint64(0xCD9E8D57)
        counter = [
            (odd >> WORD_BITS) ^ counter[1] ^ key[0],
            odd & LOW,
            (even >> WORD_BITS) ^ counter[3] ^ key[1],
            even & LOW,
        ]
    return counter


def halves(number):
    return number & LOW, number >> WORD_BITS


class Stream:
    """The words of a seed and a sequence for elements that are counted from 0."""

    def __init__(self, seed, sequence):
        self.seed, self.sequence = (np.uint64(number % (1 << 64)) for number in (seed, sequence))

    def words(self, positions):
        """Words of 32 bits, as uint64."""
        blocks = positions >> np.uint64(2)
        block = philox4x32((*halves(blocks), *halves(self.sequence)), halves(self.seed))
        block = np.stack([np.broadcast_to(word, positions.shape) for word in block])
        return np.take_along_axis(block, (positions & np.uint64(3)).astype(np.int64)[None], 0)[0]

    def draws(self, positions, is_long):
        """Draws of 64 bits, or of 32."""
        if not is_long:
            return self.words(positions)
        first = positions << np.uint64(1)
        return self.words(first) | self.words(first | np.uint64(1)) << WORD_BITS


def uniform(stream, positions, name):
    bits = SIGNIFICANT_BITS[name]
    width = 64 if name == "float64" else 32
    drawn = stream.draws(positions, width == 64) >> np.uint64(width - bits)
    return np.ldexp(drawn.astype(np.float64), -bits).astype(DTYPES[name])


def along_circle(angle, is_odd, width):
    """The cosine of `angle` parts of a turn, or the sine, of the nearest axis and what is left from it."""
    quarter = width - 2
    half = np.uint64(1 << (quarter - 1))
    wrapped = angle + half if width == 64 else (angle + half) & LOW
    axis = (wrapped >> np.uint64(quarter)).astype(np.int64)
    left = (wrapped & np.uint64((1 << quarter) - 1)).astype(np.int64) - np.int64(half)
    radians = np.ldexp(left.astype(np.longdouble), -width) * (2 * np.arccos(np.longdouble(-1)))
    sine, cosine = np.sin(radians), np.cos(radians)
    return np.where(
        is_odd,
        np.choose(axis, [sine, cosine, -sine, -cosine]),
        np.choose(axis, [cosine, -sine, -cosine, sine]),
    )


def normal(stream, positions, mode, is_double):
    """Box and Muller's numbers, in float32 or float64, and their bound."""
    dtype, width = (FLOAT64, 64) if is_double else (FLOAT32, 32)
    pair, is_odd = positions & ~np.uint64(1), (positions & np.uint64(1)) == 1
    radius = stream.draws(pair, is_double) | np.uint64(1)
    angle = stream.draws(pair | np.uint64(1), is_double)
    unit = np.ldexp(radius.astype(dtype).astype(np.longdouble), -width)
    square = -2 * np.log(unit)
    exact = np.sqrt(square) * along_circle(angle, is_odd, width)
    result = exact.astype(dtype)
    bound = NORMAL_ULPS * MARGIN * np.abs(np.spacing(result).astype(np.float64))
    if mode == "fast":
        # fast logarithms near 1 have an absolute error, and roots of it are large
        error = 4 * FAST_ROUNDINGS * ROUNDING_UNIT[dtype] * (1 + square)
        bound = bound + (np.sqrt(square + error) - np.sqrt(np.maximum(square - error, 0))).astype(np.float64)
    return Value(result, bound + 2 * SMALLEST[dtype])


def exponential(stream, positions, mode, is_double):
    computed = "float64" if is_double else "float32"
    left = np.asarray(DTYPES[computed].type(1) - uniform(stream, positions, computed))
    logarithm = apply("log", [Value(left)], mode)
    bound = logarithm.bounds
    if mode == "fast":
        bound = bound + 4 * FAST_ROUNDINGS * ROUNDING_UNIT[DTYPES[computed]]
    return Value(np.abs(logarithm.array), bound)


def upper_half_of_product(draws, extent):
    """The upper 64 bits of a product of 128."""
    draws_low, draws_high = halves(draws)
    low, high = np.uint64(extent & 0xFFFFFFFF), np.uint64(extent >> 32)
    middle = draws_high * low + (draws_low * low >> WORD_BITS)
    other = draws_low * high + (middle & LOW)
    return draws_high * high + (middle >> WORD_BITS) + (other >> WORD_BITS)


def randint(stream, positions, low, high, is_long):
    extent = (high - low) % (1 << (64 if is_long else 32))
    draws = stream.draws(positions, is_long)
    above = upper_half_of_product(draws, extent) if is_long else draws * np.uint64(extent) >> WORD_BITS
    result = np.uint64(low % (1 << 64)) + above
    return result.view(np.int64) if is_long else (result & LOW).astype(np.uint32).view(np.int32)


def integer_of(value, name):
    if kind(value.dtype) not in "iu":
        raise Refused("type_error", f"{name} is no integer")
    if value.array.ndim:
        raise Refused("shape_error", f"{name} has axes")
    return int(value.array)


def draw_exactly(node, stream, positions, numbers, mode):
    """What is drawn, but of bernoulli."""
    is_double = node.type in ("float64", "int64", "uint64")
    if node.distribution == "bits":
        return Value(stream.draws(positions, is_double).astype(DTYPES[node.type]))
    if node.distribution == "randint":
        return Value(randint(stream, positions, *numbers, is_double))
    if node.distribution == "uniform":
        return Value(uniform(stream, positions, node.type))
    made = (normal if node.distribution == "normal" else exponential)(stream, positions, mode, is_double)
    return cast(made, DTYPES[node.type]) if DTYPES[node.type] in HALF_TYPES else made


def evaluate_random(node, operands, mode):
    if node.type not in TYPES[node.distribution]:
        raise Refused("type_error", f"no {node.distribution} numbers of type {node.type}")
    like, *shaping, seed, sequence = operands
    stream = Stream(integer_of(seed, "the seed"), integer_of(sequence, "the sequence"))
    shape = like.array.shape
    positions = np.arange(like.array.size, dtype=np.uint64).reshape(shape)
    integers = [seed, sequence]
    if node.distribution == "bernoulli":
        chance = cast(shaping[0], FLOAT32)
        drawn = apply("less", [Value(uniform(stream, positions, "float32")), chance], mode)
    else:
        numbers = [integer_of(value, "a bound") for value in shaping]
        integers += shaping
        drawn = draw_exactly(node, stream, positions, numbers, mode)
    if any((value.bounds > 0).any() for value in integers):
        return Value(drawn.array, np.full(drawn.array.shape, np.inf))
    return drawn
