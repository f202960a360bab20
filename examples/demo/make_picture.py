#!/usr/bin/env python3
"""Renders the picture that the demonstration ships, example.png: glazed balls on planks, ray traced.

Needs nothing but Python's standard library; equal output on every run.
    python3 make_picture.py example.png
"""
import math
import multiprocessing
import struct
import sys
import zlib

WIDTH, HEIGHT, SAMPLES = 640, 427, 3  # SAMPLES x SAMPLES rays a pixel

# centre, radius, colour, how much it mirrors
SPHERES = [
    ((-1.35, 0.85, 0.4), 0.85, (0.80, 0.33, 0.18), 0.10),
    ((0.55, 0.62, -0.5), 0.62, (0.16, 0.42, 0.55), 0.35),
    ((1.75, 1.00, 1.3), 1.00, (0.86, 0.78, 0.62), 0.06),
    ((-0.30, 0.34, -1.3), 0.34, (0.93, 0.72, 0.20), 0.20),
    ((1.50, 0.30, -1.2), 0.30, (0.45, 0.58, 0.30), 0.15),
    ((-2.60, 0.45, -0.8), 0.45, (0.55, 0.20, 0.30), 0.20),
    ((0.10, 0.50, 2.6), 0.50, (0.70, 0.70, 0.72), 0.70),
]
LIGHT = (-0.55, 0.72, -0.42)
EYE = (0.1, 1.55, -5.6)


def add(a, b): return (a[0] + b[0], a[1] + b[1], a[2] + b[2])
def scale(a, s): return (a[0] * s, a[1] * s, a[2] * s)
def dot(a, b): return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
def unit(a): return scale(a, 1 / math.sqrt(dot(a, a)))


LIGHT = unit(LIGHT)


def nearest(origin, direction):
    """The first thing a ray meets: distance and a sphere's number, -1 for the floor, None for the sky."""
    best, what = 1e9, None
    if direction[1] < -1e-6:
        best, what = -origin[1] / direction[1], -1
        if best < 1e-4:
            best, what = 1e9, None
    for index, (centre, radius, _, _) in enumerate(SPHERES):
        to = (origin[0] - centre[0], origin[1] - centre[1], origin[2] - centre[2])
        b = dot(to, direction)
        inside = b * b - dot(to, to) + radius * radius
        if inside > 0:
            distance = -b - math.sqrt(inside)
            if 1e-4 < distance < best:
                best, what = distance, index
    return best, what


def sky(direction):
    height = max(0.0, direction[1])
    glow = max(0.0, dot(direction, LIGHT)) ** 24
    return (0.62 - 0.42 * height + 0.35 * glow, 0.70 - 0.34 * height + 0.26 * glow, 0.82 - 0.20 * height + 0.10 * glow)


def noise(x, z):
    """Smooth waves that look like grain in wood."""
    return 0.5 + 0.5 * math.sin(7 * x + 2.6 * math.sin(0.9 * z) + 0.7 * math.sin(13 * z + 3 * x))


def shade(origin, direction, depth):
    distance, what = nearest(origin, direction)
    if what is None:
        return sky(direction)
    point = add(origin, scale(direction, distance))
    if what < 0:
        normal, mirror = (0.0, 1.0, 0.0), 0.04
        plank = math.floor(point[0] * 0.9)
        grain = noise(point[0] * 1.3 + 5 * plank, point[2] * 0.35 + 2.1 * plank)
        gap = 0.45 if abs(point[0] * 0.9 - plank) < 0.02 else 1.0
        tone = (0.55 + 0.13 * grain + 0.05 * math.sin(9.1 * plank)) * gap
        colour = (tone * 0.95, tone * 0.70, tone * 0.47)
    else:
        centre, radius, colour, mirror = SPHERES[what]
        normal = scale(add(point, scale(centre, -1)), 1 / radius)
        # Rings that a potter's wheel leaves.
        ring = 0.93 + 0.07 * math.sin(46 * point[1] / radius + 3 * normal[0])
        colour = scale(colour, ring)
    lit = max(0.0, dot(normal, LIGHT))
    if lit > 0 and nearest(add(point, scale(normal, 1e-3)), LIGHT)[1] is not None:
        lit = 0.0
    ambient = 0.16 + 0.10 * normal[1]
    shadow_of_contact = 1.0
    if what < 0:
        for centre, radius, _, _ in SPHERES:
            flat = math.hypot(point[0] - centre[0], point[2] - centre[2]) / radius
            shadow_of_contact *= 1 - 0.55 * math.exp(-1.6 * flat * flat)
    light = ambient * shadow_of_contact + 0.80 * lit
    result = scale(colour, light)
    facing = -dot(direction, normal)
    reflected = add(direction, scale(normal, 2 * facing))
    strength = mirror + (1 - mirror) * 0.35 * (1 - max(0.0, facing)) ** 5
    if depth < 2 and strength > 0.01:
        seen = shade(add(point, scale(normal, 1e-3)), reflected, depth + 1)
        result = add(scale(result, 1 - strength), scale(seen, strength))
    if what >= 0 and lit > 0:
        gloss = 0.5 * max(0.0, dot(reflected, LIGHT)) ** 60
        result = add(result, (gloss, gloss, gloss))
    haze = math.exp(-0.0010 * distance * distance)
    return add(scale(result, haze), scale(sky((direction[0], 0.02, direction[2])), 1 - haze))


def row(y):
    out = bytearray([0])
    for x in range(WIDTH):
        total = (0.0, 0.0, 0.0)
        for j in range(SAMPLES):
            for i in range(SAMPLES):
                u = (x + (i + 0.5) / SAMPLES - WIDTH / 2) / HEIGHT
                v = (HEIGHT / 2 - y - (j + 0.5) / SAMPLES) / HEIGHT
                total = add(total, shade(EYE, unit((u, v - 0.12, 1.25)), 0))
        for channel in scale(total, 1 / SAMPLES ** 2):
            linear = min(1.0, channel)
            coded = 12.92 * linear if linear < 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
            out.append(round(255 * coded))
    return bytes(out)


def filtered(rows):
    """PNG's filter 'up' or 'sub' a row, whichever leaves less to compress."""
    above = bytes(3 * WIDTH)
    for line in rows:
        line = line[1:]
        up = bytes((a - b) & 255 for a, b in zip(line, above))
        left = bytes((a - b) & 255 for a, b in zip(line, bytes(3) + line))
        cost = [sum(min(v, 256 - v) for v in candidate) for candidate in (left, up)]
        yield bytes([1]) + left if cost[0] <= cost[1] else bytes([2]) + up
        above = line


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main():
    with multiprocessing.Pool() as pool:
        rows = pool.map(row, range(HEIGHT), chunksize=8)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    with open(sys.argv[1], "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                   + chunk(b"IDAT", zlib.compress(b"".join(filtered(rows)), 9)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    main()
