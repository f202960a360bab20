#!/usr/bin/env python3
"""Runs Sinter's benchmarks and the Python peers in one go and writes one table and one JSON file.

usage: run_all.py [--programs DIR] [--groups LIST] [--peers LIST|none] [--workloads pointwise|reductions|parts|all|NAMES]
                  [--peer-seconds S] [--quick] [--pairs N] [--out DIR]

Sinter's programs come from DIR (build/bench, or the folder of a GPU bundle); the peers run where PyTorch is installed, and
NumPy beside the CPU's figures where that is.
Results go to bench/results/<date>-<device>.json and .md, and each sweep beside them as a plot, -<sweep>.svg. --quick takes about a third of the time: fewer pairs, shorter
figures, no max-autotune; its figures are for looking, not for quoting.
"""
import argparse
import datetime
import importlib.util
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time

import plot

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def default_programs():
    """The programs' folder: beside this script in a GPU bundle, else in the build folder."""
    return HERE if (HERE / "sinter_bench").exists() else ROOT / "build" / "bench"


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--programs", type=pathlib.Path, default=default_programs())
    ap.add_argument("--groups", help="of sinter_bench",
                    default="pointwise,reductions,limits,sizes,row_lengths,column_counts,reduction_sizes,calls,foreign,first,cpu,bodies,combining,parts,cache")
    ap.add_argument("--filter", default="", help="--benchmark_filter of sinter_bench")
    ap.add_argument("--peers", default="", help="of torch, compile, max-autotune, cupy, jax; 'none' leaves them and NumPy out")
    ap.add_argument("--workloads", default="all", help="of the peers: pointwise, reductions, parts, all, or names")
    ap.add_argument("--peer-seconds", type=float, default=0, help="after these no further figure of a peer is begun")
    ap.add_argument("--pairs", type=int, default=0)
    ap.add_argument("--budget", type=float, default=0, help="seconds for each figure of a peer")
    ap.add_argument("--quick", action="store_true")
    ap.add_argument("--shrink", type=int, default=0, help="of sinter_bench, for small devices; the peers do not shrink")
    ap.add_argument("--on-cpu", action="store_true", help="--device=cpu of sinter_bench, for trying this out")
    ap.add_argument("--include", type=pathlib.Path, help="also measures compile times, with sinter/sinter.hpp found here")
    ap.add_argument("--out", type=pathlib.Path, default=HERE / "results")
    ap.add_argument("--commit", default="", help="where this is no git checkout")
    args = ap.parse_args()
    args.peers = args.peers or ("torch,compile,cupy,jax" if args.quick else "torch,compile,max-autotune,cupy,jax")
    args.pairs = args.pairs or (10 if args.quick else 30)
    args.budget = args.budget or (0.2 if args.quick else 0.6)
    return args


def commit_of(given):
    if given:
        return given
    git = ["git", "-C", str(ROOT)]
    try:
        head = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    except FileNotFoundError:  # without git
        return "unknown"
    if head.returncode != 0:
        return "unknown"
    changed = subprocess.run([*git, "status", "--porcelain", "--untracked-files=no"], capture_output=True, text=True)
    return head.stdout.strip() + (" with changes" if changed.stdout.strip() else "")


def run_sinter(args, folder):
    out = folder / "sinter.json"
    command = [str(args.programs / "sinter_bench"), f"--groups={args.groups}", f"--pairs={args.pairs}",
               f"--benchmark_out={out}", "--benchmark_out_format=json"]
    if args.filter:
        command.append(f"--benchmark_filter={args.filter}")
    if args.shrink:
        command.append(f"--shrink={args.shrink}")
    if args.on_cpu:
        command.append("--device=cpu")
    if args.quick:
        command.append("--batch_ms=10")
    # In a bundle the libraries lie beside the programs.
    paths = [str(args.programs.resolve()), os.environ.get("LD_LIBRARY_PATH", "")]
    environment = dict(os.environ, LD_LIBRARY_PATH=":".join(filter(None, paths)))
    print("+", *command, flush=True)
    failed = subprocess.run(command, env=environment).returncode
    if not out.exists() or out.stat().st_size == 0:
        sys.exit(f"sinter_bench left no results (exit status {failed})")
    return json.loads(out.read_text()), failed


def run_peers(args, folder):
    if args.peers == "none":
        return None
    if importlib.util.find_spec("torch") is None:
        print("no PyTorch here: the peers are left out", flush=True)
        return None
    return run_peers_script(args, folder / "peers.json", ["--peers", args.peers])


