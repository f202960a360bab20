"""Draws programs one after the other, runs them, and writes those that fail as files of the corpus."""

import collections
import dataclasses
import os
import pathlib
import random
import time

from ..check import check
from ..draw_programs import Drawer
from ..driver_process import DriverProcess
from ..explained_differences import AMPLIFIED, explain
from ..program_text import describe, write_program, write_programs
from ..shrink import shrink
from ..strict_check import StrictCheck
from ..targets import kinds_of_overlap
from .sessions import GENERATOR_ERRORS, DrawOptions, Faults
from .turns import Turns
from .vary_program import vary

# Faults that a session shrinks; after that it only counts them.
MAX_SHRUNK = 100


@dataclasses.dataclass
class Options(DrawOptions):
    executable: str
    seconds: float
    variant: str
    shrink_seconds: float
    unfused_share: float
    again_share: float
    turns_share: float
    until_fault: bool
    interpreter: str
    interpreted_share: float

    def draw(self, seed):
        return Drawer(seed, self.profile, self.mode, self.structure, self.subject).draw()

    def command(self, seed, **choices):
        """What draws and runs one program again."""
        return self.again("draw", seed, how=self.variant, **choices)


class Session:
    def __init__(self, options):
        self.options = options
        self.driver = DriverProcess(options.executable, options.device, options.folder)
        self.interpreter = DriverProcess(options.interpreter, "cpu", options.folder)
        self.counts = collections.Counter()
        self.faults = Faults(self.counts)
        self.kinds = collections.Counter()
        self.turns = Turns()

    def variants(self, program, seed):
        also = random.Random(seed).random() < self.options.unfused_share
        return [self.options.variant] + (["unfused"] if also and self.options.variant != "unfused" else [])

    def run_seed(self, seed):
        try:
            program = self.options.draw(seed)
        except GENERATOR_ERRORS as error:
            self.faults.generator(seed, error)
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
                self.turns.keep(tried)
                self.run_again(seed, tried, variant)
                self.take_turns(seed, variant)
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
            self.report_calls(seed, [program, varied], variant, outcome, "again")

    def take_turns(self, seed, variant):
        """Calls some of the last programs in turns, in the driver's one thread."""
        draw = random.Random(f"turns {seed}")
        if draw.random() >= self.options.turns_share:
            return
        calls = self.turns.draw(draw)
        for number, program in enumerate(calls, 1):
            outcome = check(self.driver, program, variant)
            self.counts["calls in turns"] += 1
            if not outcome.is_fault:
                continue
            self.driver.stop()
            alone = check(self.driver, program, variant)
            if alone.is_fault:
                self.report_calls(seed, [program], variant, alone, "turns")
            elif not explain(program, outcome):
                self.report_calls(seed, calls[:number], variant, outcome, "turns")
            return

    def report_calls(self, seed, programs, variant, outcome, name):
        """What is wrong only after other calls: all of their programs are one file."""
        self.counts["faults"] += 1
        command = self.options.command(seed)
        comment = f"{outcome.status}: {outcome.text[:300]}\n{command}"
        path = self.write_fault(f"{seed}-{variant}-{name}", write_programs(programs, variant, comment))
        replay = f"./bootstrap differential replay {path} --device {self.options.device}"
        self.faults.print(f"{seed} {variant}, {name},", outcome, "", replay, path)

    def write_fault(self, name, text):
        path = pathlib.Path(self.options.folder) / "faults" / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def hold_to_interpreter(self, seed, program):
        """In strict mode, bit for bit: where the oracle's bound of a result is of no use, too."""
        if not os.path.exists(self.options.interpreter):
            return
        checked = StrictCheck(self.driver, self.interpreter).check(program)
        if checked is None:
            self.counts["not for the interpreter"] += 1
            return
        self.counts["held to the interpreter"] += 1
        cut, outcome = checked
        if not outcome.is_fault:
            return
        self.counts["faults"] += 1
        command = self.options.command(seed, interpreted_share=1)
        text = write_program(cut, "fused", f"{outcome.text[:300]}\n{command}")
        path = self.write_fault(f"{seed}-interpreted", text)
        self.faults.print(f"{seed} interpreted", outcome, describe(cut), command, path)

    def report(self, seed, program, variant, outcome):
        explained = explain(program, outcome)
        if explained:
            self.counts[f"explained: {explained.name}"] += 1
            if explained is AMPLIFIED:
                self.hold_to_interpreter(seed, program)
            return
        self.counts["faults"] += 1
        if self.counts["faults"] > MAX_SHRUNK:
            return
        small = shrink(self.driver, program, outcome, variant, self.options.shrink_seconds, explain)
        found = check(self.driver, small, variant)
        command = self.options.command(seed)
        text = write_program(small, variant, f"{found.status}: {found.text[:300]}\n{command}")
        path = self.write_fault(f"{seed}-{variant}", text)
        operations = " ".join(getattr(node, "operation", node.word) for node in small.nodes if node.operands)
        signature = (f"{found.status} {found.nature}".strip(), operations)
        self.kinds[signature] += 1
        if self.kinds[signature] <= 2:
            self.faults.print(f"{seed} {variant}", found, describe(small), command, path)

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
