#!/usr/bin/env python3
"""Times the 100 calls of sinter_sequences in CuPy and PyTorch: y = x + a * y on 4,096 floats, made one by one, and
captured into a CUDA graph that is replayed.

The figures are those of bench/sequences.cpp: microseconds of all 100 calls, the median and the least over batches of
replays with the end of the work, and the host's time of one replay.
usage: sequences.py [--peers cupy,torch] [--out FILE.json]

A peer that is not installed, or has no device, is left out with a line that says so.
"""
import argparse
import json
import statistics
import sys
import time

CALLS, ELEMENTS, BATCHES, REPLAYS = 100, 1 << 12, 50, 20


def measure(what, replay, synchronize):
    whole, on_host = [], []
    replay()
    for _ in range(BATCHES):
        synchronize()
        begin = time.perf_counter()
        replay()
        on_host.append(1e6 * (time.perf_counter() - begin))
        synchronize()
        begin = time.perf_counter()
        for _ in range(REPLAYS):
            replay()
        synchronize()
        whole.append(1e6 * (time.perf_counter() - begin) / REPLAYS)
    row = {"measure": what, "microseconds": round(statistics.median(whole), 2), "least": round(min(whole), 2),
           "host_microseconds": round(statistics.median(on_host), 2), "calls": CALLS}
    print(json.dumps(row), flush=True)
    return row


def cupy_rows():
    import cupy
    step = cupy.ElementwiseKernel("float32 x, float32 a", "float32 y", "y = x + a * y", "sequences_step")
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x, y = cupy.ones(ELEMENTS, "float32"), cupy.ones(ELEMENTS, "float32")

        def calls():
            for _ in range(CALLS):
                step(x, 0.5, y)

        rows = [measure("cupy, one by one", calls, stream.synchronize)]
        stream.begin_capture()
        calls()
        graph = stream.end_capture()
        rows.append(measure("cupy, graph", lambda: graph.launch(stream), stream.synchronize))
    return rows, "cupy " + cupy.__version__


def torch_rows():
    import torch
    if not torch.cuda.is_available():
        raise ImportError("PyTorch has no CUDA device")
    x, y = torch.ones(ELEMENTS, device="cuda"), torch.ones(ELEMENTS, device="cuda")

    def calls():
        for _ in range(CALLS):
            torch.add(x, y, alpha=0.5, out=y)

    rows = [measure("torch, one by one", calls, torch.cuda.synchronize)]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        calls()
    rows.append(measure("torch, graph", graph.replay, torch.cuda.synchronize))
    return rows, "torch " + torch.__version__


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", default="cupy,torch")
    parser.add_argument("--out", default="")
    args = parser.parse_args()
    made = {"versions": [], "rows": []}
    for peer in args.peers.split(","):
        try:
            rows, version = {"cupy": cupy_rows, "torch": torch_rows}[peer]()
        except Exception as missing:  # a broken installation raises what it likes
            print(f"{peer} is left out: {missing}", file=sys.stderr, flush=True)
            continue
        made["versions"].append(version)
        made["rows"] += rows
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(made, file, indent=1)


if __name__ == "__main__":
    main()
