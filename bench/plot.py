"""Draws a sweep as an SVG file: fractions over an extent that doubles, with the goal beside them."""
import math
import xml.sax.saxutils

WIDTH, HEIGHT = 860, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 190, 44, 56
COLOURS = ("#1f6fb4", "#c8452c", "#2f8f4e", "#7a52a8")


def power_label(exponent):
    if exponent < 10:
        return str(2 ** exponent)
    value, unit = [(2 ** (exponent - step), unit) for step, unit in ((30, "Gi"), (20, "Mi"), (10, "Ki"))
                   if exponent >= step][0]
    return f"{value} {unit}"


def text(x, y, content, anchor="middle", size=12, more=""):
    content = xml.sax.saxutils.escape(content)
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" {more}>{content}</text>'


def draw(title, across, up, series, goals=()):
    """The text of an SVG file. `series` and `goals` are (name, [(extent, fraction), …]) with extents ascending; a goal is
    drawn as dashed steps, in the colour of the series with the same index."""
    points = [point for _, drawn in series for point in drawn]
    first = math.floor(min(math.log2(x) for x, _ in points))
    last = max(first + 1, math.ceil(max(math.log2(x) for x, _ in points)))
    top = max([1.2] + [math.ceil(y * 5 + 0.25) / 5 for _, y in points])
    plot_width, plot_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(x, y):
        return (LEFT + (math.log2(x) - first) / (last - first) * plot_width, TOP + (1 - y / top) * plot_height)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           text(LEFT, 24, title, "start", 15, 'font-weight="bold"')]
    for tick in range(round(top / 0.2) + 1):
        _, y = place(2 ** first, tick * 0.2)
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + plot_width}" y2="{y:.1f}" '
                   f'stroke="{"#888" if tick in (0, 5) else "#ddd"}"/>')
        out.append(text(LEFT - 8, y + 4, f"{tick * 0.2:.1f}", "end"))
    step = 2 if last - first > 12 else 1
    for exponent in range(first, last + 1, step):
        x, y = place(2 ** exponent, 0)
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{y + 4:.1f}" stroke="#eee"/>')
        out.append(text(x, y + 19, power_label(exponent)))
    out.append(text(LEFT + plot_width / 2, HEIGHT - 12, across, size=13))
    out.append(text(18, TOP + plot_height / 2, up, size=13,
                    more=f'transform="rotate(-90 18 {TOP + plot_height / 2:.1f})"'))
    for number, (name, drawn) in enumerate(goals):
        if not drawn:
            continue
        path, before = [], None
        for x, y in drawn:
            here = place(x, y)
            if before is not None:
                path.append(f"{here[0]:.1f},{before:.1f}")
            path.append(f"{here[0]:.1f},{here[1]:.1f}")
            before = here[1]
        out.append(f'<polyline points="{" ".join(path)}" fill="none" stroke="{COLOURS[number % len(COLOURS)]}" '
                   f'stroke-dasharray="6 4" stroke-opacity="0.6"><title>{xml.sax.saxutils.escape(name)}</title></polyline>')
    for number, (name, drawn) in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        at = [place(x, y) for x, y in drawn]
        out.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in at)}" fill="none" stroke="{colour}" '
                   f'stroke-width="2"/>')
        for (x, y), (extent, fraction) in zip(at, drawn):
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}">'
                       f'<title>{xml.sax.saxutils.escape(name)}, {extent:.0f}: {fraction:.3f}</title></circle>')
        y = TOP + 14 + 40 * number
        out.append(f'<line x1="{WIDTH - RIGHT + 16}" y1="{y}" x2="{WIDTH - RIGHT + 44}" y2="{y}" stroke="{colour}" '
                   f'stroke-width="2"/>')
        out.append(text(WIDTH - RIGHT + 50, y + 4, name, "start"))
        if number < len(goals) and goals[number][1]:
            out.append(f'<line x1="{WIDTH - RIGHT + 16}" y1="{y + 18}" x2="{WIDTH - RIGHT + 44}" y2="{y + 18}" '
                       f'stroke="{colour}" stroke-dasharray="6 4" stroke-opacity="0.6"/>')
            out.append(text(WIDTH - RIGHT + 50, y + 22, goals[number][0], "start"))
    return "\n".join(out + ["</svg>", ""])
