"""Draws programs, compiles their C++ forms, many in one library, runs them and compares their results."""

import collections
import dataclasses
import pathlib
import random

from ..check import Outcome, check
from ..driver_process import DriverProcess
from ..explained_differences import explain
from ..parts.write_parts import NamedPart
from ..program import Program
from ..program_text import describe
from ..session.sessions import GENERATOR_ERRORS, DrawOptions, Faults
from ..session.vary_program import vary
from ..targets import kinds_of_overlap
from .compile_forms import Compiler
from .draw_forms import FormDrawer
from .fit_form import FORMS, fit_to_form, printed_numbers, refit_targets
from .forms_driver import FormsDriver
from .print_bodies import Unspellable
from .print_form import print_form

BATCH = 40


@dataclasses.dataclass
class FormOptions(DrawOptions):
    executable: str  # of the run-time builder
    forms_executable: str
    build_file: str  # what the forms are compiled with
    form: str
    again_share: float


@dataclasses.dataclass
class Form:
    seed: int
    form: str
    program: Program
    text: str
    varied: Program = None  # of a second call

    def kinds(self):
        """What a session counts of a form."""
        printed = printed_numbers(self.program)
        names = [self.program.named[number] for number in printed & set(self.program.named)]
        named = [name for name in names if not isinstance(name, NamedPart)]
        parts = {name.function for name in names if isinstance(name, NamedPart)}
        nodes = [self.program.nodes[number] for number in printed]
        types = {node.type for node in nodes if getattr(node, "weak", False)}
        return (
            [f"form: {self.form}"]
            + [f"reduction: {name}" for name in sorted({reduction.function for reduction in named})]
            + [f"part: {name}" for name in sorted(parts)]
            + ["option: only_where"] * any(reduction.mask is not None for reduction in named)
            + ["option: accumulator"] * any(reduction.accumulator != "" for reduction in named)
            + ["option: ddof"] * any(reduction.ddof is not None for reduction in named)
            + ["number: float"] * ("float32" in types)
            + ["number: std::complex"] * bool(types & {"complex64", "complex128"})
            + ["compound assignment in a lambda"] * ("; n" in self.text)
            + kinds_of_overlap(self.program)
        )


class FormsSession:
    def __init__(self, options):
        self.options = options
        self.compiler = Compiler.of_build(options.build_file)
        self.folder = pathlib.Path(options.folder) / "forms"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.counts = collections.Counter()
        self.faults = Faults(self.counts)

    def draw_form(self, seed):
        """A program in one of the forms that it has, or None."""
        options = self.options
        program = FormDrawer(seed, options.profile, options.mode, options.structure, options.subject).draw()
        wanted = [options.form] if options.form else list(FORMS)
        fitted = {form: fit_to_form(program, form, f"{seed}-{form}") for form in wanted}
        possible = [form for form in wanted if fitted[form]]
        if not possible:
            self.counts["skipped: no expression"] += 1
            return None
        draw = random.Random(f"form of {seed}")
        form = draw.choice(possible)
        varied = None
        if draw.random() < options.again_share:
            varied = vary(draw, fitted[form])
            varied = varied and refit_targets(draw, form, fitted[form], varied)
        try:
            text = print_form(fitted[form], form)
        except Unspellable as reason:
            self.counts[f"skipped: {reason}"] += 1
            return None
        return Form(seed, form, fitted[form], text, varied)

    def try_to_draw(self, seed):
        try:
            return self.draw_form(seed)
        except GENERATOR_ERRORS as error:
            self.faults.generator(seed, error)
            return None

    def report(self, form, outcome, program, what=""):
        self.counts["faults"] += 1
        name = f"{form.seed} {form.form}{what}"
        again = self.options.again("forms", form.seed, form=form.form, again_share=self.options.again_share)
        self.faults.print(name, outcome, f"{describe(program)}\n{form.text}", again)

    def is_explained(self, program, outcome):
        explained = explain(program, outcome)
        if explained:
            self.counts[f"explained: {explained.name}"] += 1
        return explained is not None

    def run_form(self, driver, builder, form):
        outcome = check(driver, form.program)
        self.counts["programs"] += 1
        self.counts.update(form.kinds())
        if outcome.is_fault:
            if not self.is_explained(form.program, outcome):
                by_builder = check(builder, form.program)
                text = f"{outcome.text[:300]} (the run-time builder: {by_builder.status})"
                self.report(form, dataclasses.replace(outcome, text=text), form.program)
        elif form.varied:
            self.run_again(driver, form)

    def run_again(self, driver, form):
        """Calls the same function with other arrays and scalars."""
        outcome = check(driver, form.varied)
        self.counts["programs"] += 1
        self.counts["second calls"] += 1
        if not outcome.is_fault or self.is_explained(form.varied, outcome):
            return
        driver.stop()
        alone = check(driver, form.varied)
        self.report(form, outcome, form.varied, " second call" if not alone.is_fault else " other arrays")

    def compile_all(self, forms, path):
        """Those of the forms that compile, in libraries: one, or one for each where one of them does not."""
        error = self.compiler.compile(forms, path)
        if error is None:
            return [(path, forms)]
        if len(forms) == 1:
            self.counts["programs"] += 1
            self.report(forms[0], Outcome("does not compile", error), forms[0].program)
            return []
        middle, libraries = len(forms) // 2, []
        for half, name in ((forms[:middle], "a"), (forms[middle:], "b")):
            libraries += self.compile_all(half, path.with_name(f"{path.stem}{name}.so"))
        return libraries

    def run_batch(self, seeds):
        forms = [form for seed in seeds if (form := self.try_to_draw(seed)) is not None]
        if not forms:
            return
        builder = DriverProcess(self.options.executable, self.options.device, self.options.folder)
        for path, compiled in self.compile_all(forms, self.folder / f"{seeds[0]}.so"):
            library = str(path.with_suffix(".so"))
            driver = FormsDriver(
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
