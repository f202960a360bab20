#!/usr/bin/env python3
"""Times that compilers take for the golden kernel texts, by optimisation level.

    bench/compile_time/quick_compiles.py --cpu build/lib/libsinter_cpu_compiler.so --cuda libnvrtc.so.13

Prints a table in Markdown of CPU milliseconds, the least of some compiles each. What it gave decided how
compile_policy::quick_first compiles (sinter/runtime/compile_policy.hpp). Needs no GPU.
"""

import argparse
import ctypes
import pathlib
import re
import time

texts_folder = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"
repetitions = 5

cpu_ways = {"-O2": [], "-O1": ["-O1"], "-O0": ["-O0"]}
common_cuda = ["--std=c++17", "--fmad=false", "--device-as-default-execution-space", "--minimal", "--no-cache",
               "--modify-stack-limit=false"]
cuda_ways = {
    "ptxas -O3": ["--gpu-architecture=sm_90"],
    "ptxas -O1": ["--gpu-architecture=sm_90", "--ptxas-options=-O1"],
    "ptxas -O0": ["--gpu-architecture=sm_90", "--ptxas-options=-O0"],
    "-Ofast-compile=mid": ["--gpu-architecture=sm_90", "--Ofast-compile=mid"],
    "-Ofast-compile=max": ["--gpu-architecture=sm_90", "--Ofast-compile=max"],
    "PTX alone": ["--gpu-architecture=compute_90"],
}


def kernels(kind):
    """Name and text of each kernel; a golden file of a split reduction holds several."""
    for path in sorted(texts_folder.glob(f"*.{kind}.txt")):
        parts = re.split(r"^(?=// \w+_kernel\w*: )", path.read_text(), flags=re.MULTILINE)
        parts = [part for part in parts if part.strip()]
        for number, part in enumerate(parts):
            yield path.name.split(".")[0] + (f" ({number + 1})" if len(parts) > 1 else ""), part.encode()


abi_version = 3  # of sinter/runtime/clang/cpu_compiler.h


class cpu_request(ctypes.Structure):
    _fields_ = [("abi", ctypes.c_uint), ("source", ctypes.c_char_p), ("size", ctypes.c_size_t),
                ("name", ctypes.c_char_p), ("cpu", ctypes.c_char_p), ("features", ctypes.c_char_p),
                ("options", ctypes.POINTER(ctypes.c_char_p)), ("option_count", ctypes.c_size_t),
                ("linked", ctypes.c_void_p), ("linked_count", ctypes.c_size_t), ("assembly", ctypes.c_int)]


class cpu_result(ctypes.Structure):
    _fields_ = [("object", ctypes.c_void_p), ("size", ctypes.c_size_t), ("log", ctypes.c_char_p),
                ("status", ctypes.c_int)]


def cpu_compiler(path):
    library = ctypes.CDLL(path)

    def compile_text(text, options):
        given = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        request = cpu_request(abi_version, text, len(text), b"kernel.cpp", None, None, given, len(options), None, 0, 0)
        result = cpu_result()
        if library.sinter_cpu_compiler_compile(ctypes.byref(request), ctypes.byref(result)) != 0:
            raise RuntimeError(result.log.decode())
        library.sinter_cpu_compiler_free(ctypes.byref(result))

    return compile_text


def cuda_compiler(path):
    library = ctypes.CDLL(path)

    def compile_text(text, options):
        program = ctypes.c_void_p()
        library.nvrtcCreateProgram(ctypes.byref(program), text, b"kernel.cu", 0, None, None)
        given = [option.encode() for option in options + common_cuda]
        answer = library.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*given))
        library.nvrtcDestroyProgram(ctypes.byref(program))
        if answer != 0:
            raise RuntimeError(f"NVRTC answered {answer} for {options}")

    return compile_text


def measure(title, compile_text, ways, kind):
    print(f"\n| {title} | " + " | ".join(ways) + " |\n|---|" + "---|" * len(ways))
    sums = dict.fromkeys(ways, 0.0)
    for name, text in kernels(kind):
        row = []
        for way, options in ways.items():
            best = float("inf")
            for _ in range(repetitions):
                begin = time.process_time()
                compile_text(text, options)
                best = min(best, time.process_time() - begin)
            sums[way] += best
            row.append(f"{best * 1000:.1f}")
        print(f"| {name} | " + " | ".join(row) + " |", flush=True)
    print("| all | " + " | ".join(f"{value * 1000:.0f}" for value in sums.values()) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpu", "--host", dest="cpu", help="libsinter_cpu_compiler.so")
    parser.add_argument("--cuda", help="libnvrtc.so")
    given = parser.parse_args()
    if given.cpu:
        measure("CPU", cpu_compiler(given.cpu), cpu_ways, "cpu")
    if given.cuda:
        measure("CUDA", cuda_compiler(given.cuda), cuda_ways, "cuda")


if __name__ == "__main__":
    main()
