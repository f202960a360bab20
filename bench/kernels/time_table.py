#!/usr/bin/env python3
"""Times of drawn programs under their candidates, as fit_rates.py and replay read them.

usage: time_table.py programs SUBJECT FIRST COUNT > programs
       sinter_kernels candidates --device=cuda < programs > times.jsonl
       (echo program,microseconds,schedule; time_table.py rows times.jsonl) > candidate_times/SUBJECT.csv
       time_table.py work SINTER_KERNELS > work.jsonl

SUBJECT is one of subjects.py, or `drawn` for programs as they are drawn. Programs of several stages are left out: their
times are not of one schedule alone. The first row of a program is the schedule that it had by itself.
"""
import json
import pathlib
import subprocess
import sys

from draw import draw
from run import requirements, requirements_text

FOLDER = pathlib.Path(__file__).resolve().parent / "candidate_times"
# Words of a schedule that say a default (sinter/codegen/schedule/schedule.hpp).
DEFAULTS = {"vector=1", "steps=1", "rows_per_thread=1", "threads_along=256", "threads_across=1", "tile=0", "cluster=1",
            "shared_steps=0", "streaming=0", "reads=normal", "resident=0", "scalar_loads=0", "staged=0", "whole_rows=0"}


def program_of(subject, seed):
    return draw("cuda", seed, subject=None if subject == "drawn" else subject)


def timed_programs():
    """The file, and the subject and the seeds of its programs, of every committed table."""
    for path in sorted(FOLDER.glob("*.csv")):
        names = dict.fromkeys(line.split(",")[0] for line in path.read_text().splitlines()[1:])
        yield path, path.stem, [int(name.removeprefix("cuda-")) for name in names]


def replayed(runner, verb, path, subject, seeds):
    """What `replay` or `work` prints for a committed table."""
    programs = "".join(program_of(subject, seed).text() for seed in seeds)
    return subprocess.run([runner, verb, f"--times={path}"], input=programs, text=True, capture_output=True,
                          check=True).stdout


def rows_of(answer):
    timed = [each for each in answer["candidates"] if each["us"] > 0 and "error" not in each]
    if answer["stages"] != 1 or not timed or timed[0] is not answer["candidates"][0]:
        return
    for each in timed:
        words = " ".join(word for word in each["schedule"].split() if word not in DEFAULTS)
        yield f"{answer['id']},{each['us']:.6g},{words}"


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "programs":
        for seed in range(int(sys.argv[3]), int(sys.argv[3]) + int(sys.argv[4])):
            program = program_of(sys.argv[2], seed)
            print(requirements_text(requirements(program, "cuda")) + program.text(), end="")
    elif len(sys.argv) == 3 and sys.argv[1] == "rows":
        with open(sys.argv[2], encoding="utf-8") as lines:
            for answer in map(json.loads, lines):
                for row in rows_of(answer) if "candidates" in answer else ():
                    print(row)
    elif len(sys.argv) == 3 and sys.argv[1] == "work":
        for path, subject, seeds in timed_programs():
            print(replayed(sys.argv[2], "work", path, subject, seeds), end="")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
