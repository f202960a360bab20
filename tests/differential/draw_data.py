"""Draws the elements of arrays: ordinary numbers, numbers of every size, and the special values of each
type."""

import numpy as np

from .element_types import BOOL, LARGEST, SMALLEST, is_complex, kind, part_of, to_floating

COMPLEX_SPECIAL = [0, 1, 1j, -1, -1j, 2 + 2j]
# Powers of ten that a type's numbers are spread over.
DECADES = {2: 4, 4: 37, 8: 300}
FLOATING_STYLES = [
    (0.35, lambda generator, count, decades: generator.normal(0, 2, count)),
    (0.20, lambda generator, count, decades: np.round(generator.normal(0, 5, count))),
    (0.15, lambda generator, count, decades: generator.uniform(-1, 1, count)),
    (0.10, lambda generator, count, decades: generator.uniform(0.1, 3, count)),
    (
        0.10,
        lambda generator, count, decades: generator.normal(0, 1, count)
        * 10.0 ** generator.uniform(-6, 6, count),
    ),
    (
        0.10,
        lambda generator, count, decades: generator.normal(0, 1, count)
        * 10.0 ** generator.uniform(-decades, decades, count),
    ),
]


def floating_special(dtype):
    largest, smallest = LARGEST[dtype], 2 * SMALLEST[dtype]
    values = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        largest,
        -largest,
        smallest,
        -smallest,
        1,
        -1,
        0.5,
        2**31,
        -(2.0**31),
        2.0**63,
        255.5,
        1.5,
        2.5,
        -0.5,
    ]
    with np.errstate(all="ignore"):
        return to_floating(np.array(values), dtype)


# Just above the middle of two neighbours of bfloat16, of float16 and of float32, where rounding twice shows.
ABOVE_TIES = [2**25 + 2**17 + 1, 2**13 + 2**2 + 1, 2**62 + 2**54 + 1, 2**62 + 2**38 + 1]


def integer_special(dtype):
    limits = np.iinfo(dtype)
    values = [limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1, limits.max // 2]
    return np.array(values + [value for value in ABOVE_TIES if value <= limits.max], dtype)


def mix(generator, data, special, share):
    """Replaces a share of the elements by special ones."""
    chosen = special[generator.integers(0, len(special), data.size)]
    return np.where(generator.random(data.size) < share, chosen, data).astype(data.dtype)


def plant(random, data, special):
    """Replaces one element by a special one: the first, the middle, the last or any other."""
    position = random.choice([0, data.size // 2, data.size - 1, random.randrange(data.size)])
    data[position] = special[random.randrange(len(special))]
    return data


def draw_integers(random, generator, dtype, count):
    limits, style = np.iinfo(dtype), random.random()
    if style < 0.45:
        data = generator.integers(max(limits.min, -4), min(limits.max, 11), count, dtype=np.int64).astype(
            dtype
        )
        return plant(random, data, integer_special(dtype)) if count and random.random() < 0.2 else data
    data = generator.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
    return data if style < 0.75 else mix(generator, data, integer_special(dtype), 0.5)


def draw_complex(random, generator, dtype, count):
    data = np.empty(count, dtype)
    data.real, data.imag = (draw_floating_style(generator, 0, part_of(dtype), count) for _ in range(2))
    if random.random() < 0.3:
        data = mix(generator, data, np.array(COMPLEX_SPECIAL, dtype), 0.1)
    if count and random.random() < 0.1:
        data = plant(
            random, data, np.array([complex(np.nan, 0), complex(np.inf, 0), complex(0, -np.inf), 0], dtype)
        )
    return data


def draw_floating_style(generator, style, dtype, count):
    return FLOATING_STYLES[style][1](generator, count, DECADES[dtype.itemsize])


def draw_floating(random, generator, dtype, count):
    style = random.choices(range(len(FLOATING_STYLES)), [share for share, _ in FLOATING_STYLES])[0]
    with np.errstate(all="ignore"):
        data = to_floating(draw_floating_style(generator, style, dtype, count), dtype)
    chance = random.random()
    if chance < 0.25:
        data = mix(generator, data, floating_special(dtype), random.choice([0.02, 0.3, 1.0]))
    elif chance < 0.7 and count:
        special = floating_special(dtype)
        data = plant(random, data, random.choice([special, special[:5], special[4:5]]))
    elif chance < 0.75:
        data = mix(generator, np.zeros(count, dtype), floating_special(dtype)[:2], 1.0)
    return data


def draw_data(random, dtype, shape):
    """An array of a shape, from `random` alone."""
    count = int(np.prod(shape, dtype=np.int64))
    generator = np.random.default_rng(random.getrandbits(64))
    if dtype == BOOL:
        data = generator.random(count) < random.choice([0.05, 0.5, 0.95, 0, 1])
    elif is_complex(dtype):
        data = draw_complex(random, generator, dtype, count)
    elif kind(dtype) == "f":
        data = draw_floating(random, generator, dtype, count)
    else:
        data = draw_integers(random, generator, dtype, count)
    return data.astype(dtype).reshape(shape)
