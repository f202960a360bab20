#!/usr/bin/env python3
"""Times what a user would pick instead, on the workloads of workloads.py and parts.py.

Runs on a machine with an NVIDIA GPU and PyTorch, CuPy and JAX installed; with --device cpu it times NumPy alone, on the
workloads that have a form for it.
usage: peers.py [--group pointwise|reductions|parts|all] [--only NAME,...]
                [--peers torch,compile,max-autotune,cupy,jax] [--device cuda|cpu]
                [--budget SECONDS] [--seconds SECONDS] [--out FILE.json]

Each figure is the median over repeated batches of the time of one call, in
microseconds: the device is synchronised, `reps` calls are queued, the device is
synchronised again. Inputs are fresh random data. A peer that cannot express a
workload, or fails on it, has its error in place of a figure.
Every row carries `bytes`: the least traffic (each input read once, each output
written once); `frac_copy` is bytes / time over the bandwidth of a large
device-to-device copy (on the CPU: NumPy's) measured in the same run.
"""
import argparse
import json
import os
import statistics
import time

POINTWISE = ("axpy", "where_inf", "gelu_bf16", "black_scholes", "outer_add", "add_transposed",
             "rgb_to_grey_strided", "heat_stencil", "call_overhead_5ops")

REDUCTIONS = ("mse_full", "row_sum_64", "row_sum_8192", "col_sum", "mid_sum", "argmax_rows", "var_rows", "softmax_256",
              "softmax_4096", "softmax_65536", "softmax_native_4096", "layernorm_f32_4096", "layernorm_f16_4096",
              "rmsnorm_bf16_8192", "normalize_full", "pairwise_distance", "nearest_distance", "cumsum_rows", "gather_rows")

PARTS = ("periodic_stencil", "concatenate_two", "concatenate_unaligned", "concatenate_four", "concatenate_rows",
         "concatenate_columns", "pad_constant", "pad_edge", "pad_reflect", "pad_wrap", "roll_vector", "tile",
         "repeat_elements", "reshape_transposed", "window_sum", "sum_of_squares_of_concatenation")

ap = argparse.ArgumentParser()
ap.add_argument("--group", choices=("pointwise", "reductions", "parts", "all"), default="all")
ap.add_argument("--only", default="", help="workloads by name, instead of a group")
ap.add_argument("--peers", default="torch,compile,max-autotune,cupy,jax")
ap.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
ap.add_argument("--budget", type=float, default=0.6, help="seconds for each figure")
ap.add_argument("--seconds", type=float, default=0, help="after these no further figure is begun; 0: no limit")
ap.add_argument("--out", default="")
ap.add_argument("--extra", default="", help="a Python file of further run(...) lines, run instead of the workloads")
args = ap.parse_args()
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
want = set(filter(None, args.only.split(","))) or set(
    {"pointwise": POINTWISE, "reductions": REDUCTIONS, "parts": PARTS, "all": ()}[args.group])
begin = time.monotonic()
dev = args.device
peers = args.peers.split(",") if dev == "cuda" else ["numpy"]
torch = np = cp = jax = jnp = None
if dev == "cuda":
    import torch
    torch.set_float32_matmul_precision("highest")
else:
    import numpy as np
if "cupy" in peers:
    import cupy as cp
if "jax" in peers:
    import jax
    import jax.numpy as jnp
rows = []


def sync():
    if dev == "cuda":
        torch.cuda.synchronize()


def timed(fn, budget=args.budget):
    fn()
    sync()
    t = time.perf_counter()
    fn()
    sync()
    one = time.perf_counter() - t
    reps = max(3, min(2000, int(0.02 / max(one, 1e-6))))
    out, end = [], time.perf_counter() + budget
    while time.perf_counter() < end or len(out) < 5:
        sync()
        t = time.perf_counter()
        for _ in range(reps):
            r = fn()
        sync()
        out.append((time.perf_counter() - t) / reps * 1e6)
        del r
    return statistics.median(out)


def copy_bandwidth():
    """TB/s, bytes read plus bytes written."""
    if dev == "cpu":
        a = R(2 ** 25)
        b = np.empty_like(a)
        return 2 * a.nbytes / timed(lambda: np.copyto(b, a), budget=0.6) * 1e-6
    a = torch.empty(2 ** 30, dtype=torch.float32, device=dev).normal_()
    b = torch.empty_like(a)
    us = timed(lambda: b.copy_(a), budget=0.6)
    return 2 * a.numel() * 4 / us * 1e-6


