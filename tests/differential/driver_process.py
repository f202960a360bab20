"""A process of the driver, which runs programs, one after the other."""

import dataclasses
import os
import resource
import select
import signal
import subprocess

import numpy as np

from .element_types import DTYPES
from .program_text import buffers_of, driver_input

# Address space of a driver on the CPU; CUDA reserves more than any bound that would help.
MOST_ADDRESS_SPACE = 12 << 30


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

    def __init__(self, executable, device, folder):
        self.executable, self.device, self.folder = executable, device, folder
        self.process = None

    def start(self):
        os.makedirs(self.folder, exist_ok=True)
        environment = {"SINTER_CACHE_DIR": os.path.join(self.folder, "cache"), **os.environ}
        with open(os.path.join(self.folder, "driver-errors.txt"), "ab") as errors:
            self.process = subprocess.Popen(
                [self.executable, self.device],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
            )
        if self.device == "cpu":
            resource.prlimit(self.process.pid, resource.RLIMIT_AS, (MOST_ADDRESS_SPACE, MOST_ADDRESS_SPACE))

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
            if not select.select([self.process.stdout], [], [], timeout)[0]:
                self.end_process(kill=True)
                return Answer("hang", f"no answer within {timeout} seconds")
            return self.read_answer(program)
        except (BrokenPipeError, IndexError):
            return Answer("crash", self.end_process(kill=False))

    def end_process(self, kill):
        if kill:
            self.process.kill()
        status = self.process.wait()
        self.process = None
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"

    def read_answer(self, program):
        words = self.process.stdout.readline().decode(errors="replace").split(None, 2)
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

    def read_bytes(self, size):
        return np.frombuffer(self.process.stdout.read(size), np.uint8).copy()

    def read_array(self):
        name, _, *extents = self.process.stdout.readline().decode().split()
        shape, dtype = [int(extent) for extent in extents], DTYPES[name]
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        return self.read_bytes(size).view(dtype).reshape(shape) if size else np.zeros(shape, dtype)
