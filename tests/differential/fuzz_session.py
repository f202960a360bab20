"""Draws programs one after the other, runs them, and writes those that fail as files of the corpus."""

import collections
import concurrent.futures
import dataclasses
import multiprocessing
import os
import pathlib
import random
import resource
import time

from .check import check
from .draw_programs import Drawer
from .driver_process import DriverProcess
from .explained_differences import AMPLIFIED, explain
from .program_text import describe, write_program, write_programs
from .shrink import shrink
from .strict_check import StrictCheck
from .targets import kinds_of_overlap
from .vary_program import vary

# Address space of the generator with its oracle; a program that needs more is a fault of the generator.
MOST_ADDRESS_SPACE = 6 << 30
# Faults that a session shrinks; after that it only counts them.
MOST_SHRUNK = 100


@dataclasses.dataclass
class Options:
    executable: str
    device: str
    folder: str
    seed: int
    count: int
    seconds: float
    profile: str
    mode: str
    variant: str
    structure: bool
    shrink_seconds: float
    unfused_share: float
    again_share: float
    until_fault: bool = False
    interpreter: str = ""
    interpreted_share: float = 0.0

    def draw(self, seed):
        return Drawer(seed, self.profile, self.mode, self.structure).draw()

    def command(self, seed):
        """What draws and runs one program again."""
        choices = [("--profile", self.profile), ("--mode", self.mode), ("--how", self.variant)]
        words = [f"{name} {value}" for name, value in choices if value]
        words += ["--structure"] if self.structure else []
        return " ".join(
            ["./bootstrap differential draw", f"--seed {seed} --count 1", *words, f"--device {self.device}"]
        )


