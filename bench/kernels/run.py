#!/usr/bin/env python3
"""Times a shard of the drawn programs: Sinter beside the roofline, and the peers, in one run on one machine.

usage: run.py --out FILE.jsonl [--target cpu|cuda] [--set all|fit|held | --fresh COUNT [--first SEED] |
              --seeds LIST] [--shard I/N]
              [--seconds S] [--pairs P | --candidates N] [--peers torch,jax|none] [--peers-every K] [--runner PATH]

Shard I of N takes every Nth program, so that shards are alike. What does not fit into the S seconds is recorded as
skipped: a later run of the same shard, or of more shards, fills it in. merge.py puts shards together.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import select
import subprocess
import sys
import time

from draw import FRESH, draw, sample
from draws import Draws
from program import operations_of
from roofline import requirements, requirements_text
from translate import translate

HERE = pathlib.Path(__file__).resolve().parent
LONGEST = 60  # seconds that one answer may take
LONGEST_OF_TUNING = 240  # with the search of every schedule
LEAST = {True: 25, False: 8}  # seconds that must be left to begin a program, with peers and without


class Worker:
    """A process that answers each request with a line of JSON."""

    def __init__(self, command, environment=None):
        self.command, self.environment, self.process = command, environment, None
        self.first = self.start(120)

    def start(self, seconds):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=self.environment)
        self.rest = b""
        return self.line(seconds)

    def line(self, seconds):
        end = time.monotonic() + seconds
        while b"\n" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return self.stop(f"no answer in {seconds:.0f} s")
            read = os.read(self.process.stdout.fileno(), 1 << 20)
            if not read:
                return self.stop("the process ended")
            self.rest += read
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def stop(self, why):
        """Ends the process; the next request starts another."""
        if self.process is None:
            return {"error": why}
        self.process.kill()
        status = self.process.wait()
        self.process = None
        return {"error": f"{why} (exit status {status})" if "ended" in why else why}

    def ask(self, text, seconds):
        end = time.monotonic() + seconds
        if self.process is None and "error" in (failed := self.start(seconds)):
            return failed
        try:
            self.process.stdin.write(text.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            return self.stop("the process ended")
        return self.line(max(0.1, end - time.monotonic()))

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def shape_text(shape):
    return "x".join(map(str, shape))


def facts_of(program):
    """What a kernel is, for tables and for finding what the slow ones share."""
    inputs, shapes = program.inputs(), program.shapes
    reduced = [node for node in program.nodes if node["k"] in ("reduce", "scan")]
    return {"family": program.family, "mode": program.mode, "operations": operations_of(program),
            "elements": max(map(math.prod, shapes)),
            "operands": [f"{at.type} {at.kind} {shape_text(at.extents)}:{','.join(map(str, at.strides()))}"
                         for at in inputs],
            "layouts": sorted({at.kind for at in inputs}), "types": sorted({at.type for at in inputs}),
            "reductions": [f"{node['op']} {node['axes'] if node['k'] == 'reduce' else node['axis']} of "
                           f"{shape_text(shapes[node['a'][0]])}" for node in reduced],
            "results": [f"{program.types[value]} {shape_text(shapes[value])}" for value in program.out]}


def task_of(program, peer, pairs, seconds):
    buffers = [[at.type, at.buffer_elements()] for at in program.inputs()]
    return json.dumps({"id": program.id, "text": translate(program, peer), "buffers": buffers, "samples": pairs,
                       "seconds": seconds}) + "\n"


def commit():
    try:
        head = subprocess.run(["git", "-C", str(HERE), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    except FileNotFoundError:  # without git
        return "unknown"
    return head.stdout.strip() or "unknown"


def default_runner():
    """Beside this folder in a GPU bundle, else in the build folder."""
    beside = HERE.parent / "sinter_kernels"
    return beside if beside.exists() else HERE.parents[1] / "build" / "bench" / "sinter_kernels"


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", type=pathlib.Path, required=True)
    ap.add_argument("--target", choices=("cpu", "cuda"), default="cuda")
    ap.add_argument("--set", choices=("all", "fit", "held"), default="all")
    ap.add_argument("--fresh", type=int, default=0, help="so many seeds that nobody has seen, instead of the set")
    ap.add_argument("--first", type=int, default=FRESH, help="of the fresh seeds")
    ap.add_argument("--seeds", type=lambda text: [int(each) for each in text.split(",")], default=[],
                    help="these fresh seeds alone, separated by commas")
    ap.add_argument("--shard", default="0/1")
    ap.add_argument("--seconds", type=float, default=540)
    ap.add_argument("--pairs", type=int, default=30)
    ap.add_argument("--candidates", type=int, default=0, help="time so many other schedules instead of pairs")
    ap.add_argument("--tune", type=float, default=0, help="tune with this budget in seconds instead of timing")
    ap.add_argument("--whole", type=float, default=120, help="seconds of the search of every schedule; 0: none")
    ap.add_argument("--peers", default="torch,jax")
    ap.add_argument("--peers-every", type=int, default=4, help="one in so many programs is run by the peers")
    ap.add_argument("--runner", type=pathlib.Path, default=default_runner())
    ap.add_argument("--commit", default="", help="where this is no git checkout")
    args = ap.parse_args()
    args.shard = tuple(map(int, args.shard.split("/")))
    if not 0 <= args.shard[0] < args.shard[1]:
        ap.error("shards are numbered from 0: --shard 0/4")
    return args


def seeds_of(args):
    """Of this shard's programs."""
    seeds = args.seeds or (list(range(args.first, args.first + args.fresh)) if args.fresh
                           else sample(args.target, args.set))
    return seeds[args.shard[0]::args.shard[1]]


