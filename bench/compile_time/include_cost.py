#!/usr/bin/env python3
"""What Sinter costs to build against: compile times and the library's size.

usage: include_cost.py --include DIR [--library FILE] [--cxx g++] [--nvcc nvcc] [--repeats 7] [--out FILE.json]

Compiles, in turns, (a) a file that includes <sinter/sinter.hpp>, (b) one that includes only the standard headers that
Sinter's own headers name; the difference is what Sinter adds. Then a generated file of 50 different fused lambdas, each
called, with the C++ compiler at -O0 and with nvcc where there is one. The size is that of the stripped library.
Times are user + system seconds of the compiler's processes, which other work on the machine moves least; the wall
time stands beside them.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

GOALS = {"include": 0.1, "lambdas": 3.0, "lambdas_nvcc": 5.0, "library_mb": 6.0}

# Ten kinds of function; each is made five times with different constants, so that every lambda has a type of its own.
KINDS = [
    "[](auto x, auto y) {{ return {c}f * x + y; }}",
    "[](auto x, auto y) {{ return where(x > {c}f, x * y + 1, y - x); }}",
    "[](auto x, auto y) {{ return exp(x * {c}f) / (1 + exp(y)); }}",
    "[](auto x, auto y) {{ return sqrt(x * x + y * y + {c}f); }}",
    "[](auto x, auto y) {{ return 0.5f * x * (1 + tanh(0.7978846f * (y + {c}f * x * x * x))); }}",
    "[](auto x, auto y) {{ return maximum(minimum(x, {c}f), y - {c}f); }}",
    "[](auto x, auto y) {{ return std::tuple{{x + {c}f * y, x - {c}f * y}}; }}",
    "[](auto x, auto y) {{ return x(slice(1, end)) - {c}f * y(slice(0, -1)); }}",
    "[](auto x, auto y) {{ auto r = y; for (int i = 0; i < 4; ++i) r = r * ({c}f - 0.5f * x * r * r); return r; }}",
    "[](auto x, auto y) {{ return where(isnan(x), inf, abs(x - {c}f * y)); }}",
]


def standard_headers(include):
    """The headers that sinter.hpp and the headers it includes name, without Sinter's own."""
    found, seen, todo = set(), set(), ["sinter/sinter.hpp"]
    while todo:
        name = todo.pop()
        path = include / name
        if name in seen or not path.exists():
            continue
        seen.add(name)
        for header in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', path.read_text(), re.M):
            if header.startswith("sinter/"):
                todo.append(header)
            else:
                found.add(header)
    return sorted(found)


def lambdas_file():
    lines = ["#include <sinter/sinter.hpp>", "using namespace sinter;", ""]
    for i in range(50):
        text = KINDS[i % len(KINDS)].format(c=f"{i + 1}.25")
        result = "auto [p, q] = " if "tuple" in text else "auto r = "
        used = "(void)p; (void)q;" if "tuple" in text else "(void)r;"
        lines.append(f"void call_{i}(const array<float, 1>& x, const array<float, 1>& y) {{\n"
                     f"  auto f = fuse({text});\n  {result}f(x, y);\n  {used}\n}}")
    return "\n".join(lines) + "\n"


def compile_seconds(command, source, text, folder):
    (folder / source).write_text(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    made = subprocess.run(command + [source], cwd=folder, capture_output=True, text=True)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if made.returncode != 0:
        sys.exit(f"{' '.join(command)} {source} failed:\n{made.stderr[:2000]}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall


def measure(named, repeats, folder):
    """Medians of CPU and wall seconds of several compiles, run alternately."""
    times = {name: [] for name in named}
    for _ in range(repeats):
        for name, (command, source, text) in named.items():
            times[name].append(compile_seconds(command, source, text, folder))
    return {name: {"cpu_s": statistics.median(t[0] for t in found), "wall_s": statistics.median(t[1] for t in found)}
            for name, found in times.items()}


def stripped_megabytes(library, folder):
    copy = folder / "stripped"
    shutil.copyfile(library, copy)
    subprocess.run(["strip", "--strip-unneeded", copy], check=True)
    return copy.stat().st_size / 1e6


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--include", required=True, type=pathlib.Path, help="the folder that holds sinter/sinter.hpp")
    ap.add_argument("--library", type=pathlib.Path, help="libsinter.so")
    ap.add_argument("--cxx", default=os.environ.get("CXX", "g++"))
    ap.add_argument("--nvcc", default="nvcc")
    ap.add_argument("--repeats", type=int, default=7)
    ap.add_argument("--out", default="")
    args = ap.parse_args()
    include = args.include.resolve()
    base = ["-std=c++20", f"-I{include}"]
    nvcc = shutil.which(args.nvcc) or shutil.which("/usr/local/cuda/bin/nvcc")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        standard = "".join(f"#include <{header}>\n" for header in standard_headers(include))
        syntax = [args.cxx, *base, "-O0", "-fsyntax-only"]
        rows = measure({"standard_headers": (syntax, "standard.cpp", standard),
                        "sinter": (syntax, "sinter.cpp", "#include <sinter/sinter.hpp>\n")}, args.repeats, folder)
        text = lambdas_file()
        compiles = {"lambdas": ([args.cxx, *base, "-O0", "-o", "/dev/null", "-c"], "lambdas.cpp", text)}
        if nvcc:
            compiles["lambdas_nvcc"] = ([nvcc, *base, "-O0", "-o", "lambdas.o", "-c"], "lambdas.cu", text)
        rows |= measure(compiles, max(1, args.repeats // 2), folder)
        added = {key: rows["sinter"][key] - rows["standard_headers"][key] for key in ("cpu_s", "wall_s")}
        rows["include"] = added
        result = {"compiler": subprocess.run([args.cxx, "--version"], capture_output=True, text=True).stdout.split("\n")[0],
                  "rows": rows}
        for key in ("include", "lambdas", "lambdas_nvcc"):
            if key in rows:
                rows[key] |= {"goal_s": GOALS[key], "reached": rows[key]["cpu_s"] <= GOALS[key]}
        if args.library:
            size = stripped_megabytes(args.library, folder)
            result["library"] = {"stripped_mb": size, "goal_mb": GOALS["library_mb"],
                                 "reached": size <= GOALS["library_mb"]}

    titles = {"standard_headers": "the standard headers alone", "sinter": "<sinter/sinter.hpp>",
              "include": "what Sinter adds", "lambdas": f"50 fused lambdas, {args.cxx} -O0",
              "lambdas_nvcc": "50 fused lambdas, nvcc"}
    print(f"{'':38}{'CPU s':>8}{'wall s':>8}{'goal s':>8}")
    for key, title in titles.items():
        if key in rows:
            row = rows[key]
            goal = f"{row['goal_s']:8.1f} {'reached' if row['reached'] else 'NOT reached'}" if "goal_s" in row else ""
            print(f"{title:38}{row['cpu_s']:8.3f}{row['wall_s']:8.3f}{goal}")
    if "library" in result:
        row = result["library"]
        print(f"{'library, stripped':38}{row['stripped_mb']:8.2f} MB of {row['goal_mb']:.0f} "
              f"{'reached' if row['reached'] else 'NOT reached'}")
    if args.out:
        pathlib.Path(args.out).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