def run_cpu_peers(args, folder):
    """Times NumPy on the workloads of the CPU's figures that it has."""
    if args.peers == "none" or "parts" not in args.groups.split(","):
        return None
    if importlib.util.find_spec("numpy") is None:
        print("no NumPy here: it is left out", flush=True)
        return None
    return run_peers_script(args, folder / "cpu_peers.json", ["--device", "cpu"])


def run_peers_script(args, out, options):
    groups = ("pointwise", "reductions", "parts", "all")
    which = ["--group", args.workloads] if args.workloads in groups else ["--only", args.workloads]
    command = [sys.executable, str(HERE / "peers" / "peers.py"), *which, *options,
               "--budget", str(args.budget), "--out", str(out)]
    if args.peer_seconds:
        command += ["--seconds", str(args.peer_seconds)]
    print("+", *command, flush=True)
    subprocess.run(command)
    return json.loads(out.read_text()) if out.exists() else None


def run_cached_peers(args, folder):
    """Times new processes whose kernels CuPy and JAX keep on disk, where these are installed."""
    if args.peers == "none" or "cache" not in args.groups.split(","):
        return None
    out = folder / "cached_peers.json"
    command = [sys.executable, str(HERE / "peers" / "cached_processes.py"), "--peers", args.peers, "--out", str(out)]
    if args.quick:
        command += ["--processes", "3"]
    print("+", *command, flush=True)
    subprocess.run(command)
    return json.loads(out.read_text()) if out.exists() else None


def run_include_cost(args, folder):
    if args.include is None:
        return None
    out = folder / "include.json"
    command = [sys.executable, str(HERE / "include_cost.py"), "--include", str(args.include), "--out", str(out)]
    for library in (args.programs / "libsinter.so.0", args.programs.parent / "lib" / "libsinter.so"):
        if library.exists():
            command += ["--library", str(library)]
            break
    print("+", *command, flush=True)
    subprocess.run(command)
    return json.loads(out.read_text()) if out.exists() else None


# ---- the record ------------------------------------------------------------------------------------------------

NOT_COUNTERS = {"name", "run_name", "run_type", "family_index", "per_family_instance_index", "repetitions",
                "repetition_index", "threads", "time_unit", "real_time", "cpu_time", "label", "iterations",
                "error_occurred", "error_message"}


def rows_of(report):
    """Google Benchmark's rows, with the names as given and only the measured fields."""
    rows = []
    for entry in report["benchmarks"]:
        row = {"name": re.sub(r"/iterations:\d+(/manual_time)?$", "", entry["name"])}
        row |= {key: value for key, value in entry.items() if key not in NOT_COUNTERS}
        if entry.get("label"):
            row["beside"] = entry["label"].removeprefix("beside ")
        if entry.get("error_occurred"):
            row["error"] = entry.get("error_message", "failed")
        row["pairs"] = entry.get("iterations", 0)
        rows.append(row)
    return rows


def record_of(args, report, peers, cpu_peers, cached_peers, include, seconds):
    context = report["context"]
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "commit": commit_of(args.commit),
        "device": context.get("sinter_device", "none"),
        "driver": context.get("sinter_driver", "none"),
        "nvrtc": context.get("sinter_nvrtc", "none"),
        "cpu": context.get("sinter_cpu", platform.processor()),
        "cpu_threads": context.get("sinter_cpu_threads", ""),
        "cpu_loops": context.get("sinter_cpu_loops", ""),
        "load_average": context.get("load_avg", []),
        "system": platform.platform(),
        "quick": args.quick,
        "pairs": args.pairs,
        "seconds": round(seconds, 1),
        "sinter": rows_of(report),
        "peers": peers,
        "cpu_peers": cpu_peers,
        "cached_peers": cached_peers,
        "include_cost": include,
    }


# ---- the table -------------------------------------------------------------------------------------------------

def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def number(value, digits=2):
    return "" if value is None or value == "" else f"{value:.{digits}f}"


def verdict(row):
    if "error" in row:
        return row["error"]
    if "allocations" in row:
        return f"{row['allocations']:.0f} allocations in {row['pairs']} calls"
    return {1: "reached", 0: "not reached"}.get(int(row["reached"])) if "reached" in row else ""


# Workloads for which a peer has a function of its own: that function is one more peer of the composed workload.
NATIVE = {"softmax_native_4096": "softmax_4096"}


