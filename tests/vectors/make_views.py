#!/usr/bin/env python3
"""Writes views.hpp: random slices and indexed arrays as NumPy has them. Run with NumPy 2: make_views.py > views.hpp"""
import random

import numpy as np

random.seed(20261121)


def bound(extent):
    return random.choice([None, random.randint(-extent - 3, extent + 3), random.randint(-2 * extent - 9, 2 * extent + 9)])


def text(item):
    if item is None:
        return "N"
    if isinstance(item, int):
        return str(item)
    return ":".join("" if part is None else str(part) for part in (item.start, item.stop, item.step))


print(f"""#pragma once
// Written by make_views.py with NumPy {np.__version__}.

#include <cstdint>

namespace numpy_vectors {{

constexpr std::int64_t absent = INT64_MIN;
/// arange(extent)[start:stop:step] has `count` elements, the first `first`, one every `every`.
struct slice_case {{
  std::int64_t extent, start, stop, step, count, first, every;
}};
inline constexpr slice_case slices[] = {{""")
cases = []
for _ in range(300):
    extent = random.choice([0, 1, 2, 3, 5, 7, 10, 100])
    step = random.choice([None, 1, 2, 3, -1, -2, -3, extent + 1, -extent - 1, 10**18, -(10**18), -(2**63) + 1])
    start, stop = bound(extent), bound(extent)
    result = np.arange(extent)[slice(start, stop, step)]
    first = int(result[0]) if len(result) else 0
    every = int(result[1] - result[0]) if len(result) > 1 else 1
    values = [extent, start, stop, step, len(result), first, every]
    cases.append("{" + ", ".join("absent" if v is None else f"{v}" for v in values) + "},")
for i in range(0, len(cases), 3):
    print("    " + " ".join(cases[i : i + 3]))
print("""};

/// arange(size).reshape(extents)[items], row-major. N is newaxis; P a permutation of axes.
struct view_case {
  const char* extents;
  const char* items;
  const char* result_extents;
  const char* elements;
};
inline constexpr view_case views[] = {""")
done = 0
while done < 120:
    shape = [random.choice([1, 2, 3, 4]) for _ in range(random.randint(0, 4))]
    source = np.arange(int(np.prod(shape))).reshape(shape)
    if shape and random.random() < 0.2:
        axes = random.sample(range(len(shape)), len(shape))
        items, result = "P " + " ".join(map(str, axes)), source.transpose(axes)
    else:
        parts = []
        for extent in shape[: random.randint(0, len(shape))]:
            if random.random() < 0.25:
                parts.append(None)
            if random.random() < 0.3:
                parts.append(random.randint(-extent, extent - 1))
            else:
                parts.append(slice(bound(extent), bound(extent), random.choice([None, 1, 2, -1, -2])))
        if random.random() < 0.3:
            parts.append(None)
        items, result = " ".join(map(text, parts)), source[tuple(parts)]
    if result.size == 0 and random.random() < 0.8:
        continue
    columns = [" ".join(map(str, shape)), items, " ".join(map(str, result.shape)), " ".join(map(str, result.ravel()))]
    print("    {" + ", ".join(f'"{c}"' for c in columns) + "},")
    done += 1
print("};\n\n}  // namespace numpy_vectors")
