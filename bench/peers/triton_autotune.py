#!/usr/bin/env python3
"""Times ten workloads of workloads.py as kernels that a user of Triton writes, under Triton's own autotuner.

usage: triton_autotune.py [--only NAME,...] [--budget SECONDS] [--seconds SECONDS]

A line of JSON for each: the median time of a call in microseconds, measured as peers.py does; the seconds of the first
call, which compiles and times every configuration; their number; and the one that won. Each result is compared with
PyTorch's before it is timed. After --seconds no further kernel is begun. Triton's cache on disk is a new, empty
folder, so that the first call of a second run compiles as well.
"""
import argparse
import json
import os
import statistics
import tempfile
import time

compiled = tempfile.TemporaryDirectory()
os.environ["TRITON_CACHE_DIR"] = compiled.name  # read when Triton compiles

import torch
import triton
import triton.language as tl

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("--only", default="", help="workloads by name")
ap.add_argument("--budget", type=float, default=0.3, help="seconds for each figure")
ap.add_argument("--seconds", type=float, default=600, help="after these no further kernel is begun")
args = ap.parse_args()


def configs(**lists):
    """Every combination of block sizes with 4, 8 and 16 warps."""
    made = [{}]
    for name, values in lists.items():
        made = [dict(each, **{name: value}) for each in made for value in values]
    return [triton.Config(each, num_warps=warps) for each in made for warps in (4, 8, 16)]


FLAT = configs(BLOCK=[512, 1024, 2048, 4096])
ROWS = configs(ROWS=[1, 2, 4])
SHORT_ROWS = configs(ROWS=[32, 64, 128, 256])
STRIPS = configs(ROWS=[16, 32, 64, 128], COLUMNS=[32, 64, 128])
TILES = configs(ROWS=[32, 64, 128], COLUMNS=[32, 64, 128])


@triton.autotune(FLAT, key=["n"])
@triton.jit
def gelu_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n).to(tl.float32)
    inner = 0.7978845608 * (v + 0.044715 * v * v * v)
    tanh = 1 - 2 / (1 + tl.exp(2 * inner))
    tl.store(out + at, (0.5 * v * (1 + tanh)).to(tl.bfloat16), mask=at < n)


