#!/usr/bin/env python3
"""Fits those rates of the cost model that no kernel shows alone to the times of drawn kernels under their candidates.

usage: time_table.py work SINTER_KERNELS > work.jsonl; fit_rates.py work.jsonl [RATE=VALUE...]

What is minimised is the mean regret of a soft choice among the candidates of each program, and by a small weight the
error of the estimate. Two halves of the programs, fitted apart and chosen for by each other's rates, say what the rates
are worth for kernels that nobody has seen. RATE=VALUE keeps a rate: those that `sinter_tune --calibrate` measures have
the values of the table. Only nests with several loops over a row count: the rates of other nests are of
bench/results/2026-11-23-nvidia-h200-cost-model.md. Needs NumPy.
"""
import json
import sys

import numpy as np

# as in sinter/codegen/schedule/model/gpu_rates.cpp
MEASURED = {"multiprocessors": 132, "megahertz": 1800, "instruction": 4, "integer": 4, "float64": 4, "special": 32,
            "lookup": 16, "memory_sector": 28, "launch": 5500, "block": 145}
START = {"sector": 16, "latency": 303, "dependence": 162, "wait": 15, "cluster_wait": 584, "shared_step": 123,
         "spill": 23, "memory_page": 25}
SIXTEENTHS, WHOLE = 16, 1024
SHARPNESS, WEIGHT_OF_ERROR = 0.04, 0.03
MAX_SLOWER = 3.9  # times the proposal's: the first turn loaded a module


class Times:
    """Candidates of programs, one after the other, the proposed one first."""

    def __init__(self, lines):
        rows = [json.loads(line) for line in lines]
        rows = [row for row in rows if row["work"]["reads_again"]]
        first = {}
        for row in rows:
            first.setdefault(row["id"], row["microseconds"])
        rows = [row for row in rows if row["microseconds"] <= MAX_SLOWER * first[row["id"]]]
        names = {name: number for number, name in enumerate(dict.fromkeys(row["id"] for row in rows))}
        self.program = np.array([names[row["id"]] for row in rows])
        self.programs = len(names)
        self.microseconds = np.array([row["microseconds"] for row in rows])
        self.work = {name: np.array([row["work"][name] for row in rows], float) for name in rows[0]["work"]}
        least = np.full(self.programs, np.inf)
        np.minimum.at(least, self.program, self.microseconds)
        self.regret = self.microseconds / least[self.program]

    def estimate(self, rates):
        """Microseconds, as cost_of() has them."""
        at, work = rates, self.work
        processors = at["multiprocessors"]
        blocks = np.maximum(work["blocks"], 1)
        slots = processors * work["resident_blocks"]
        fullest = np.ceil(blocks / processors) / blocks
        share = np.where(blocks <= slots, fullest, (1 / processors + fullest) / 2)
        issued = (work["issued"] * at["instruction"] + work["integers"] * at["integer"] +
                  work["doubles"] * at["float64"] + work["special"] * at["special"])
        of_warp = work["issued"] / np.maximum(1, blocks * work["warps"])
        of_block = (work["chunks"] * at["latency"] + of_warp * at["dependence"] / SIXTEENTHS +
                    work["waits"] * at["wait"] + work["cluster_waits"] * at["cluster_wait"] +
                    work["shared_steps"] * at["shared_step"])
        limits = np.stack([
            share * issued / SIXTEENTHS * (1 + work["spilled"] * at["spill"] / WHOLE),
            share * work["lookups"] * at["lookup"] / SIXTEENTHS,
            share * work["sectors"] * at["sector"] / SIXTEENTHS,
            (work["memory_sectors"] * at["memory_sector"] + work["memory_pages"] * at["memory_page"]) / SIXTEENTHS /
            processors,
            np.where(blocks > slots, of_block * (blocks / slots + 0.5), of_block),
            (np.ceil(blocks / processors) - 1) * at["block"]])
        return (at["launch"] + (limits ** 4).sum(0) ** 0.25) / at["megahertz"]

    def loss(self, rates, of):
        """`of`: which programs count."""
        estimated = np.log(self.estimate(rates))
        least = np.full(self.programs, np.inf)
        np.minimum.at(least, self.program, estimated)
        weight = np.exp(-(estimated - least[self.program]) / SHARPNESS)
        soft = (np.bincount(self.program, weight * np.log(self.regret), self.programs) /
                np.bincount(self.program, weight, self.programs))
        error = (np.bincount(self.program, estimated - np.log(self.microseconds), self.programs) /
                 np.bincount(self.program, minlength=self.programs))
        return soft[of].mean() + WEIGHT_OF_ERROR * np.minimum(error ** 2, 1)[of].mean()

    def regrets(self, rates, asked):
        """Of each program's choice, if what is taken must be below `asked` of the proposal's estimate."""
        estimated, taken = self.estimate(rates), np.empty(self.programs)
        for program in range(self.programs):
            mine = np.flatnonzero(self.program == program)
            best = mine[np.argmin(estimated[mine])]
            taken[program] = self.regret[best if estimated[best] < asked * estimated[mine[0]] else mine[0]]
        return taken


def search(times, kept, start, of, draw):
    """Coordinate by coordinate, in steps that become smaller."""
    rates, step = dict(start), 0.6
    least = times.loss(kept | rates, of)
    while step >= 0.03:
        found = False
        for name in draw.permutation(list(rates)):
            for factor in (1 + step, 1 / (1 + step)):
                tried = rates | {name: rates[name] * factor}
                if (loss := times.loss(kept | tried, of)) < least - 1e-6:
                    rates, least, found = tried, loss, True
                    break
        if not found:
            step *= 0.6
    return least, rates


def fit(times, kept, of, starts=4):
    draw = np.random.default_rng(1)
    free = {name: value for name, value in START.items() if name not in kept}
    tries = []
    for number in range(starts):
        start = {name: value * (np.exp(draw.normal(0, 0.4)) if number else 1) for name, value in free.items()}
        tries.append(search(times, kept, start, of, draw))
    return min(tries, key=lambda each: each[0])[1]


def line_of(regrets):
    return f"{np.exp(np.log(regrets).mean()):.3f}, 90% {np.quantile(regrets, 0.9):.2f}, most {regrets.max():.2f}"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as lines:
        times = Times(lines)
    kept = MEASURED | {name: float(value) for name, value in (each.split("=") for each in sys.argv[2:])}
    everything, even = np.ones(times.programs, bool), np.arange(times.programs) % 2 == 0
    print(f"{times.programs} programs, {len(times.program)} times; mean regret")
    print("proposed:       ", line_of(times.regrets(kept | START, 0)))
    halves = [fit(times, kept, of) for of in (even, ~even)]
    for asked in (1, 0.9, 0.75):
        unseen = np.where(even, times.regrets(kept | halves[1], asked), times.regrets(kept | halves[0], asked))
        print(f"taken below {asked:4}:", line_of(unseen), "for programs of the other half")
    rates = fit(times, kept, everything)
    print("fitted to all:  ", ", ".join(f".{name} = {value:.0f}" for name, value in rates.items()))


if __name__ == "__main__":
    main()
