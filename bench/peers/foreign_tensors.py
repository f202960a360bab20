#!/usr/bin/env python3
"""Times the loop of sinter_bench's group `foreign` in CuPy and in Numba: frames of 1080 x 1920 x 3 bytes of another
library, one kernel for each, 255 - frame.

Three figures for a peer, each the median over batches of the microseconds of one frame: `frame_us` converts frame and
target in each turn, `own_arrays_us` converts them once before the loop, `conversion_us` converts one tensor and computes
nothing. The device is synchronised before and after a batch. Frames are PyTorch's, handed over by DLPack (CuPy) and by the
CUDA array interface (Numba, which takes no DLPack); without PyTorch they are CuPy's.
usage: foreign_tensors.py [--peers cupy,numba,sinter] [--library LIBSINTER] [--seconds S] [--out FILE.json]

`sinter` is Sinter's C interface by ctypes (examples/sinter_ctypes.py), which is Python's time for the most part. A peer
that is not installed, or has no device, is left out with a line that says so.
"""
import argparse
import json
import pathlib
import statistics
import sys
import time

SHAPE = (1080, 1920, 3)


class Frames:
    """A frame and a target of PyTorch's, or of CuPy's."""

    def __init__(self):
        try:
            import torch
            if not torch.cuda.is_available():
                raise ImportError("PyTorch has no CUDA device")
            self.producer = "torch " + torch.__version__
            self.frame = torch.full(SHAPE, 100, dtype=torch.uint8, device="cuda")
            self.out = torch.zeros_like(self.frame)
            self.to_numpy = lambda array: array.cpu().numpy()
            self.synchronize = torch.cuda.synchronize
            self.device = torch.cuda.get_device_name()
        except ImportError as missing:
            import cupy
            print(f"frames are CuPy's: {missing}", flush=True)
            self.producer = "cupy " + cupy.__version__
            self.frame, self.out = cupy.full(SHAPE, 100, dtype="uint8"), cupy.zeros(SHAPE, dtype="uint8")
            self.to_numpy = cupy.asnumpy
            self.synchronize = cupy.cuda.Device().synchronize
            self.device = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()


# Each gives how a tensor is converted, how the kernel is called on two converted ones, and a version.

def cupy_peer(_):
    import cupy
    invert = cupy.ElementwiseKernel("uint8 x", "uint8 y", "y = 255 - x", "inverted")
    return cupy.from_dlpack, lambda frame, out: invert(frame, out), cupy.__version__


def numba_peer(_):
    import numba
    from numba import cuda

    @cuda.jit
    def invert(frame, out):
        row, column = cuda.grid(2)
        if row < frame.shape[0] and column < frame.shape[1]:
            for channel in range(3):
                out[row, column, channel] = 255 - frame[row, column, channel]

    threads = (8, 32)
    blocks = tuple(-(-extent // count) for extent, count in zip(SHAPE, threads))
    return cuda.as_cuda_array, lambda frame, out: invert[blocks, threads](frame, out), numba.__version__


def sinter_peer(library):
    here = pathlib.Path(__file__).resolve()
    sys.path[:0] = [str(folder / "examples") for folder in (here.parents[2], here.parents[1])]  # the tree, or a bundle
    from sinter_ctypes import Borrowed, Sinter
    if not library:
        raise ImportError("say --library")
    sinter = Sinter(library)
    builder = sinter.builder()
    x = builder.input("uint8", 3)
    invert = builder.finish(builder.apply("subtract", builder.integer(255), x))
    # A tensor is borrowed anew for each call: there is nothing to convert before.
    return Borrowed, lambda frame, out: invert(frame, out=out), "by ctypes"


PEERS = {"cupy": cupy_peer, "numba": numba_peer, "sinter": sinter_peer}


def microseconds_of(step, synchronize, seconds):
    step()
    synchronize()
    begin = time.perf_counter()
    step()
    synchronize()
    calls = max(3, min(1000, int(0.02 / max(time.perf_counter() - begin, 1e-6))))
    batches, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(batches) < 5:
        synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            step()
        synchronize()
        batches.append((time.perf_counter() - begin) / calls * 1e6)
    return round(statistics.median(batches), 2)


def measure(name, frames, args):
    convert, call, version = PEERS[name](args.library)
    converts_itself = name == "sinter"

    def frame():
        if converts_itself:
            call(frames.frame, frames.out)
        else:
            call(convert(frames.frame), convert(frames.out))

    frame()
    frames.synchronize()
    if not (frames.to_numpy(frames.out) == 155).all():
        raise RuntimeError(f"{name} computes something else")
    row = {"peer": name, "version": version, "producer": frames.producer, "device": frames.device}
    row["frame_us"] = microseconds_of(frame, frames.synchronize, args.seconds)
    row["conversion_us"] = microseconds_of(lambda: convert(frames.frame), frames.synchronize, args.seconds)
    if not converts_itself:
        own_frame, own_out = convert(frames.frame), convert(frames.out)
        row["own_arrays_us"] = microseconds_of(lambda: call(own_frame, own_out), frames.synchronize, args.seconds)
    return row


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--peers", default="cupy,numba,sinter")
    ap.add_argument("--library", default="", help="libsinter.so, for the peer `sinter`")
    ap.add_argument("--seconds", type=float, default=0.6, help="for each figure")
    ap.add_argument("--out", default="")
    args = ap.parse_args()
    try:
        frames = Frames()
    except Exception as missing:  # neither library, or no device
        print(f"no library of arrays on a CUDA device, the peers are left out: {missing}")
        return
    rows = []
    for name in args.peers.split(","):
        try:
            rows.append(measure(name, frames, args))
            print(json.dumps(rows[-1]), flush=True)
        except ImportError as missing:
            print(f"{name} is left out: {missing}", flush=True)
        except Exception as failure:  # the peer cannot do it: that is the result
            print(f"{name} failed: {type(failure).__name__}: {failure}", flush=True)
    if args.out:
        with open(args.out, "w") as file:
            json.dump({"rows": rows}, file, indent=1)


main()