@triton.autotune(FLAT, key=["n"])
@triton.jit
def black_scholes_kernel(s, k, t, call, put, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    spot, strike = tl.load(s + at, mask=inside, other=1.0), tl.load(k + at, mask=inside, other=1.0)
    years = tl.load(t + at, mask=inside, other=1.0)
    rate, volatility = 0.02, 0.3
    root = volatility * tl.sqrt(years)
    d1 = (tl.log(spot / strike) + (rate + volatility * volatility / 2) * years) / root
    d2 = d1 - root
    n1 = 0.5 * (1 + tl.erf(d1 * 0.7071067811865476))
    n2 = 0.5 * (1 + tl.erf(d2 * 0.7071067811865476))
    discounted = strike * tl.exp(-rate * years)
    value = spot * n1 - discounted * n2
    tl.store(call + at, value, mask=inside)
    tl.store(put + at, discounted - spot + value, mask=inside)


@triton.autotune(TILES, key=["n"])
@triton.jit
def add_transposed_kernel(x, y, out, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1).to(tl.int64) * COLUMNS + tl.arange(0, COLUMNS)
    turned = tl.trans(tl.load(y + column[:, None] * n + row[None, :]))
    at = row[:, None] * n + column[None, :]
    tl.store(out + at, tl.load(x + at) + turned)


@triton.autotune(SHORT_ROWS, key=["LENGTH"])
@triton.jit
def short_row_sum_kernel(x, out, LENGTH: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    v = tl.load(x + row[:, None] * LENGTH + tl.arange(0, LENGTH)[None, :])
    tl.store(out + row, tl.sum(v * v, axis=1))


@triton.jit
def load_rows(x, LENGTH: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    return row, tl.load(x + row[:, None] * LENGTH + tl.arange(0, LENGTH)[None, :])


@triton.autotune(ROWS, key=["LENGTH"])
@triton.jit
def row_sum_kernel(x, out, LENGTH: tl.constexpr, ROWS: tl.constexpr):
    row, v = load_rows(x, LENGTH, ROWS)
    tl.store(out + row, tl.sum(v * v, axis=1))


@triton.autotune(ROWS, key=["LENGTH"])
@triton.jit
def variance_kernel(x, out, LENGTH: tl.constexpr, ROWS: tl.constexpr):
    row, v = load_rows(x, LENGTH, ROWS)
    centred = v - (tl.sum(v, axis=1) / LENGTH)[:, None]
    tl.store(out + row, tl.sum(centred * centred, axis=1) / LENGTH)


@triton.autotune(ROWS, key=["LENGTH"])
@triton.jit
def argmax_kernel(x, out, LENGTH: tl.constexpr, ROWS: tl.constexpr):
    row, v = load_rows(x, LENGTH, ROWS)
    tl.store(out + row, tl.argmax(v, axis=1).to(tl.int64))


@triton.autotune(ROWS, key=["LENGTH"])
@triton.jit
def softmax_kernel(x, out, LENGTH: tl.constexpr, ROWS: tl.constexpr):
    row, v = load_rows(x, LENGTH, ROWS)
    power = tl.exp(v - tl.max(v, axis=1)[:, None])
    at = row[:, None] * LENGTH + tl.arange(0, LENGTH)[None, :]
    tl.store(out + at, power / tl.sum(power, axis=1)[:, None])


@triton.autotune(ROWS, key=["LENGTH"])
@triton.jit
def layernorm_kernel(x, weight, bias, out, LENGTH: tl.constexpr, ROWS: tl.constexpr):
    row, v = load_rows(x, LENGTH, ROWS)
    along = tl.arange(0, LENGTH)
    centred = v - (tl.sum(v, axis=1) / LENGTH)[:, None]
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=1) / LENGTH + 1e-5)
    made = centred * scale[:, None] * tl.load(weight + along)[None, :] + tl.load(bias + along)[None, :]
    tl.store(out + row[:, None] * LENGTH + along[None, :], made)


@triton.autotune(STRIPS, key=["rows", "columns"])
@triton.jit
def column_sum_kernel(x, parts, rows, columns, PIECES: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    length = rows // PIECES
    first = tl.program_id(1).to(tl.int64) * length
    total = tl.zeros([ROWS, COLUMNS], tl.float32)
    for step in range(0, length, ROWS):
        v = tl.load(x + (first + step + tl.arange(0, ROWS))[:, None] * columns + column[None, :])
        total += v * v
    tl.store(parts + tl.program_id(1) * columns + column, tl.sum(total, axis=0))


def rand(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda").to(dtype)


def flat(kernel, n):
    return kernel, lambda meta: (triton.cdiv(n, meta["BLOCK"]),)


def rows(kernel, n):
    return kernel, lambda meta: (n // meta["ROWS"],)


def gelu_bf16():
    n = 2 ** 28
    x, out = rand(n, dtype=torch.bfloat16), torch.empty(n, device="cuda", dtype=torch.bfloat16)
    kernel, grid = flat(gelu_kernel, n)
    right = lambda: torch.nn.functional.gelu(x.float(), approximate="tanh").to(torch.bfloat16)
    return kernel, lambda: (kernel[grid](x, out, n), out)[1], right


def black_scholes():
    n = 2 ** 27
    s, k, t = (torch.rand(n, device="cuda") + 0.5 for _ in range(3))
    call, put = torch.empty_like(s), torch.empty_like(s)
    kernel, grid = flat(black_scholes_kernel, n)

    def right():
        root = 0.3 * torch.sqrt(t)
        d1 = (torch.log(s / k) + (0.02 + 0.3 * 0.3 / 2) * t) / root
        n1, n2 = (0.5 * (1 + torch.erf(d * 0.7071067811865476)) for d in (d1, d1 - root))
        discounted = k * torch.exp(-0.02 * t)
        return s * n1 - discounted * n2, discounted * (1 - n2) - s * (1 - n1)

    return kernel, lambda: (kernel[grid](s, k, t, call, put, n), (call, put))[1], right


def add_transposed():
    n = 2 ** 14
    x, y, out = rand(n, n), rand(n, n), torch.empty(n, n, device="cuda")
    kernel = add_transposed_kernel
    grid = lambda meta: (n // meta["ROWS"], n // meta["COLUMNS"])
    return kernel, lambda: (kernel[grid](x, y, out, n), out)[1], lambda: x + y.T


def of_rows(kernel, shape, right, result=None):
    x = rand(*shape)
    out = torch.empty_like(x) if result is None else torch.empty(shape[0], device="cuda", dtype=result)
    kernel, grid = rows(kernel, shape[0])
    return kernel, lambda: (kernel[grid](x, out, shape[1]), out)[1], lambda: right(x)


def layernorm_f32_4096():
    x, weight, bias = rand(2 ** 16, 4096), rand(4096), rand(4096)
    out = torch.empty_like(x)
    kernel, grid = rows(layernorm_kernel, 2 ** 16)
    right = lambda: torch.nn.functional.layer_norm(x, (4096,), weight, bias)
    return kernel, lambda: (kernel[grid](x, weight, bias, out, 4096), out)[1], right


def col_sum():
    height, width, pieces = 2 ** 16, 2 ** 12, 64
    x, parts = rand(height, width), torch.empty(pieces, width, device="cuda")
    kernel = column_sum_kernel
    grid = lambda meta: (width // meta["COLUMNS"], pieces)
    return kernel, lambda: (kernel[grid](x, parts, height, width, pieces), parts.sum(0))[1], lambda: (x * x).sum(0)


WORKLOADS = {
    "gelu_bf16": gelu_bf16,
    "black_scholes": black_scholes,
    "add_transposed": add_transposed,
    "row_sum_64": lambda: of_rows(short_row_sum_kernel, (2 ** 22, 64), lambda a: (a * a).sum(1), torch.float32),
    "row_sum_8192": lambda: of_rows(row_sum_kernel, (2 ** 15, 8192), lambda a: (a * a).sum(1), torch.float32),
    "col_sum": col_sum,
    "softmax_4096": lambda: of_rows(softmax_kernel, (2 ** 16, 4096), lambda a: torch.softmax(a, 1)),
    "layernorm_f32_4096": layernorm_f32_4096,
    "var_rows": lambda: of_rows(variance_kernel, (2 ** 16, 4096), lambda a: a.var(1, correction=0), torch.float32),
    "argmax_rows": lambda: of_rows(argmax_kernel, (2 ** 16, 4096), lambda a: a.argmax(1), torch.int64),
}

# Relative and absolute, where 1e-3 would not do: a softmax's values are about 1 / 4096.
TOLERANCES = {"gelu_bf16": (2e-2, 1e-2), "black_scholes": (1e-4, 1e-5), "softmax_4096": (1e-4, 1e-8)}
# An index is right or wrong; among so many rows a few have their maximum twice, and either position is right.
TIED_ROWS = 1e-4


def timed(call):
    call()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    call()
    torch.cuda.synchronize()
    calls = max(3, min(2000, int(0.02 / max(time.perf_counter() - begin, 1e-6))))
    taken, end = [], time.perf_counter() + args.budget
    while time.perf_counter() < end or len(taken) < 5:
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        torch.cuda.synchronize()
        taken.append((time.perf_counter() - begin) / calls)
    return statistics.median(taken)


def check(name, found, expected):
    if name == "argmax_rows":
        assert (found != expected).float().mean().item() < TIED_ROWS, "positions differ from PyTorch's"
        return
    relative, absolute = TOLERANCES.get(name, (1e-3, 1e-3))
    torch.testing.assert_close(found, expected, rtol=relative, atol=absolute)


def measure(name):
    kernel, call, right = WORKLOADS[name]()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    found = call()
    torch.cuda.synchronize()
    first = time.perf_counter() - begin
    check(name, found, right())
    return {"us": timed(call) * 1e6, "first_call_s": first, "configs": len(kernel.configs),
            "best": str(kernel.best_config)}


def main():
    wanted = [name for name in args.only.split(",") if name] or list(WORKLOADS)
    begin = time.monotonic()
    print(json.dumps({"torch": torch.__version__, "triton": triton.__version__,
                      "device": torch.cuda.get_device_name()}), flush=True)
    for name in wanted:
        if time.monotonic() - begin > args.seconds:
            print(json.dumps({"name": name, "error": "not begun: the time was over"}), flush=True)
            continue
        try:
            row = measure(name)
        except Exception as failed:  # what one kernel cannot do is no reason to leave the others out
            row = {"error": f"{type(failed).__name__}: {failed}"[:300]}
        print(json.dumps({"name": name} | row), flush=True)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
