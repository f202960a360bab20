#!/usr/bin/env python3
"""Times the first call in a new Python process whose kernels CuPy or JAX keep on disk.

The counterpart of sinter_cached_process: the same two functions (a softmax of rows, and where(v > 0, sin(v) * exp(v),
sqrt(v))) of 64 x 4096 floats. Starting Python, importing, starting the driver and moving the array to the device are
over before the clock starts; the clock stops when the result is there.
usage: cached_processes.py [--peers cupy,jax] [--processes N] [--out FILE.json]

A peer that is not installed, or has no device, is left out with a line that says so. JAX runs on what it finds by itself:
`device` tells.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SHAPE = (64, 4096)


def cupy_calls():
    import cupy
    import numpy

    def softmax(v):
        e = cupy.exp(v - cupy.max(v, axis=1, keepdims=True))
        return e / cupy.sum(e, axis=1, keepdims=True)

    def chosen(v):
        return cupy.where(v > 0, cupy.sin(v) * cupy.exp(v), cupy.sqrt(v))

    x = cupy.asarray(numpy.full(SHAPE, 0.5, dtype=numpy.float32))
    synchronize = cupy.cuda.Device().synchronize
    synchronize()
    fused = cupy.fuse(kernel_name="cached_where")(chosen)
    # cupy.fuse knows no keepdims, so the softmax is plain CuPy.
    device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    return [lambda: (softmax(x), synchronize()), lambda: (fused(x), synchronize())], device, "cupy " + cupy.__version__


def jax_calls():
    import jax
    import jax.numpy as jnp
    import numpy

    # Its defaults keep only what took a second to compile.
    jax.config.update("jax_compilation_cache_dir", os.environ["SINTER_PEER_CACHE"])
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)

    @jax.jit
    def softmax(v):
        e = jnp.exp(v - jnp.max(v, axis=1, keepdims=True))
        return e / jnp.sum(e, axis=1, keepdims=True)

    @jax.jit
    def chosen(v):
        return jnp.where(v > 0, jnp.sin(v) * jnp.exp(v), jnp.sqrt(v))

    x = jax.block_until_ready(jax.device_put(numpy.full(SHAPE, 0.5, dtype=numpy.float32)))
    calls = [lambda: jax.block_until_ready(softmax(x)), lambda: jax.block_until_ready(chosen(x))]
    return calls, jax.devices()[0].device_kind, "jax " + jax.__version__


PEERS = {"cupy": cupy_calls, "jax": jax_calls}


def child(peer):
    """One process: microseconds of the two first calls."""
    calls, device, version = PEERS[peer]()
    spent = []
    for call in calls:
        begin = time.perf_counter()
        call()
        spent.append((time.perf_counter() - begin) * 1e6)
    print(json.dumps({"first": spent[0], "second": spent[1], "device": device, "version": version}))


def files_in(folder):
    return {str(path) for path in pathlib.Path(folder).rglob("*") if path.is_file() and "atime" not in path.name}


def run_process(peer, folder):
    environment = dict(os.environ, CUPY_CACHE_DIR=folder, SINTER_PEER_CACHE=folder, XLA_PYTHON_CLIENT_PREALLOCATE="false")
    made = subprocess.run([sys.executable, __file__, "--child", peer], env=environment, capture_output=True, text=True)
    if made.returncode != 0:
        lines = made.stderr.strip().splitlines()
        raise RuntimeError(lines[-1][:160] if lines else f"exit status {made.returncode}")
    return json.loads(made.stdout.splitlines()[-1])


def measure(peer, processes):
    with tempfile.TemporaryDirectory() as folder:
        cold = run_process(peer, folder)
        run_process(peer, folder)  # whatever only a second process writes
        kept = files_in(folder)
        if not kept:
            raise RuntimeError("nothing was kept on disk")
        runs = [run_process(peer, folder) for _ in range(processes)]
        if files_in(folder) != kept:
            raise RuntimeError("something was compiled although it was kept")
    return {"name": f"cache/new_process_{peer}", "peer": peer, "device": cold["device"], "version": cold["version"],
            "us": round(statistics.median(run["first"] for run in runs), 1),
            "second_function_us": round(statistics.median(run["second"] for run in runs), 1),
            "compiling_us": round(cold["first"], 1), "processes": processes}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--peers", default="cupy,jax")
    ap.add_argument("--processes", type=int, default=9)
    ap.add_argument("--out", default="")
    ap.add_argument("--child", choices=PEERS, help=argparse.SUPPRESS)
    args = ap.parse_args()
    if args.child:
        return child(args.child)
    rows = []
    for peer in filter(PEERS.__contains__, args.peers.split(",")):
        try:
            rows.append(measure(peer, args.processes))
            print(json.dumps(rows[-1]), flush=True)
        except RuntimeError as reason:
            print(f"{peer}'s cache is left out: {reason}", flush=True)
    if args.out:
        pathlib.Path(args.out).write_text(json.dumps({"rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
