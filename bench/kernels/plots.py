"""Distributions and clouds of points as SVG, in the style of bench/plot.py."""
import math
import pathlib
import sys
import xml.sax.saxutils

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from plot import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, power_label, text  # noqa: E402

COLOURS = ("#222222", "#1f6fb4", "#c8452c", "#2f8f4e", "#7a52a8", "#b8860b", "#3aa6a6")
ACROSS, UP = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
TICKS = [number / 5 for number in range(7)]  # 0 to 1.2


def frame(title, across, up):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
            text(LEFT, 24, title, "start", 15, 'font-weight="bold"'),
            text(LEFT + ACROSS / 2, HEIGHT - 12, across, size=13),
            text(18, TOP + UP / 2, up, size=13, more=f'transform="rotate(-90 18 {TOP + UP / 2:.1f})"')]


def level(value, label):
    """A line across the plot."""
    y = TOP + (1 - value) * UP
    return [f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + ACROSS}" y2="{y:.1f}" stroke="#ddd"/>',
            text(LEFT - 8, y + 4, label, "end")]


def upright(x, label):
    return [f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + UP + 4}" stroke="#eee"/>',
            text(x, TOP + UP + 19, label)]


def legend(number, name):
    y, colour = TOP + 14 + 22 * number, COLOURS[number % len(COLOURS)]
    return [f'<rect x="{WIDTH - RIGHT + 16}" y="{y - 5}" width="14" height="10" fill="{colour}"/>',
            text(WIDTH - RIGHT + 38, y + 4, name, "start")]


def draw_distributions(title, across, up, series):
    """Steps that rise to 1: for each value the share of the values below it. Values beyond 1.2 lie on the edge."""
    out = frame(title, across, up)
    for tick in TICKS[:6]:
        out += level(tick, f"{tick:.1f}")
    for tick in TICKS:
        out += upright(LEFT + tick / 1.2 * ACROSS, f"{tick:.1f}")
    for number, (name, values) in enumerate(series.items()):
        path, count = [f"{LEFT},{TOP + UP}"], len(values)
        for below, value in enumerate(sorted(values)):
            x = LEFT + min(value, 1.2) / 1.2 * ACROSS
            path += [f"{x:.1f},{TOP + (1 - part / count) * UP:.1f}" for part in (below, below + 1)]
        out.append(f'<polyline points="{" ".join(path)}" fill="none" stroke="{COLOURS[number % len(COLOURS)]}" '
                   f'stroke-width="{3 if number == 0 else 1.5}"/>')
        out += legend(number, f"{name} ({count})")
    return "\n".join(out + ["</svg>", ""])


def draw_points(title, across, up, series):
    """Points (size, fraction, name) over sizes that double. Fractions beyond 1.2 lie on the edge."""
    sizes = [math.log2(max(1, size)) for points in series.values() for size, _, _ in points]
    first, last = math.floor(min(sizes)), max(math.floor(min(sizes)) + 1, math.ceil(max(sizes)))
    out = frame(title, across, up)
    for tick in TICKS:
        out += level(tick / 1.2, f"{tick:.1f}")
    for exponent in range(first, last + 1, max(1, (last - first) // 10)):
        out += upright(LEFT + (exponent - first) / (last - first) * ACROSS, power_label(exponent))
    for number, (name, points) in enumerate(sorted(series.items())):
        for size, fraction, label in points:
            x = LEFT + (math.log2(max(1, size)) - first) / (last - first) * ACROSS
            y = TOP + (1 - min(fraction, 1.2) / 1.2) * UP
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLOURS[number % len(COLOURS)]}" '
                       f'fill-opacity="0.7">'
                       f"<title>{xml.sax.saxutils.escape(label)}: {fraction:.2f}</title></circle>")
        out += legend(number, name)
    return "\n".join(out + ["</svg>", ""])
