#!/usr/bin/env python3
"""Writes the page and the plots of merged shards. usage: page.py FILE.json --out STEM [--title TEXT]

STEM.md has the tables and the worst twenty kernels with what explain() says of them. STEM-fractions.svg and
STEM-sizes.svg are beside it.
"""
import argparse
import json
import pathlib

from bounds import quantile
from plots import draw_distributions, draw_points

LARGE = 128 << 20  # bytes from which a kernel counts as limited by memory, not by launches


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def share(rows, holds):
    return f"{100 * sum(map(holds, rows)) / len(rows):.0f}%" if rows else ""


def bytes_text(count):
    for unit, size in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << size:
            return f"{count / (1 << size):.3g} {unit}"
    return f"{count} B"


def timed(record):
    return [row for row in record["kernels"] if "us" in row]


def groups_of(rows, target):
    """(name, rows) of what is reported by itself."""
    made = [("all", rows)] + [(name, [row for row in rows if row["set"] == name]) for name in ("fit", "held", "fresh")]
    large = [row for row in rows if row["bytes"] >= LARGE]
    made += [("128 MiB and more", large), ("128 MiB and more, held", [row for row in large if row["set"] == "held"]),
             ("bound by arithmetic", [row for row in rows if row["bound"] == "arithmetic"])]
    for fact in ("family", "mode"):
        for value in sorted({row["facts"][fact] for row in rows}):
            made.append((value, [row for row in rows if row["facts"][fact] == value]))
    for fact, heading in (("layouts", "an operand is "), ("types", "an operand is of ")):
        for value in sorted({value for row in rows for value in row["facts"][fact]}):
            made.append((heading + value, [row for row in rows if value in row["facts"][fact]]))
    for low, high in ((0, 3), (4, 10), (11, 30), (31, 1000)):
        chosen = [row for row in rows if low <= row["facts"]["operations"] <= high]
        made.append((f"{low} to {high} operations" if high < 1000 else f"{low} operations and more", chosen))
    return [(name, chosen) for name, chosen in made if chosen]


def roofline_table(rows, target):
    """How far from the roofline kernels are; `within` counts a kernel whose upper bound is."""
    within = 1.5 if target == "cpu" else 1.15
    lines = []
    for name, chosen in groups_of(rows, target):
        ratios = sorted(row["roofline"]["mean"] for row in chosen)
        lines.append([name, str(len(chosen))] + [f"{quantile(ratios, at):.2f}" for at in (0.5, 0.75, 0.9, 0.95)] +
                     [f"{ratios[-1]:.2f}", share(chosen, lambda row: row["roofline"]["high"] <= within)])
    return table(["kernels", "number", "median", "75%", "90%", "95%", "worst", f"within {within}"], lines)


def peer_table(rows):
    """The best peer's time over ours: above 1 we are faster. A share counts kernels whose lower bound reaches it."""
    compared = [row for row in rows if "peer" in row]
    if not compared:
        return "No program was run by a peer.\n"
    lines = []
    best = {f"best is {peer}": [row for row in compared if row["best_peer"] == peer]
            for peer in sorted({row["best_peer"] for row in compared})}
    for name, chosen in ({"all": compared} | best).items():
        ratios = sorted(row["peer"]["mean"] for row in chosen)
        lines.append([name, str(len(chosen)), f"{ratios[0]:.2f}"] +
                     [f"{quantile(ratios, at):.2f}" for at in (0.05, 0.25, 0.5, 0.75)] +
                     [share(chosen, lambda row, least=least: row["peer"]["low"] >= least) for least in (0.9, 0.97, 1)])
    failed = {}
    for row in rows:
        for name, error in row.get("peers_failed", {}).items():
            failed.setdefault(name, []).append(f"{row['id']}: {error}")
    text = table(["compared", "number", "least", "5%", "25%", "median", "75%", "0.9", "0.97", "1"], lines)
    slower = sorted((row for row in compared if row["peer"]["mean"] < 1), key=lambda row: row["peer"]["mean"])[:20]
    if slower:
        text += "\nWhere a peer is faster:\n\n" + table(
            ["kernel", "peer / ours", "µs", "peers, µs", "what"],
            [[row["id"], f"{row['peer']['mean']:.2f}", f"{row['us']:.1f}",
              ", ".join(f"{name} {us:.1f}" for name, us in row["peers_us"].items()), what(row)] for row in slower])
    for name, errors in failed.items():
        more = "; …" if len(errors) > 5 else ""
        text += f"\n{name} failed on {len(errors)} programs: {'; '.join(errors[:5])}{more}\n"
    return text


