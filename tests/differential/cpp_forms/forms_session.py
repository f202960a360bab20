"""Draws programs, compiles their C++ forms, many in one library, runs them and compares their results."""

import collections
import concurrent.futures
import dataclasses
import multiprocessing
import pathlib
import random
import resource

from ..check import check
from ..draw_programs import Drawer
from ..driver_process import DriverProcess
from ..explained_differences import explain
from ..fuzz_session import MOST_ADDRESS_SPACE, split
from ..program import Program
from ..program_text import describe
from .compile_forms import Compiler
from .print_form import FORMS, fit_to_form, print_form

BATCH = 40


@dataclasses.dataclass
class FormOptions:
    executable: str  # of the run-time builder
    forms_executable: str
    build_file: str  # what the forms are compiled with
    device: str
    folder: str
    seed: int
    count: int
    profile: str
    mode: str
    structure: bool
    form: str

    def command(self, seed, form):
        """What draws, compiles and runs one program again."""
        choices = [("--profile", self.profile), ("--mode", self.mode), ("--form", form)]
        words = [f"{name} {value}" for name, value in choices if value]
        words += ["--structure"] if self.structure else []
        return " ".join(
            ["./bootstrap differential forms", f"--seed {seed} --count 1", *words, f"--device {self.device}"]
        )


@dataclasses.dataclass
class Form:
    seed: int
    form: str
    program: Program
    text: str


class FormsSession:
    def __init__(self, options):
        self.options = options
        self.compiler = Compiler.of_build(options.build_file)
        self.folder = pathlib.Path(options.folder) / "forms"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.counts = collections.Counter()

    def draw_form(self, seed):
        """A program in one of the forms that it has, or None."""
        drawer = Drawer(seed, self.options.profile, self.options.mode, self.options.structure)
        program = drawer.draw()
        wanted = [self.options.form] if self.options.form else list(FORMS)
        fitted = {form: fit_to_form(program, form, f"{seed}-{form}") for form in wanted}
        possible = [form for form in wanted if fitted[form]]
        if not possible:
            self.counts["skipped: no expression"] += 1
            return None
        form = random.Random(f"form of {seed}").choice(possible)
        return Form(seed, form, fitted[form], print_form(fitted[form], form))

    def report(self, form, status, text):
        self.counts["faults"] += 1
        print(
            f"seed {form.seed} {form.form} {status}: {text[:400]}\n{describe(form.program)}\n{form.text}\n"
            f"  again: {self.options.command(form.seed, form.form)}",
            flush=True,
        )

    def run_form(self, driver, builder, form):
        outcome = check(driver, form.program)
        self.counts["programs"] += 1
        self.counts[f"form: {form.form}"] += 1
        if not outcome.is_fault:
            return
        explained = explain(form.program, outcome)
        if explained:
            self.counts[f"explained: {explained.name}"] += 1
            return
        by_builder = check(builder, form.program)
        self.report(form, outcome.status, f"{outcome.text[:300]} (the run-time builder: {by_builder.status})")

    def compile_all(self, forms, path):
        """Those of the forms that compile, in libraries: one, or one for each where one of them does not."""
        error = self.compiler.compile(forms, path)
        if error is None:
            return [(path, forms)]
        if len(forms) == 1:
            self.counts["programs"] += 1
            self.report(forms[0], "does not compile", error)
            return []
        middle, libraries = len(forms) // 2, []
        for half, name in ((forms[:middle], "a"), (forms[middle:], "b")):
            libraries += self.compile_all(half, path.with_name(f"{path.stem}{name}.so"))
        return libraries

    def run_batch(self, seeds):
        forms = [form for seed in seeds if (form := self.draw_form(seed)) is not None]
        if not forms:
            return
        builder = DriverProcess(self.options.executable, self.options.device, self.options.folder)
        for path, compiled in self.compile_all(forms, self.folder / f"{seeds[0]}.so"):
            library = str(path.with_suffix(".so"))
            driver = DriverProcess(
                self.options.forms_executable, self.options.device, self.options.folder, library
            )
            for form in compiled:
                self.run_form(driver, builder, form)
            driver.stop()
            for suffix in (".so", ".cpp"):
                path.with_suffix(suffix).unlink()
        builder.stop()

    def run(self):
        seeds = range(self.options.seed, self.options.seed + self.options.count)
        for begin in range(0, len(seeds), BATCH):
            self.run_batch(seeds[begin : begin + BATCH])
        return self.counts


def run_forms_session(options):
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESS_SPACE, resource.getrlimit(resource.RLIMIT_AS)[1]))
    return FormsSession(options).run()


def run_forms_sessions(options, jobs):
    """Runs processes beside each other; returns how many faults they found."""
    total = collections.Counter()
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
        for counts in pool.map(run_forms_session, split(options, jobs)):
            total.update(counts)
    for name, count in sorted(total.items(), key=lambda item: -item[1]):
        print(f"{count:8} {name}")
    if not total["programs"]:
        print("no program ran")
    return total["faults"] + (not total["programs"])