def peer_rows(record):
    """Peers by workload: {"axpy": {"torch": row, …}}."""
    found = {}
    for row in (record["peers"] or {}).get("rows", []):
        if row["workload"] not in NATIVE:
            found.setdefault(row["workload"], {})[row["peer"]] = row
    for row in (record["peers"] or {}).get("rows", []):
        if row["workload"] in NATIVE and row["peer"] == "torch":
            found.setdefault(NATIVE[row["workload"]], {})["torch native"] = row
    return found


def cpu_bandwidth_table(record, rows):
    peers = {}
    for row in (record["cpu_peers"] or {}).get("rows", []):
        peers.setdefault(row["workload"], {})[row["peer"]] = row
    return bandwidth_table(rows, peers)


def cuda_bandwidth_table(record, rows):
    """Rows that only peers ran come last; `call_overhead_5ops` has a line elsewhere."""
    peers = peer_rows(record)
    own = {row["name"].split("/", 1)[1] for row in record["sinter"]}
    return bandwidth_table(rows + [{"name": f"peers/{workload}"} for workload in peers
                                   if workload not in own and not workload.startswith("call_")], peers)


def bandwidth_table(rows, peers):
    names = list(dict.fromkeys(peer for by_peer in peers.values() for peer in by_peer))
    lines = []
    for row in rows:
        workload = row["name"].split("/", 1)[1]
        by_peer = peers.get(workload.removesuffix("_fast"), {})
        fractions = {peer: found.get("frac_copy") for peer, found in by_peer.items()}
        best = max((f for f in fractions.values() if f is not None), default=None)
        lines.append([workload, number(row.get("us"), 1), number(row.get("TB/s"), 3), number(row.get("ratio"), 3),
                      number(row.get("ratio_low95"), 3), number(row.get("goal_ratio")), verdict(row),
                      row.get("beside", ""), number(best)] +
                     [failure(by_peer[name]) if "error" in by_peer.get(name, {}) else number(fractions.get(name))
                      for name in names])
    return table(["workload", "µs", "TB/s", "ratio", "low 95%", "goal", "", "beside", "best peer", *names], lines)


def failure(row):
    return "" if "not begun" in row["error"] else "fails"


def time_table(rows):
    return table(["figure", "µs", "beside it, µs", "added, µs", "goal, µs", "", "beside"],
                 [[row["name"], number(row.get("us"), 3), number(row.get("limit_us"), 3), number(row.get("added_us"), 3),
                   number(row.get("goal_us"), 3), verdict(row), row.get("beside", "")] for row in rows])


def timed_table(record, rows):
    """Workloads with a goal in time, beside the peers' times."""
    peers = peer_rows(record)
    names = list(dict.fromkeys(peer for row in rows for peer in peers.get(row["name"].split("/", 1)[1], {})))
    lines = []
    for row in rows:
        by_peer = peers.get(row["name"].split("/", 1)[1], {})
        lines.append([row["name"], number(row.get("us"), 1), number(row.get("goal_us"), 0), verdict(row)] +
                     [failure(by_peer[name]) if "error" in by_peer.get(name, {})
                      else number(by_peer.get(name, {}).get("us"), 1)
                      for name in names])
    return table(["workload", "µs", "goal, µs", "", *(f"{name}, µs" for name in names)], lines)


def new_process_table(record, rows):
    """First calls of new processes whose kernels are cached, Sinter's beside the peers'."""
    lines = [[row["name"].split("/new_process_", 1)[1], number(row.get("us"), 0), number(row.get("goal_us"), 0),
              verdict(row), number(row.get("second_function_us"), 0), number(row.get("main_to_result_us"), 0), ""]
             for row in rows]
    lines += [[row["version"], number(row["us"], 0), "", "", number(row["second_function_us"], 0), "",
               f"on {row['device']}; {row['compiling_us']:.0f} µs where nothing was kept"]
              for row in (record["cached_peers"] or {}).get("rows", [])]
    return table(["kept where, or peer", "first call, µs", "goal, µs", "", "second function, µs",
                  "main() to both results, µs", ""], lines)


# ---- sweeps ----------------------------------------------------------------------------------------------------

# group: (heading, what varies, what the ratio is to)
SWEEPS = {
    "row_lengths": ("Row lengths", "elements of a row (2^28 elements of float32 in all)", "of a large copy's bandwidth"),
    "column_counts": ("Column counts", "columns (2^28 elements of float32 in all, axis 0 reduced)",
                      "of a large copy's bandwidth"),
    "reduction_sizes": ("Full sums", "elements of float32", "of the bandwidth beside it"),
}


