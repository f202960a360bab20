"""Checks a build on a GPU machine, in nine minutes, and prints one table.

usage: gpu-check [fuzz|sweeps|sanitize|times ...] [--base FOLDER] [--output FILE] [--seconds S]

fuzz      drawn programs against NumPy (needs numpy, scipy, ml_dtypes), fused and one operation at a time
sweeps    the tests' sweeps, and trees of integer operations, bit by bit against the interpreter
sanitize  planted faults, then drawn programs under compute-sanitizer's memcheck and racecheck
times     drawn programs' times beside those of the base, which is another bundle

Without a part all run, times only where there is a base. The exit status is 1 after any fault. A kernel that is slower is
listed and is no fault.
"""
import argparse
import pathlib
import time

from . import report
from .bundle import DEFAULT_FOLDER, Bundle, machine_of
from .fuzz import check_fuzz
from .part import Part
from .sanitize import check_sanitize
from .sweeps import check_sweeps
from .times import DRAWN_APART, SUBJECTS, TURNS, check_times

# Each part's share of the time. What one leaves is not given to the others.
PARTS = {"fuzz": (check_fuzz, 180), "sweeps": (check_sweeps, 130), "sanitize": (check_sanitize, 75), "times": (check_times, 145)}
WHOLE = sum(seconds for _, seconds in PARTS.values())


def arguments():
    parser = argparse.ArgumentParser(prog="gpu-check", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--folder", type=pathlib.Path, default=DEFAULT_FOLDER, help="what is checked: a bundle or a build folder")
    parser.add_argument("--base", type=pathlib.Path, help="another bundle or build folder")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--seed", type=int, help="of all that is drawn; it follows from the commit otherwise")
    parser.add_argument("--seconds", type=float, default=WHOLE, help=f"of all parts together, {WHOLE} otherwise")
    parser.add_argument("--jobs", type=int, default=16, help="processes of the fuzzer")
    parser.add_argument("--programs", type=int, default=40_000, help="of the fuzzer, at most")
    parser.add_argument("--graphs", type=int, default=2500, help="of eight trees of integer operations, at most")
    parser.add_argument("--drawn", type=int, default=120, help="programs to time, at most")
    parser.add_argument("--subject", choices=SUBJECTS, help="of all programs to time; without it, some have one")
    parser.add_argument("--turns", type=int, default=TURNS, help="of each program")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("gpu-check.md"), help="the table")
    parser.add_argument("--logs", type=pathlib.Path, help="a folder for logs, faults and caches; beside the table otherwise")
    given = parser.parse_args()
    unknown = [part for part in given.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]}: there are {', '.join(PARTS)}")
    return given


def settle(given):
    """What follows from what was given."""
    given.bundle = Bundle(given.folder)
    given.base = Bundle(given.base) if given.base else None
    given.seed = given.bundle.seed() if given.seed is None else given.seed
    given.drawn_seed = DRAWN_APART + given.seed
    given.parts = given.parts or [name for name in PARTS if name != "times" or given.base]
    given.output = given.output.resolve()
    given.output_folder = (given.logs or given.output.with_suffix(".logs")).resolve()
    given.output_folder.mkdir(parents=True, exist_ok=True)
    return given


def main():
    settings = settle(arguments())
    begin, parts = time.monotonic(), []
    whole = sum(PARTS[name][1] for name in settings.parts)
    for name in settings.parts:
        check, seconds = PARTS[name]
        print(f"{name} ...", flush=True)
        # A part alone has its own share, not the whole.
        of_this = seconds * min(1.0, settings.seconds / whole)
        try:
            parts += check(settings, of_this)
        except Exception as failure:  # the other parts run all the same
            parts.append(Part(name, faults=[f"the check itself failed: {type(failure).__name__}: {failure}"]))
        # Written after each part: what is stopped loses nothing.
        text = report.report(settings, parts, machine_of(settings.device), time.monotonic() - begin)
        settings.output.write_text(text, encoding="utf-8")
    print(text)
    return int(any(part.faults for part in parts))
