"""The programs that are kept: files of program_text.py, whose expected results the oracle computes."""

import pathlib

from .check import check
from .program_text import read_programs

FOLDER = pathlib.Path(__file__).parent / "corpus"


def run_file(driver, path):
    """The first fault of the file's programs, or the last outcome."""
    for program, variant in read_programs(pathlib.Path(path).read_text(encoding="utf-8")):
        outcome = check(driver, program, variant)
        if outcome.is_fault:
            break
    return outcome


def run_corpus(driver, folder=FOLDER):
    """Runs all files and returns how many fail."""
    paths, faults = sorted(pathlib.Path(folder).glob("*.txt")), 0
    for path in paths:
        outcome = run_file(driver, path)
        if outcome.is_fault:
            faults += 1
            print(f"{path.name}: {outcome.status}: {outcome.text}", flush=True)
    print(f"corpus: {len(paths)} programs, {faults} faults", flush=True)
    return faults if paths else 1