def sweep_rows(record, group):
    """{"softmax": rows by extent, …}; a sweep without series has one, named after the group."""
    found = {}
    for row in record["sinter"]:
        parts = row["name"].split("/")[1:]
        if parts[0] == group and "extent" in row:
            found.setdefault(parts[1] if len(parts) > 2 else group, []).append(row)
    return {name: sorted(rows, key=lambda row: row["extent"]) for name, rows in found.items()}


def sweep_table(by_series):
    """One line for each extent, the series side by side."""
    extents = sorted({row["extent"] for rows in by_series.values() for row in rows})
    header, lines = ["extent"], [[f"{extent:.0f}"] for extent in extents]
    for name, rows in by_series.items():
        by_extent = {row["extent"]: row for row in rows}
        has_goal = any("goal_ratio" in row for row in rows)
        header += [f"{name}, µs", "TB/s", "ratio", "low 95%"] + (["goal", ""] if has_goal else [])
        for extent, line in zip(extents, lines):
            row = by_extent.get(extent, {})
            line += [number(row.get("us"), 2), number(row.get("TB/s"), 3), number(row.get("ratio"), 3),
                     number(row.get("ratio_low95"), 3)]
            line += [number(row.get("goal_ratio")), verdict(row)] if has_goal else []
    return table(header, lines)


def sweep_plot(record, group, by_series):
    heading, across, up = SWEEPS[group]
    device = record["device"] if record["device"] != "none" else record["cpu"]
    series = [(name, [(row["extent"], row["ratio"]) for row in rows if "ratio" in row])
              for name, rows in by_series.items()]
    goals = [(f"goal of {name}", [(row["extent"], row["goal_ratio"]) for row in rows if "goal_ratio" in row])
             for name, rows in by_series.items()]
    if not any(drawn for _, drawn in series):
        return None
    return plot.draw(f"{heading}, {device}, {record['date'][:10]}, {record['commit']}", across, up, series, goals)


def sweeps_of(record):
    """(group, rows by series) of the sweeps that were run."""
    return [(group, found) for group in SWEEPS if (found := sweep_rows(record, group))]


COSTS = {"standard_headers": "the standard headers alone", "sinter": "`<sinter/sinter.hpp>`", "include": "what Sinter adds",
         "lambdas": "50 fused lambdas, `g++ -O0`", "lambdas_nvcc": "50 fused lambdas, nvcc"}


