"""The sweeps of the tests, on the card alone."""
import math
import re

from .part import Clock, Part, run

# Trees of integer operations are drawn; graphs of eight trees, so many for each start of the program.
TREES_OF_A_GRAPH, GRAPHS_AT_ONCE = 8, 500
# Of the time, for each of the others: their items are fixed, and as many are run as fit.
SHARE_OF_EACH = 0.08
SWEEPS = ("sweep_casts", "sweep_fast_special_values", "sweep_operations", "sweep_reductions", "sweep_scans")
FIRST_SHARE = 64
# Seconds that a process may take beyond what was expected of it.
GRACE = 30


class Tests:
    """sinter_tests with one file of sweeps."""

    def __init__(self, settings, part):
        self.settings, self.part = settings, part
        self.number = 0

    def run(self, file, seconds, **environment):
        """Runs a file; faults go into the part. None if it did not end in time."""
        settings = self.settings
        self.number += 1
        log = settings.output_folder / f"{file}-{self.number}.txt"
        expected = {"SINTER_EXPECT": "cuda_device,nvrtc"} if settings.device == "cuda" else {}
        environment = {name: str(value) for name, value in environment.items()}
        program = settings.bundle.program("sinter_tests")
        ended = run([program, f"--source-file=*{file}*"], log, seconds, cwd=program.parent,
                    env=settings.bundle.environment(SINTER_SWEEP_DEVICES=settings.device, **expected, **environment))
        if ended.status is None:
            return None
        if ended.status != 0 or re.search(r"test cases: +0 \|", ended.output):
            told = " ".join(f"{name}={value}" for name, value in environment.items())
            self.part.faults.append(f"{told} {program.name} --source-file='*{file}*': status {ended.status}\n{ended.tail(40)}")
        return ended


def sweep_trees(settings, clock):
    part = Part("sweep_integer_trees")
    tests, done = Tests(settings, part), 0
    while done < settings.graphs and clock.left() > 0:
        count = min(GRAPHS_AT_ONCE, settings.graphs - done)
        seed = settings.seed + done
        if tests.run("sweep_integer_trees", clock.left() + GRACE, SINTER_DRAW_SEED=seed, SINTER_DRAW_COUNT=count) is None:
            part.notes.append("stopped because its time was over")
            break
        done += count
    part.done = f"{done * TREES_OF_A_GRAPH:,} of {settings.graphs * TREES_OF_A_GRAPH:,} trees from seed {settings.seed}"
    part.seconds = clock.passed()
    if not done:
        part.faults.append("no tree ran in its time")
    return part


def sweep_share(settings, file, clock):
    """A small share first, which tells the share that fits."""
    part = Part(file)
    tests, share = Tests(settings, part), FIRST_SHARE
    first = tests.run(file, clock.left() + GRACE, SINTER_SWEEP_SHARE=share)
    if first is not None:
        part.done = f"one in {share} of its items"
        fitting = max(1, math.ceil(share * first.seconds / max(clock.left(), 0.01)))
        if fitting < share and not part.faults:
            if tests.run(file, clock.left() + GRACE, SINTER_SWEEP_SHARE=fitting) is not None:
                part.done = f"one in {fitting} of its items" if fitting > 1 else "all of its items"
            else:
                part.notes.append(f"one in {fitting} of its items did not fit into its time")
    else:
        part.faults.append(f"one in {share} of its items did not end in time")
    part.seconds = clock.passed()
    return part


def check_sweeps(settings, seconds):
    if settings.bundle.program("sinter_tests") is None:
        return [Part("sweeps", faults=["there is no sinter_tests"])]
    parts = [sweep_share(settings, file, Clock(seconds * SHARE_OF_EACH)) for file in SWEEPS]
    used = sum(part.seconds for part in parts)
    return [sweep_trees(settings, Clock(max(seconds * SHARE_OF_EACH, seconds - used))), *parts]