def is_compared(name, every):
    """Whether the peers run a program, too: about one in so many, whatever the shards are."""
    return Draws(f"{name} with peers").below(every) == 0


class Shard:
    def __init__(self, args):
        self.args, self.end = args, time.monotonic() + args.seconds
        paths = [str(args.runner.resolve().parent), os.environ.get("LD_LIBRARY_PATH", "")]
        environment = dict(os.environ, SINTER_CACHE="off", LD_LIBRARY_PATH=":".join(filter(None, paths)))
        verb = (["tune"] if args.tune else ["candidates", f"--most={args.candidates}"] if args.candidates
                else ["time", f"--pairs={args.pairs}"])
        if args.tune:
            verb.append(f"--whole={args.whole}")
        self.runner = Worker([str(args.runner), *verb, f"--device={args.target}",
                              f"--seconds={args.tune or LONGEST / 6}"], environment)
        self.peers, self.absent = {}, {}
        for name in filter(None, args.peers.replace("none", "").split(",")):
            worker = Worker([sys.executable, str(HERE / "peer_worker.py"), name, args.target])
            if "version" in worker.first:
                self.peers[name] = worker
            else:
                self.absent[name] = worker.first.get("absent", worker.first.get("error"))
                print(f"{name} is left out: {self.absent[name]}", flush=True)

    def is_fresh(self):
        return bool(self.args.fresh or self.args.seeds)

    def left(self):
        return self.end - time.monotonic()

    def head(self):
        return {"target": self.args.target, "shard": list(self.args.shard), "set": "fresh" if self.is_fresh() else
                self.args.set, "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                "commit": self.args.commit or commit(), "pairs": self.args.pairs, "machine": self.runner.first,
                "peers": {name: worker.first["version"] for name, worker in self.peers.items()}, "absent": self.absent}

    def row(self, seed):
        """Times one program; or says why it was not."""
        with_peers = bool(self.peers) and is_compared(f"{self.args.target}-{seed}", self.args.peers_every)
        which = "fresh" if self.is_fresh() else ("fit", "held")[seed % 2]
        row = {"id": f"{self.args.target}-{seed}", "seed": seed, "set": which}
        over = {"skipped": f"the {self.args.seconds:.0f} s of the shard were over"}
        if self.left() < LEAST[with_peers]:
            return row | over
        program = draw(self.args.target, seed)
        needed = requirements(program, self.args.target)
        answer = self.runner.ask(requirements_text(needed) + program.text(),
                                 min(LONGEST_OF_TUNING if self.args.tune else LONGEST, self.left()))
        if "error" in answer:
            self.runner.stop("")  # a fault on a GPU stays with its process
        if "error" in answer and self.left() < 1:
            return row | over  # it was cut off
        row |= {"facts": facts_of(program), "needed": needed} | answer
        if with_peers:
            row["peers"] = {name: self.ask_peer(name, program) for name in self.peers}
        return row

    def ask_peer(self, name, program):
        seconds = min(LONGEST, self.left())
        if seconds < 2:
            return {"error": "not begun: the time of the shard was over"}
        answer = self.peers[name].ask(task_of(program, name, self.args.pairs, seconds / 3), seconds)
        if "CUDA" in answer.get("error", ""):
            self.peers[name].stop("")
        if "error" in answer and self.left() < 1:
            answer["error"] = "cut off: the time of the shard was over"
        return {key: value for key, value in answer.items() if key != "id"}

    def close(self):
        for worker in [self.runner, *self.peers.values()]:
            worker.close()


def main():
    args = arguments()
    shard = Shard(args)
    if "device" not in shard.runner.first:
        sys.exit(f"{args.runner} does not run: {shard.runner.first.get('error', '')}")
    counts = {"timed": 0, "skipped": 0, "error": 0}
    with args.out.open("w") as out:
        print(json.dumps(shard.head()), file=out, flush=True)
        for seed in seeds_of(args):
            row = shard.row(seed)
            counts["skipped" if "skipped" in row else "error" if "error" in row else "timed"] += 1
            print(json.dumps(row), file=out, flush=True)
    shard.close()
    print(f"{args.out}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))


if __name__ == "__main__":
    main()