def markdown(record, stem):
    rows = record["sinter"]
    pointwise = [r for r in rows if re.fullmatch(r"(cuda|cpu)/[a-z0-9_]+", r["name"]) and
                 ("TB/s" in r or "error" in r) and "call" not in r["name"] and "compile" not in r["name"] and
                 "goal_us" not in r]
    timed = [r for r in rows if re.fullmatch(r"(cuda|cpu)/[a-z0-9_]+", r["name"]) and "TB/s" in r and "goal_us" in r]
    limits = [r for r in rows if "/limits/" in r["name"]]
    swept = [r for r in rows if "extent" in r or r["name"].split("/")[1] in SWEEPS]
    compiles = [r for r in rows if r["name"].startswith("cuda/compile_")]
    sizes = [r for r in rows if "axpy_sizes" in r["name"]]
    calls = [r for r in rows if "call" in r["name"] and "first_call" not in r["name"] or "foreign" in r["name"]]
    first = [r for r in rows if "first_call" in r["name"]]
    cache = [r for r in rows if r["name"].startswith("cache/")]
    processes = [r for r in cache if "/new_process_" in r["name"]]
    known = {r["name"] for r in pointwise + timed + limits + swept + compiles + sizes + calls + first + cache}
    others = [r for r in rows if r["name"] not in known]
    text = [f"# {record['device'] if record['device'] != 'none' else record['cpu']}, {record['date'][:10]}\n",
            f"Commit {record['commit']}; driver {record['driver']}; NVRTC {record['nvrtc']}; CPU {record['cpu']}, "
            f"{record['cpu_threads']} threads, loops: {record['cpu_loops']}; {record['pairs']} interleaved pairs"
            f"{' (a quick run)' if record['quick'] else ''}; {record['seconds']:.0f} s in all. "
            "bench/README.md says what each figure means.\n"]
    on_cpu = [r for r in pointwise if r["name"].startswith("cpu/")]
    on_cuda = [r for r in pointwise if r not in on_cpu]
    if on_cuda or record["peers"]:
        text += ["## Workloads\n", cuda_bandwidth_table(record, on_cuda)]
        if record["peers"]:
            versions = ", ".join(f"{name} {version}" for name, version in record["peers"]["versions"].items() if version)
            text.append(f"Peers: fractions of a copy of {record['peers']['copy_TBps']:.3f} TB/s in their own process; "
                        f"{versions}.\n")
    if on_cpu:
        text += ["## Workloads on the CPU\n", cpu_bandwidth_table(record, on_cpu)]
        if record["cpu_peers"]:
            text.append(f"Peers: fractions of a copy of {record['cpu_peers']['copy_TBps']:.3f} TB/s in their own process; "
                        f"NumPy {record['cpu_peers']['versions']['numpy']}.\n")
    if timed:
        text += ["## Workloads judged by time\n", timed_table(record, timed)]
    if limits:
        text += ["## Reductions beside kernels written by hand\n",
                 table(["figure", "µs", "beside it, µs", "TB/s", "ratio", "low 95%", "beside"],
                       [[r["name"].rsplit("/", 1)[1], number(r.get("us"), 1), number(r.get("limit_us"), 1),
                         number(r.get("TB/s"), 3), number(r.get("ratio"), 3), number(r.get("ratio_low95"), 3),
                         r.get("error", r.get("beside", ""))] for r in limits])]
    for group, by_series in sweeps_of(record):
        heading, across, up = SWEEPS[group]
        beside = ", ".join(sorted({r["beside"] for rows_ in by_series.values() for r in rows_ if "beside" in r}))
        text += [f"## {heading}\n", f"Over {across}, beside {beside}; the ratio is a fraction {up}.\n",
                 f"![{heading}]({plot_name(stem, group)})\n", sweep_table(by_series)]
    if sizes:
        text += ["## axpy by size\n",
                 table(["elements", "µs", "TB/s", "of such a copy"],
                       [[r["name"].rsplit("/", 1)[1], number(r.get("us"), 2), number(r.get("TB/s"), 3),
                         number(r.get("ratio"), 3)] for r in sizes])]
    overhead = peer_rows(record).get("call_overhead_5ops")
    if calls:
        text += ["## Calls\n", time_table(calls)]
    if overhead:
        text.append("The same call by the peers, queued: " +
                    ", ".join(f"{peer} {row['us']:.1f} µs" for peer, row in overhead.items() if "us" in row) + ".\n")
    if first:
        text += ["## First calls\n", time_table(first)]
    if compiles:
        text += ["## Compile time of texts\n",
                 table(["text", "µs", "written by hand, µs", "times", "goal", ""],
                       [[r["name"].split("/compile_", 1)[1], number(r.get("us"), 0), number(r.get("limit_us"), 0),
                         number(r.get("times")), "2" if "reached" in r else "", verdict(r)] for r in compiles])]
    if cache:
        text += ["## The cache\n", time_table([r for r in cache if r not in processes])]
    if processes:
        text += ["## New processes whose kernels are kept\n", new_process_table(record, processes)]
    if others:
        text += ["## The CPU\n", time_table(others)]
    if record["include_cost"]:
        cost = record["include_cost"]
        text += ["## Building against Sinter\n",
                 table(["", "CPU s", "wall s", "goal s"],
                       [[COSTS.get(key, key), number(row["cpu_s"], 3), number(row["wall_s"], 3), number(row.get("goal_s"), 1)]
                        for key, row in cost["rows"].items()])]
        if "library" in cost:
            text.append(f"Library, stripped: {cost['library']['stripped_mb']:.2f} MB.\n")
    return "\n".join(text)


def plot_name(stem, group):
    return f"{stem}-{group.replace('_', '-')}.svg"


def main():
    args = arguments()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        report, failed = run_sinter(args, folder)
        peers = run_peers(args, folder)
        cpu_peers = run_cpu_peers(args, folder)
        cached_peers = run_cached_peers(args, folder)
        include = run_include_cost(args, folder)
    record = record_of(args, report, peers, cpu_peers, cached_peers, include, time.monotonic() - begin)
    device = record["device"] if record["device"] != "none" else record["cpu"]
    stem = record["date"][:10] + "-" + re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / f"{stem}.json").write_text(json.dumps(record, indent=1) + "\n")
    text = markdown(record, stem)
    for group, by_series in sweeps_of(record):
        drawn = sweep_plot(record, group, by_series)
        if drawn is not None:
            (args.out / plot_name(stem, group)).write_text(drawn)
    (args.out / f"{stem}.md").write_text(text)
    print("\n" + text)
    print(f"written: {args.out / stem}.json and .md")
    errors = [row["name"] for row in record["sinter"] if "error" in row]
    if errors or failed:
        sys.exit("failed: " + ", ".join(errors or ["sinter_bench"]))


if __name__ == "__main__":
    main()
