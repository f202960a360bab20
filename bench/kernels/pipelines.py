#!/usr/bin/env python3
"""Times drawn pipelines as one fused call beside partitions into separate calls.

usage: pipelines.py --out FILE.md [--target cpu|cuda] [--count N] [--first SEED] [--seconds S] [--turns N] [--runner PATH]

A pipeline is two to four of: interleaved channels, stencils, views, elementwise chains, reductions, broadcasts back. Each
is timed fused and in up to eight partitions, by turns, each call with cold caches. The quotient is the fused call's time
over that of the partition with the least median, turn by turn: its median, and an interval of 95% by resampling turns.
Fused is slower if the whole interval is beyond 1.05.
"""
import argparse
import pathlib
import random
import statistics
import time

from draw import draw
from roofline import requirements, requirements_text
from run import LONGEST, Worker, commit, default_runner, operations_of

SLOWER = 1.05
FIRST = 4_000_000


def interval_of(quotients, draws):
    medians = sorted(statistics.median(draws.choices(quotients, k=len(quotients))) for _ in range(400))
    return medians[10], medians[-11]


def judge(answer):
    """The fused call beside the fastest partition; None where there is none."""
    if "error" in answer or not answer["partitions"]:
        return None
    best = min(answer["partitions"], key=lambda each: statistics.median(each["us"]))
    quotients = [fused / other for fused, other in zip(answer["fused_us"], best["us"])]
    low, high = interval_of(quotients, random.Random(answer["id"]))
    return {"quotient": statistics.median(quotients), "low": low, "high": high, "stored": best["stored"],
            "fused_us": statistics.median(answer["fused_us"]), "best_us": statistics.median(best["us"]),
            "partitions": len(answer["partitions"])}


def page_of(rows, machine, args):
    slower = [row for row in rows if row["low"] > SLOWER]
    geometric = statistics.geometric_mean(row["quotient"] for row in rows)
    lines = [f"{len(rows)} pipelines on {machine.get('device', '?')} ({machine.get('details', '')}), commit {args.commit}, "
             f"seeds from {args.first}.", "",
             f"Fused over the fastest of up to eight partitions: {geometric:.3f} in the geometric mean, "
             f"{len(slower)} slower (their interval is beyond {SLOWER}).", "",
             "| pipeline | fused, µs | fastest partition, µs | quotient | interval | stored values | operations |",
             "|---|--:|--:|--:|---|---|---|"]
    for row in sorted(rows, key=lambda row: -row["quotient"]):
        lines.append(f"| {row['id']} | {row['fused_us']:.0f} | {row['best_us']:.0f} | {row['quotient']:.2f} | "
                     f"{row['low']:.2f} to {row['high']:.2f} | {', '.join(map(str, row['stored']))} of "
                     f"{row['partitions']} | {row['operations']} |")
    return "\n".join(lines) + "\n"


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", type=pathlib.Path, required=True)
    ap.add_argument("--target", choices=("cpu", "cuda"), default="cuda")
    ap.add_argument("--count", type=int, default=60)
    ap.add_argument("--first", type=int, default=FIRST)
    ap.add_argument("--seconds", type=float, default=300, help="after that many no pipeline is begun")
    ap.add_argument("--turns", type=int, default=30)
    ap.add_argument("--runner", type=pathlib.Path, default=default_runner())
    ap.add_argument("--commit", default="", help="where this is no git checkout")
    args = ap.parse_args()
    args.commit = args.commit or commit()
    return args


def main():
    args = arguments()
    begin = time.monotonic()
    worker = Worker([str(args.runner), "partitions", f"--device={args.target}", f"--pairs={args.turns}",
                     f"--seconds={LONGEST / 4}"])
    machine, rows = worker.first, []
    for seed in range(args.first, args.first + args.count):
        if time.monotonic() - begin > args.seconds:
            break
        program = draw(args.target, seed, subject="pipeline")
        answer = worker.ask(requirements_text(requirements(program, args.target)) + program.text(), LONGEST)
        judged = judge(answer)
        if judged is None:
            print(program.id, answer.get("error", "no partition"), flush=True)
            continue
        rows.append({"id": program.id, "operations": operations_of(program), "explain": answer["explain"], **judged})
        print(f"{program.id} {judged['quotient']:.2f} ({judged['low']:.2f} to {judged['high']:.2f}) "
              f"{judged['fused_us']:.0f} {judged['best_us']:.0f} µs, stored {judged['stored']}", flush=True)
    worker.close()
    if rows:
        args.out.write_text(page_of(rows, machine, args))


if __name__ == "__main__":
    main()