def record(name, peer, nbytes, fn, first):
    row = {"workload": name, "peer": peer, "bytes": nbytes}
    try:
        if args.seconds and time.monotonic() - begin > args.seconds:
            raise TimeoutError(f"not begun: {args.seconds:.0f} s were over")
        t = time.perf_counter()
        first()
        sync()
        row["first_call_ms"] = round((time.perf_counter() - t) * 1e3, 2)
        us = timed(fn)
        row["us"] = round(us, 2)
        row["spent_s"] = round(time.perf_counter() - t, 2)  # with its compile: what this figure costs a run
        row["frac_copy"] = round(nbytes / us * 1e-6 / BW, 4)
    except Exception as e:  # the peer cannot do it: that is the result
        text = str(e).strip()
        row["error"] = type(e).__name__ + (": " + text.splitlines()[0][:160] if text else "")
    rows.append(row)
    print(json.dumps(row), flush=True)


def run(name, nbytes, make, f_torch, f_cupy=None, f_jax=None, f_numpy=None):
    """make() -> list of torch tensors, on the CPU of NumPy's arrays; f_*(*arrays) -> result(s)."""
    if (want and name not in want) or (dev == "cpu" and f_numpy is None):
        return
    if dev == "cpu":
        xs = make()
        record(name, "numpy", nbytes, lambda: f_numpy(*xs), lambda: f_numpy(*xs))
        return
    torch._dynamo.reset()
    xs = make()
    sync()
    if "torch" in peers:
        record(name, "torch", nbytes, lambda: f_torch(*xs), lambda: f_torch(*xs))
    if "compile" in peers:
        c = torch.compile(f_torch, dynamic=False)
        record(name, "torch.compile", nbytes, lambda: c(*xs), lambda: c(*xs))
    if "max-autotune" in peers:
        torch._dynamo.reset()
        # Without CUDA graphs: a replay would first copy its inputs, which costs large ones more than it saves.
        m = torch.compile(f_torch, dynamic=False, mode="max-autotune-no-cudagraphs")
        record(name, "torch.compile max-autotune", nbytes, lambda: m(*xs), lambda: m(*xs))
    if cp is not None and f_cupy is not None:
        ys = [cp.from_dlpack(x) if x.dtype != torch.bfloat16 else None for x in xs]
        g = cp.fuse(kernel_name="k")(f_cupy)

        def tr():
            g(*ys)
        record(name, "cupy.fuse", nbytes, tr, tr)
        if "error" in rows[-1]:
            record(name, "cupy", nbytes, lambda: f_cupy(*ys), lambda: f_cupy(*ys))
        del ys
    if jax is not None and f_jax is not None:
        zs = [jax.dlpack.from_dlpack(x) for x in xs]
        j = jax.jit(f_jax)

        def fj():
            return j(*zs)

        def jfirst():
            jax.block_until_ready(j(*zs))
        record(name, "jax.jit", nbytes, fj, jfirst)
        del zs, j
    del xs
    torch.cuda.empty_cache()
    if cp is not None:
        cp.get_default_memory_pool().free_all_blocks()


def R(*s, dt=None):
    if dev == "cpu":
        return np.random.default_rng().standard_normal(s, dtype=np.float32)
    return torch.randn(*s, device=dev, dtype=torch.float32).to(dt or torch.float32)


def M(*s):
    return torch.rand(*s, device=dev) > 0.5


BW = copy_bandwidth()
device_name = torch.cuda.get_device_name() if dev == "cuda" else "cpu"
print(f"copy {BW:.3f} TB/s", device_name, flush=True)
inf = float("inf")
here = os.path.dirname(os.path.abspath(__file__))
N = 2 ** 28
for file in [args.extra] if args.extra else [os.path.join(here, name) for name in ("workloads.py", "parts.py")]:
    exec(compile(open(file).read(), file, "exec"), globals())

if args.out:
    libraries = {"torch": torch, "cupy": cp, "jax": jax, "numpy": np}
    versions = {name: library and library.__version__ for name, library in libraries.items()}
    with open(args.out, "w") as file:
        json.dump({"device": device_name, "copy_TBps": BW, "budget_s": args.budget,
                   "versions": versions, "rows": rows}, file, indent=1)
