"""A process of the driver, which runs programs, one after the other."""

import contextlib
import dataclasses
import os
import resource
import select
import signal
import subprocess
import time

import numpy as np

from .element_types import DTYPES
from .program_text import buffers_of, driver_input

# Address space of a driver; CUDA reserves more than any bound that would help.
MAX_ADDRESS_SPACE = {"cpu": 12 << 30, "cuda": resource.RLIM_INFINITY}


@contextlib.contextmanager
def address_space(limit):
    """What is started meanwhile has this limit instead of the session's; it never exceeds the hard limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = hard if limit == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@dataclasses.dataclass
class Answer:
    """`status` is "ok", "error", "crash" or "hang"; `text` says what kind of error or crash it was."""

    status: str
    text: str = ""
    error_kind: str = ""
    outputs: list = dataclasses.field(default_factory=list)
    buffers: list = dataclasses.field(default_factory=list)


class DriverProcess:
    """Starts when the first program runs, and again after a crash."""

    def __init__(self, executable, device, folder, *arguments):
        self.executable, self.device, self.folder = executable, device, folder
        self.arguments = arguments
        self.process, self.deadline = None, 0.0
        self.received = bytearray()

    def start(self):
        os.makedirs(self.folder, exist_ok=True)
        environment = {"SINTER_CACHE_DIR": os.path.join(self.folder, "cache"), **os.environ}
        limit = address_space(MAX_ADDRESS_SPACE[self.device])
        with open(os.path.join(self.folder, "driver-errors.txt"), "ab") as errors, limit:
            self.process = subprocess.Popen(
                [self.executable, self.device, *self.arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
            )
        self.received.clear()

    def stop(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process = None

    def run(self, program, variant, timeout=60):
        if self.process is None:
            self.start()
        try:
            self.process.stdin.write(driver_input(program, variant))
            self.process.stdin.flush()
            self.deadline = time.monotonic() + timeout
            return self.read_answer(program)
        except TimeoutError:
            self.end_process(kill=True)
            return Answer("hang", f"no answer within {timeout} seconds")
        except (BrokenPipeError, IndexError):
            return Answer("crash", self.end_process(kill=False))

    def end_process(self, kill):
        if kill:
            self.process.kill()
        status = self.process.wait()
        self.process = None
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"

    def read_answer(self, program):
        words = self.read_line().decode(errors="replace").split(None, 2)
        if not words:
            raise BrokenPipeError
        if words[0] == "error":
            message = words[2].strip() if len(words) > 2 else ""
            return Answer("error", f"{words[1]}: {message}", words[1])
        outputs = [self.read_array() for _ in range(int(words[2]))]
        buffers = (
            [self.read_bytes(buffer.nbytes) for buffer in buffers_of(program)] if program.targets else []
        )
        return Answer("ok", outputs=outputs, buffers=buffers)

    def receive(self):
        """Takes what the driver has written; notices one that ends or waits in the middle of an answer."""
        left = max(0.0, self.deadline - time.monotonic())
        if not select.select([self.process.stdout], [], [], left)[0]:
            raise TimeoutError
        more = os.read(self.process.stdout.fileno(), 1 << 20)
        if not more:
            raise BrokenPipeError
        self.received += more

    def read_raw(self, size):
        while len(self.received) < size:
            self.receive()
        taken = bytes(self.received[:size])
        del self.received[:size]
        return taken

    def read_line(self):
        while b"\n" not in self.received:
            self.receive()
        return self.read_raw(self.received.index(b"\n") + 1)

    def read_bytes(self, size):
        return np.frombuffer(self.read_raw(size), np.uint8).copy()

    def read_array(self):
        name, _, *extents = self.read_line().decode().split()
        shape, dtype = [int(extent) for extent in extents], DTYPES[name]
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        return self.read_bytes(size).view(dtype).reshape(shape) if size else np.zeros(shape, dtype)
