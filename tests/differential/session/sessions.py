"""What sessions of all kinds of programs share: the options that a program follows from, how a fault is
printed, and processes beside each other."""

import collections
import concurrent.futures
import dataclasses
import multiprocessing
import resource

# Address space of the generator with its oracle; a program that needs more is a fault of the generator.
MAX_ADDRESS_SPACE = 6 << 30
# What the generator and the oracle may raise for a program that they cannot draw.
GENERATOR_ERRORS = (MemoryError, ValueError, TypeError, IndexError, KeyError, OverflowError)


@dataclasses.dataclass
class DrawOptions:
    device: str
    folder: str
    seed: int
    count: int
    profile: str
    mode: str
    structure: bool
    subject: str

    def again(self, command, seed, **choices):
        """What draws and runs one program again; choices without a value are left out."""
        choices = {"profile": self.profile, "mode": self.mode, "subject": self.subject, **choices}
        words = [f"--{name.replace('_', '-')} {value}" for name, value in choices.items() if value]
        words += ["--structure"] if self.structure else []
        return " ".join(
            [f"./bootstrap differential {command}", f"--seed {seed} --count 1", *words]
            + [f"--device {self.device}"]
        )


class Faults:
    """Counts faults, and prints them with what draws their programs again."""

    def __init__(self, counts):
        self.counts = counts

    def generator(self, seed, error):
        self.counts["generator"] += 1
        print(f"seed {seed}: the generator failed: {error!r}", flush=True)

    def print(self, name, outcome, program, again, file=None):
        """`name`: the seed and what kind of run; `program`: a text, or "" where the file is enough."""
        lines = [f"seed {name} {outcome.status}: {outcome.text[:400]}"]
        lines += [program] if program else []
        lines += [f"  file: {file}"] if file else []
        print("\n".join([*lines, f"  again: {again}"]), flush=True)


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


def run_session(session, options):
    resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESS_SPACE, resource.getrlimit(resource.RLIMIT_AS)[1]))
    return session(options).run()


def run_sessions(session, options, jobs):
    """Runs sessions in processes beside each other; returns what they counted, and how many faults that
    makes."""
    total = collections.Counter()
    # Unlike multiprocessing's pool, this one fails where a process is killed.
    context = multiprocessing.get_context("spawn")
    parts = split(options, jobs)
    with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
        for counts in pool.map(run_session, [session] * len(parts), parts):
            total.update(counts)
    for name, count in sorted(total.items(), key=lambda item: -item[1]):
        print(f"{count:8} {name}")
    if not total["programs"]:
        print("no program ran")
    return total, total["faults"] + total["generator"] + (not total["programs"])
