"""What a part of the check did, and how it runs a program for a limited time."""
import dataclasses
import os
import signal
import subprocess
import time


@dataclasses.dataclass
class Part:
    """A line of the table. `faults` are texts, one for each fault; `details` are sections below the table."""

    name: str
    done: str = "nothing"
    seconds: float = 0.0
    faults: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    figures: list = dataclasses.field(default_factory=list)  # (name, text): further lines of the table
    details: list = dataclasses.field(default_factory=list)


class Clock:
    """The time that a part has."""

    def __init__(self, seconds):
        self.begin = time.monotonic()
        self.seconds = seconds

    def passed(self):
        return time.monotonic() - self.begin

    def left(self):
        return max(0.0, self.seconds - self.passed())


@dataclasses.dataclass
class Ended:
    """`status` is None for what was stopped because its time was over."""

    status: int | None
    output: str
    seconds: float

    def tail(self, lines=25):
        return "\n".join(self.output.splitlines()[-lines:])


def start(command, log, **options):
    """A program in a process group of its own, which writes into a file."""
    with open(log, "w", encoding="utf-8") as output:
        return subprocess.Popen([str(word) for word in command], stdout=output, stderr=subprocess.STDOUT,
                                start_new_session=True, **options)


def finish(process, log, seconds):
    """Waits for a program that was started; stops it with all that it started when its time is over."""
    begin = time.monotonic()
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        status = None
    with open(log, encoding="utf-8", errors="replace") as output:
        return Ended(status, output.read(), time.monotonic() - begin)


def run(command, log, seconds, **options):
    return finish(start(command, log, **options), log, seconds)
