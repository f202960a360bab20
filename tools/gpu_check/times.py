"""Times of drawn programs beside those of the base's build, in turns."""
import concurrent.futures
import sys

from .bundle import KERNELS
from .part import Clock, Part

sys.path.insert(0, str(KERNELS))
from bounds import mean_and_error, bounded, median, ratio_of_pairs  # noqa: E402
from draw import draw  # noqa: E402
from page import what  # noqa: E402
from run import Worker, facts_of  # noqa: E402
from subjects import SUBJECTS  # noqa: E402

# Pairs of a turn: so many calls of one build, then as many of the other. Each turn allocates the arrays again.
PAIRS = 3
TURNS, MORE_TURNS = 6, 12
SLOWER = 1.03
LONGEST = 60  # seconds for an answer
# Seconds that must be left to begin a program: one that compiles long still ends.
LEAST = 4
# Of the time, for programs that are timed once more.
AGAIN_SHARE = 0.15
DRAWN_APART = 1_000_000  # drawn seeds below are of the reported sample


class Build:
    """sinter_kernels of one of the two builds. Another process takes the place of one that had an error."""

    def __init__(self, bundle, device):
        command = [str(bundle.program("sinter_kernels")), "time", f"--pairs={PAIRS}", f"--device={device}"]
        self.worker = Worker(command, bundle.environment(SINTER_CACHE="off"))
        self.error = "" if "device" in self.worker.first else self.worker.first.get("error", "it does not start")
        self.details = self.worker.first.get("details", "")

    def ask(self, program):
        """Without a roofline's line the bare kernels of sinter_kernels move nothing."""
        answer = self.worker.ask(program.text(), LONGEST)
        if "error" in answer:
            self.worker.stop("")  # a fault on a GPU stays with its process
        return answer


class Comparison:
    """Both builds, and what each program took."""

    def __init__(self, base, new):
        self.builds = {"base": base, "new": new}

    def first(self, program):
        """Compiles the program in both at once, which is not timed. The errors, by build."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = dict(zip(self.builds, pool.map(lambda build: build.ask(program), self.builds.values())))
        return {name: answer["error"] for name, answer in answers.items() if "error" in answer}, answers

    def turns(self, program, count):
        """A row: each turn gives each build's median; which of them goes first alternates."""
        taken = {"base": [], "new": []}
        for turn in range(count):
            for name in sorted(taken, reverse=turn % 2):
                answer = self.builds[name].ask(program)
                if "error" in answer:
                    return {"error": f"{name}: {answer['error']}"}
                taken[name].append(median(answer["own_us"]))
        return {"ratio": ratio_of_pairs(taken["new"], taken["base"])} | {f"{name}_us": median(taken[name]) for name in taken}


def is_slower(row):
    return row["ratio"]["low"] > SLOWER


def geometric_mean(rows):
    mean, error = mean_and_error([row["ratio"]["mean"] for row in rows])
    return bounded(mean, error, len(rows) - 1)


def ratio_text(ratio):
    return f"{ratio['mean']:.3f} ({ratio['low']:.3f} to {ratio['high']:.3f})"


def time_all(comparison, settings, clock, part):
    """Rows of the programs that were timed, before the time was over."""
    rows = []
    for seed in range(settings.drawn_seed, settings.drawn_seed + settings.drawn):
        if clock.left() < LEAST:
            break
        program = draw(settings.device, seed, subject=settings.subject)
        errors, answers = comparison.first(program)
        if "new" in errors and "base" not in errors:
            part.faults.append(f"{program.id} fails, and not in the base: {errors['new']}")
        elif errors:
            part.notes.append(f"{program.id} fails in the base{' and here' if 'new' in errors else ''}: {errors['base']}")
        if errors:
            continue
        row = comparison.turns(program, settings.turns)
        if "error" in row:
            part.faults.append(f"{program.id}: {row['error']}")
            continue
        row |= {"program": program, "explain": {name: answer["explain"] for name, answer in answers.items()}}
        rows.append(row)
    return rows


def time_again(comparison, rows, clock, part):
    """Those that look slower, once more, with more turns; returns those that still do."""
    slower = []
    for row in filter(is_slower, rows):
        if clock.left() > 0:
            again = comparison.turns(row["program"], MORE_TURNS)
            if "error" in again:
                part.faults.append(f"{row['program'].id}: {again['error']}")
                continue
            row |= again
        else:
            part.notes.append(f"{row['program'].id} was not timed once more: the time was over")
        if is_slower(row):
            slower.append(row)
    return slower


def section(row):
    program = row["program"]
    text = f"### {program.id}: {ratio_text(row['ratio'])} times the base's {row['base_us']:.1f} µs\n\n"
    text += what({"facts": facts_of(program)}) + f", {program.mode}\n"
    for name in ("base", "new"):
        text += f"\n{name}:\n\n```\n{row['explain'][name].rstrip()}\n```\n"
    return text


def check_times(settings, seconds):
    part, clock = Part("times beside the base"), Clock(seconds)
    if settings.base is None:
        part.faults.append("nothing was timed: --base names no bundle")
        return [part]
    for bundle in (settings.base, settings.bundle):
        if bundle.program("sinter_kernels") is None:
            part.faults.append(f"there is no sinter_kernels of {bundle.commit()}")
            return [part]
    builds = [Build(bundle, settings.device) for bundle in (settings.base, settings.bundle)]
    part.faults += [f"sinter_kernels does not run: {build.error}" for build in builds if build.error]
    if part.faults:
        return [part]
    comparison = Comparison(*builds)
    rows = time_all(comparison, settings, Clock(clock.left() * (1 - AGAIN_SHARE)), part)
    slower = time_again(comparison, rows, clock, part)
    for build in builds:
        build.worker.close()
    kind = f"{settings.subject} programs" if settings.subject else "programs"
    part.done = f"{len(rows)} of {settings.drawn} {kind} from seed {settings.drawn_seed}, {settings.turns} turns"
    if not rows:
        part.faults.append("no program was timed")
        return [part]
    part.seconds = clock.passed()
    part.figures = [("kernels slower by more than 3%", f"{len(slower)} of {len(rows)}"),
                    ("geometric mean of the times, new / base", ratio_text(geometric_mean(rows))),
                    ("runtime", builds[1].details)]
    slower.sort(key=lambda row: -row["ratio"]["mean"])
    part.details = [section(row) for row in slower]
    return [part]
