"""Drawn programs against NumPy (tests/differential), fused and one operation at a time."""
import json
import shutil
import sys

from .bundle import TOP
from .part import Clock, Part, finish, run, start

# Seconds that a session may take beyond its minutes: for its start, its last program and for shrinking.
GRACE = 45
# Seeds of other ways of running programs begin so far apart.
SEEDS_APART = 1_000_000_000
# Share of the time for programs one operation at a time.
UNFUSED_SHARE = 0.2
MAX_REPLAYED = 10


class Session:
    """`python3 -m tests.differential draw` in a folder of its own."""

    def __init__(self, name, settings, seed, count, seconds, jobs, driver, more=()):
        self.name, self.seed = name, seed
        self.folder = settings.output_folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.counts_file, self.log = self.folder / "counts.json", self.folder / "log.txt"
        self.counts_file.unlink(missing_ok=True)
        shutil.rmtree(self.folder / "faults", ignore_errors=True)  # of an earlier run
        command = [sys.executable, "-B", "-m", "tests.differential", "draw", "--device", settings.device, "--driver", driver,
                   "--folder", self.folder, "--seed", seed, "--count", count, "--minutes", seconds / 60, "--jobs", jobs,
                   "--shrink-seconds", 10, "--counts", self.counts_file, *more]
        # Each process of sixteen would start as many threads.
        environment = settings.bundle.environment(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
        self.clock = Clock(seconds + GRACE)
        self.process = start(command, self.log, cwd=TOP, env=environment)

    def part(self):
        """Waits for the session."""
        part = Part(self.name)
        ended = finish(self.process, self.log, self.clock.left())
        part.seconds = self.clock.passed()
        if not self.counts_file.exists():
            why = "did not end in time" if ended.status is None else f"ended with status {ended.status}"
            part.faults.append(f"the session {why}:\n{ended.tail()}")
            return part
        counts = json.loads(self.counts_file.read_text())
        programs, faults = counts.get("programs", 0), counts.get("faults", 0)
        part.done = f"{programs:,} programs from seed {self.seed}"
        explained = sum(count for name, count in counts.items() if name.startswith("explained"))
        if explained:
            part.notes.append(f"{explained} differences from NumPy that are explained (docs/fuzzing.md)")
        if counts.get("generator"):
            part.faults.append(f"the generator failed {counts['generator']} times: see {self.log}")
        part.faults += [path.read_text() for path in self.fault_files()[:faults]]
        part.faults += ["a fault that was counted but not shrunk"] * (faults - min(faults, len(self.fault_files())))
        if ended.status != 0 and not part.faults:
            part.faults.append(f"status {ended.status}:\n{ended.tail()}")
        return part

    def fault_files(self):
        return sorted((self.folder / "faults").glob("*.txt"))


def faults_that_the_base_has(settings, session):
    """A note for each fault: whether the base has it, too."""
    driver = settings.base.program("sinter_differential_driver") if settings.base else None
    if driver is None:
        return []
    notes = []
    for path in session.fault_files()[:MAX_REPLAYED]:
        ended = run([sys.executable, "-B", "-m", "tests.differential", "replay", path, "--device", settings.device, "--driver",
                     driver, "--folder", session.folder / "base"], session.folder / "replay.txt", 60, cwd=TOP,
                    env=settings.base.environment())
        notes.append(f"{path.name} on the base: {'no fault' if ended.status == 0 else ended.tail(1)}")
    return notes


def check_fuzz(settings, seconds):
    driver = settings.bundle.program("sinter_differential_driver")
    if driver is None:
        return [Part("fuzz", faults=["there is no sinter_differential_driver"])]
    parts = []
    for title, how, share, apart in (("fuzz", "fused", 1 - UNFUSED_SHARE, 0),
                                     ("fuzz, one operation at a time", "unfused", UNFUSED_SHARE, SEEDS_APART)):
        session = Session(f"fuzz-{how}", settings, settings.seed + apart, settings.programs, seconds * share, settings.jobs,
                          driver, ["--how", how, "--unfused-share", 0])
        part = session.part()
        part.name = title
        part.notes += faults_that_the_base_has(settings, session)
        parts.append(part)
    return parts