class Session:
    def __init__(self, options):
        self.options = options
        self.driver = DriverProcess(options.executable, options.device, options.folder)
        self.interpreter = DriverProcess(options.interpreter, "cpu", options.folder)
        self.counts = collections.Counter()
        self.kinds = collections.Counter()

    def variants(self, program, seed):
        also = random.Random(seed).random() < self.options.unfused_share
        return [self.options.variant] + (["unfused"] if also and self.options.variant != "unfused" else [])

    def run_seed(self, seed):
        try:
            program = self.options.draw(seed)
        except (MemoryError, ValueError, TypeError, IndexError, KeyError, OverflowError) as error:
            self.counts["generator"] += 1
            print(f"seed {seed}: the generator failed: {error!r}", flush=True)
            return
        for variant in self.variants(program, seed):
            tried = program.replace(targets=()) if variant == "unfused" else program
            if variant == "unfused" and not tried.can_run_unfused():
                continue
            outcome = check(self.driver, tried, variant)
            self.counts["programs"] += 1
            self.counts.update(kinds_of_overlap(tried))
            if outcome.is_fault:
                self.report(seed, tried, variant, outcome)
            elif variant != "unfused":
                self.run_again(seed, tried, variant)
        if random.Random(f"interpreted {seed}").random() < self.options.interpreted_share:
            self.hold_to_interpreter(seed, program)

    def run_again(self, seed, program, variant):
        """Calls some programs' graphs a second time, with other arrays and scalars."""
        draw = random.Random(f"again {seed}")
        if draw.random() >= self.options.again_share:
            return
        varied = vary(draw, program)
        if varied is None:
            return
        outcome = check(self.driver, varied, variant)
        self.counts["programs"] += 1
        if not outcome.is_fault:
            return
        self.driver.stop()
        alone = check(self.driver, varied, variant)
        if alone.is_fault:
            self.report(seed, varied, variant, alone)
        elif not explain(varied, outcome):
            self.report_second_call(seed, program, varied, variant, outcome)

    def report_second_call(self, seed, program, varied, variant, outcome):
        """What is wrong only after a call of the same graph: both programs are one file."""
        self.counts["faults"] += 1
        path = pathlib.Path(self.options.folder) / "faults" / f"{seed}-{variant}-again.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        comment = f"{outcome.status}: {outcome.text[:300]}\n{self.options.command(seed)}"
        path.write_text(write_programs([program, varied], variant, comment), encoding="utf-8")
        print(
            f"seed {seed} {variant}, second call, {outcome.status}: {outcome.text[:400]}\n  file: {path}",
            flush=True,
        )

    def hold_to_interpreter(self, seed, program):
        """In strict mode, bit for bit: where the oracle's bound of a result is of no use, too."""
        if not os.path.exists(self.options.interpreter):
            return
        checked = StrictCheck(self.driver, self.interpreter).check(program)
        if checked is None:
            self.counts["strict mode promises nothing"] += 1
            return
        self.counts["held to the interpreter"] += 1
        cut, outcome = checked
        if not outcome.is_fault:
            return
        self.counts["faults"] += 1
        path = pathlib.Path(self.options.folder) / "faults" / f"{seed}-interpreted.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        command = f"{self.options.command(seed)} --interpreted-share 1"
        path.write_text(write_program(cut, "fused", f"{outcome.text[:300]}\n{command}"), encoding="utf-8")
        print(
            f"seed {seed} interpreted {outcome.status}: {outcome.text[:400]}\n{describe(cut)}\n"
            f"  file: {path}\n"
            f"  again: {command}",
            flush=True,
        )

    def report(self, seed, program, variant, outcome):
        explained = explain(program, outcome)
        if explained:
            self.counts[f"explained: {explained.name}"] += 1
            if explained is AMPLIFIED:
                self.hold_to_interpreter(seed, program)
            return
        self.counts["faults"] += 1
        if self.counts["faults"] > MOST_SHRUNK:
            return
        small = shrink(self.driver, program, outcome, variant, self.options.shrink_seconds, explain)
        found = check(self.driver, small, variant)
        path = pathlib.Path(self.options.folder) / "faults" / f"{seed}-{variant}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        comment = f"{found.status}: {found.text[:300]}\n{self.options.command(seed)}"
        path.write_text(write_program(small, variant, comment), encoding="utf-8")
        operations = " ".join(getattr(node, "operation", node.word) for node in small.nodes if node.operands)
        signature = (f"{found.status} {found.nature}".strip(), operations)
        self.kinds[signature] += 1
        if self.kinds[signature] <= 2:
            print(
                f"seed {seed} {variant} {found.status}: {found.text[:400]}\n{describe(small)}\n"
                f"  file: {path}\n"
                f"  again: {self.options.command(seed)}",
                flush=True,
            )

    def run(self):
        begin = time.monotonic()
        for seed in range(self.options.seed, self.options.seed + self.options.count):
            if time.monotonic() - begin > self.options.seconds:
                break
            self.run_seed(seed)
            if self.options.until_fault and self.counts["faults"]:
                break
        self.driver.stop()
        self.interpreter.stop()
        for (status, operations), count in self.kinds.most_common():
            self.counts[f"{status}: {operations}"] = count
        return self.counts


def run_session(options):
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESS_SPACE, resource.getrlimit(resource.RLIMIT_AS)[1]))
    return Session(options).run()


def split(options, jobs):
    """A job's seeds begin where no other's end."""
    share = -(-options.count // jobs)
    return [
        dataclasses.replace(
            options, seed=options.seed + job * share, count=min(share, options.count - job * share)
        )
        for job in range(jobs)
        if options.count > job * share
    ]


def run_sessions(options, jobs):
    """Runs processes beside each other; returns what they counted, and how many faults that makes."""
    total = collections.Counter()
    # Unlike multiprocessing's pool, this one fails where a process is killed.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
        for counts in pool.map(run_session, split(options, jobs)):
            total.update(counts)
    for name, count in sorted(total.items(), key=lambda item: -item[1]):
        print(f"{count:8} {name}")
    if not total["programs"]:
        print("no program ran")
    return total, total["faults"] + total["generator"] + (not total["programs"])
