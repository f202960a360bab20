#!/usr/bin/env python3
"""Times translated programs in a process of its own. usage: peer_worker.py torch|jax cpu|cuda < tasks

A task is a line of JSON: `id`, the `text`, the `buffers` as types and counts, how many `samples` and `seconds` at most.
The answer is one too. A first line says which version this is, or why it is absent.
"""
import importlib
import json
import os
import sys
import time

DRAWN = (1 << 18) - 5  # elements that are drawn and then repeated, as in the runner


def pattern(kind, random, numpy):
    if kind == "bool":
        return random.random(DRAWN) < 0.5
    if kind.startswith(("int", "uint")):
        return random.integers(1, 10, DRAWN).astype(kind)
    real = random.uniform(0.5, 2, DRAWN)
    if kind.startswith("complex"):
        return (real + 1j * random.uniform(0.5, 2, DRAWN)).astype(kind)
    return real.astype("float32" if kind == "bfloat16" else kind)


def measure(peer, task, numpy):
    begin = time.perf_counter()
    random = numpy.random.default_rng(1)
    arrays = [peer.repeated(pattern(kind, random, numpy), kind, count) for kind, count in task["buffers"]]
    peer.wait()
    compiled, first = peer.compiled(task["text"]), time.perf_counter()
    compiled(*arrays)
    peer.wait()
    first = time.perf_counter() - first
    peer.sample(compiled, arrays)
    samples = []
    while len(samples) < task["samples"] and (len(samples) < 3 or time.perf_counter() - begin < task["seconds"]):
        samples.append(round(peer.sample(compiled, arrays) * 1e6, 3))
    return {"us": samples, "first_ms": round(first * 1e3, 1), "cold": peer.cold}


def main():
    name, device = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    try:
        import numpy
        peer = importlib.import_module(f"peer_{name}").Peer(device)
    except ImportError as reason:
        print(json.dumps({"absent": str(reason)}), file=answers, flush=True)
        return
    print(json.dumps({"version": peer.version}), file=answers, flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        try:
            answer = measure(peer, task, numpy)
        except Exception as failure:  # the peer cannot do it: that is the result
            text = str(failure).strip()
            answer = {"error": type(failure).__name__ + (": " + text.splitlines()[0][:160] if text else "")}
        peer.forget()
        print(json.dumps(answer | {"id": task["id"]}), file=answers, flush=True)


if __name__ == "__main__":
    main()
