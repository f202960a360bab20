#!/usr/bin/env python3
"""Checks the programs that are timed, with fewer elements, against the differential fuzzer's oracle.

usage: check.py --oracle DIR [--target cpu|cuda] [--device cpu|cuda] [--first SEED] [--count N] [--bytes B]
                [--subject NAME] [--runner PATH | --peer torch|jax]

DIR holds oracle.py, which says with NumPy what each node means and how far a right result may lie from it. Needs NumPy,
SciPy and ml_dtypes. With --peer the translation for that library is checked instead of Sinter.
"""
import argparse
import importlib
import pathlib
import subprocess
import sys

import numpy as np

from draw import FRESH, draw
from element_types import KINDS, SIZES
from subjects import SUBJECTS
from translate import translate

HERE = pathlib.Path(__file__).resolve().parent


def data(kind, count, random, oracle):
    """Numbers as the runner's: between 1/2 and 2, from 1 to 9, or coins."""
    of = oracle.DT[kind]
    if KINDS[kind] == "b":
        return random.random(count) < 0.5
    if KINDS[kind] in "iu":
        return random.integers(1, 10, count).astype(of)
    real = random.uniform(0.5, 2, count)
    if KINDS[kind] == "c":
        return (real + 1j * random.uniform(0.5, 2, count)).astype(of)
    return oracle.to_float(real, of)


def operand(at, buffer):
    size = SIZES[at.type]
    return np.lib.stride_tricks.as_strided(buffer[at.offset():], at.extents, [stride * size for stride in at.strides()])


def wanted(program, buffers, oracle):
    """The oracle's values of the outputs."""
    nodes, number = [], 0
    for node in program.nodes:
        if node["k"] == "input":
            node = {"k": "input", "arr": operand(node["layout"], buffers[number])}
            number += 1
        nodes.append(node)
    values = oracle.run({"nodes": nodes, "mode": program.mode})
    return [values[value] for value in program.out]


class Runner:
    def __init__(self, path, device):
        self.process = subprocess.Popen([path, "answer", f"--device={device}"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def results(self, program, buffers, oracle):
        self.process.stdin.write(program.text().encode() + b"".join(buffer.tobytes() for buffer in buffers))
        self.process.stdin.flush()
        head = self.process.stdout.readline().decode().split(None, 2)
        if not head or head[0] != "ok":
            raise RuntimeError(" ".join(head) or "the runner ended")
        made = []
        for _ in range(int(head[2])):
            words = self.process.stdout.readline().decode().split()
            shape = [int(word) for word in words[2:]]
            bytes_ = self.process.stdout.read(int(np.prod(shape)) * SIZES[words[0]])
            made.append(np.frombuffer(bytes_, np.uint8).view(oracle.DT[words[0]]).reshape(shape))
        return made


class Peer:
    def __init__(self, name, device):
        self.name, self.device = name, device
        self.worker = importlib.import_module(f"peer_{name}").Peer(device)

    def results(self, program, buffers, oracle):
        arrays = [self.worker.array(buffer, at.type) for at, buffer in zip(program.inputs(), buffers)]
        return [self.worker.numbers(result) for result in self.worker.compiled(translate(program, self.name))(*arrays)]


def fault(program, got, want, oracle):
    """What is wrong, or nothing."""
    for value, made, right in zip(program.out, got, want):
        if program.types[value] != oracle.NAME[right.d] or program.shapes[value] != right.a.shape:
            return f"the generator takes n{value} for {program.types[value]}{list(program.shapes[value])}"
        wrong = oracle.compare(made, right, program.mode == "strict")
        if wrong:
            return f"n{value}: {wrong}"
    return None


def rough_fault(program, got, want, oracle):
    """A peer rounds, orders and contracts as it likes: most elements must be near, and all types and shapes equal."""
    for value, made, right in zip(program.out, got, want):
        if made.shape != right.a.shape or oracle.NAME[made.dtype] != program.types[value]:
            return f"n{value} is {made.dtype}{list(made.shape)} instead of {program.types[value]}{list(right.a.shape)}"
        if program.nodes[value].get("op") in ("argmax", "argmin"):
            continue  # ties hang on roundings
        a, b = oracle.wide(made), oracle.wide(right.a)
        known = np.isfinite(b) & np.isfinite(a)
        near = np.abs(a - b) <= 0.05 * np.abs(b) + 0.05
        if made.size and (near | ~known).mean() < 0.9:
            return f"n{value}: {(near | ~known).mean():.2f} of {made.size} elements are near"
    return None


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--oracle", required=True, help="the folder of oracle.py")
    ap.add_argument("--target", choices=("cpu", "cuda"), default="cpu", help="whose sample programs are of")
    ap.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where they run")
    ap.add_argument("--first", type=int, default=FRESH)
    ap.add_argument("--count", type=int, default=200)
    ap.add_argument("--subject", choices=SUBJECTS, help="of all programs; without it, some have one")
    ap.add_argument("--bytes", type=int, default=1 << 17, help="of all arrays of a program, at most")
    ap.add_argument("--runner", default=str(HERE.parents[1] / "build" / "bench" / "sinter_kernels"))
    ap.add_argument("--peer", choices=("torch", "jax"))
    args = ap.parse_args()
    sys.path.insert(0, args.oracle)
    oracle = importlib.import_module("oracle")
    checked = Peer(args.peer, args.device) if args.peer else Runner(args.runner, args.device)
    judge = rough_fault if args.peer else fault
    faults = 0
    for seed in range(args.first, args.first + args.count):
        program = draw(args.target, seed, (args.bytes, 1e7), args.subject)
        random = np.random.default_rng(seed)
        buffers = [data(at.type, at.buffer_elements(), random, oracle) for at in program.inputs()]
        try:
            wrong = judge(program, checked.results(program, buffers, oracle), wanted(program, buffers, oracle), oracle)
        except Exception as failure:  # of a program that cannot run: that is the fault
            wrong = f"{type(failure).__name__}: {str(failure)[:300]}"
        if wrong:
            faults += 1
            print(f"{program.id} ({program.family}, {program.mode}): {wrong}", flush=True)
    print(f"{args.count} programs, {faults} with faults")
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