def what(row):
    """A kernel in one cell."""
    facts = row["facts"]
    parts = [f"{facts['family']}, {facts['operations']} operations", *facts["operands"]]
    return "; ".join(parts + facts["reductions"] + ["-> " + ", ".join(facts["results"])])


def kernel_line(row):
    ratio = row["roofline"]
    return [row["id"], row["set"], f"{ratio['mean']:.2f}", f"{ratio['low']:.2f} to {ratio['high']:.2f}",
            f"{row['us']:.1f}", f"{row['roofline_us']:.1f}", row["bound"], bytes_text(row["bytes"]), what(row)]


def worst_section(rows):
    worst = sorted(rows, key=lambda row: -row["roofline"]["mean"])[:20]
    text = table(["kernel", "set", "over roofline", "95%", "µs", "roofline, µs", "bound", "bytes", "what"],
                 [kernel_line(row) for row in worst])
    for row in worst:
        text += f"\n<details><summary>{row['id']}</summary>\n\n```\n{row['explain'].rstrip()}\n```\n</details>\n"
    return text


def machines_text(record):
    lines = []
    for head in record["shards"]:
        machine = head["machine"]
        peers = ", ".join(head["peers"].values()) or "no peers"
        lines.append(f"- shard {head['shard'][0]} of {head['shard'][1]} ({head['set']}), {head['date']}, commit "
                     f"{head['commit']}, {machine['device']}, {machine['details']}; {peers}")
    return "\n".join(lines) + "\n"


def left_out_text(record):
    skipped = [row["id"] for row in record["kernels"] if "skipped" in row]
    errors = [f"- {row['id']}: {row['error']}" for row in record["kernels"] if "error" in row]
    text = f"Skipped, because the time of their shards was over: {', '.join(skipped) or 'none'}.\n"
    return text + (f"\n{len(errors)} failed:\n" + "\n".join(errors) + "\n" if errors else "")


def page_of(record, title, plots):
    rows = timed(record)
    target = record["target"]
    return f"""# {title}

{len(rows)} programs that bench/kernels/ draws, each timed beside its roofline: a bare kernel that moves as many
{"32-byte sectors" if target == "cuda" else "cache lines"}, in turns, with cold caches (bench/README.md says more).

{machines_text(record)}
![Distribution of the fraction of the roofline]({plots[0]})

![Fraction of the roofline over bytes]({plots[1]})

## Time over the roofline's

{roofline_table(rows, target)}
## Peers

The best peer's time over ours; the last three columns are the shares of programs whose lower 95% bound is at least
that.

{peer_table(rows)}
## The worst twenty

{worst_section(rows)}
## Left out

{left_out_text(record)}"""


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("record", type=pathlib.Path)
    ap.add_argument("--out", type=pathlib.Path, required=True)
    ap.add_argument("--title", default="Drawn kernels")
    args = ap.parse_args()
    record = json.loads(args.record.read_text())
    rows = timed(record)
    if not rows:
        raise SystemExit("no program of this file is timed")
    plots = [args.out.with_name(f"{args.out.name}-{name}.svg") for name in ("fractions", "sizes")]
    drawn = {"all", *(row["facts"]["family"] for row in rows)}
    fractions = {name: [1 / row["roofline"]["mean"] for row in chosen]
                 for name, chosen in groups_of(rows, record["target"]) if name in drawn}
    plots[0].write_text(draw_distributions("Fraction of the roofline", "fraction of the roofline reached",
                                           "share of kernels below", fractions))
    points = {}
    for row in rows:
        points.setdefault(row["facts"]["family"], []).append((row["bytes"], 1 / row["roofline"]["mean"], row["id"]))
    plots[1].write_text(draw_points("Fraction of the roofline over bytes", "bytes of memory touched",
                                    "fraction of the roofline", points))
    page = args.out.with_name(args.out.name + ".md")
    page.write_text(page_of(record, args.title, [plot.name for plot in plots]))
    print(f"{page}: {len(rows)} kernels")


if __name__ == "__main__":
    main()
