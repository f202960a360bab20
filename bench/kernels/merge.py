#!/usr/bin/env python3
"""Puts shards together: each program once, with its figures. usage: merge.py SHARD.jsonl ... --out FILE.json

A program that one shard skipped and another timed counts as timed. The figures: `roofline` is the time over the
roofline's, `peer` the best peer's time over ours, each with its mean and its one-sided 95% bounds.
"""
import argparse
import json
import pathlib

from bounds import median, ratio_of_pairs, ratio_of_two


# What a merged row keeps of a shard's; samples become figures.
KEPT = ("id", "seed", "set", "facts", "needed", "first_ms", "explain", "skipped", "error")


def read_shard(path):
    """The head of a shard and its rows; a last line that was cut off is left out."""
    rows = []
    for line in path.read_text().splitlines():
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows[0], rows[1:]


def worth(row):
    """Which of two rows of one program is kept: the timed one, then the one with more of the peers."""
    return "own_us" in row, sum("us" in found for found in row.get("peers", {}).values()), "error" in row


def merged(shards):
    """(heads, rows by seed) of (head, rows) of each shard."""
    kept = {}
    for number, (_, rows) in enumerate(shards):
        for row in rows:
            if row["id"] not in kept or worth(row) > worth(kept[row["id"]]):
                kept[row["id"]] = row | {"shard": number}
    return [head for head, _ in shards], sorted(kept.values(), key=lambda row: row["seed"])


def arithmetic_us(needed, machine, target):
    """The least time of the instructions. A GPU's pipes run side by side, but share what issues to them."""
    rates = machine["instructions_a_second"]
    each = {name: needed[name] / rates[name] for name in rates}
    if target == "cpu":
        return sum(time for name, time in each.items() if name != "special") * 1e6
    issued = sum(needed[name] for name in rates) / rates["f32"]
    return max(issued, *each.values()) * 1e6


def figures(row, head):
    """What is reported of a timed program."""
    machine, needed = head["machine"], row["needed"]
    arithmetic = arithmetic_us(needed, machine, head["target"])
    launch = machine["launch_us"]
    later = (needed["launches"] - 1) * launch
    limits = [max(bare, arithmetic + launch) + later for bare in row["bare_us"]]
    made = {"us": median(row["own_us"]), "roofline_us": median(limits), "arithmetic_us": arithmetic,
            "bound": "arithmetic" if arithmetic + launch > median(row["bare_us"]) else "memory",
            "bytes": needed["read"] + needed["written"], "pairs": len(row["own_us"]),
            "roofline": ratio_of_pairs(row["own_us"], limits)}
    times = {name: found["us"] for name, found in row.get("peers", {}).items() if "us" in found}
    if times:
        best = min(times, key=lambda name: median(times[name]))
        made |= {"best_peer": best, "peer": ratio_of_two(times[best], row["own_us"]),
                 "peers_us": {name: median(found) for name, found in times.items()}}
    failed = {name: found["error"] for name, found in row.get("peers", {}).items() if "error" in found}
    return made | ({"peers_failed": failed} if failed else {})


def record_of(shards):
    heads, rows = merged(shards)
    if len({head["target"] for head in heads}) > 1:
        raise SystemExit("these shards are of different targets")
    made = []
    for row in rows:
        kept = {key: row[key] for key in KEPT if key in row}
        if "own_us" in row:
            kept |= figures(row, heads[row["shard"]])
        made.append(kept)
    return {"target": heads[0]["target"], "shards": heads, "kernels": made}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("shards", nargs="+", type=pathlib.Path)
    ap.add_argument("--out", type=pathlib.Path, required=True)
    args = ap.parse_args()
    record = record_of([read_shard(path) for path in args.shards])
    args.out.write_text(json.dumps(record, indent=1) + "\n")
    timed = sum("us" in row for row in record["kernels"])
    print(f"{args.out}: {timed} of {len(record['kernels'])} programs are timed")


if __name__ == "__main__":
    main()
