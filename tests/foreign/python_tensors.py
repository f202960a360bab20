#!/usr/bin/env python3
"""Arrays of NumPy, PyTorch, CuPy and JAX, as they are, as operands and targets of Sinter: on the CPU, and on a CUDA device
where the library has one. Prints what ran and what did not; the status is 1 where a check failed.
Usage: python_tensors.py PATH_OF_LIBSINTER [PATH_OF_THE_EXCHANGE_EXTENSION]"""
import contextlib
import ctypes
import os
import pathlib
import sys
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped, without python: 1 ({missing})")
    sys.exit()

from sinter_ctypes import Borrowed, Sinter


# ---- the libraries: each on one device --------------------------------------------------------------------------
class NumPy:
    name, writable, on_gpu = "numpy on the CPU", True, False

    def array(self, values):
        return np.array(values)

    def to_numpy(self, array):
        return np.asarray(array)

    def from_sinter(self, result):
        return np.from_dlpack(result)

    def address(self, array):
        return array.__array_interface__["data"][0]

    transposed = staticmethod(lambda array: array.T)
    flipped = staticmethod(lambda array: array[::-1])
    every_second = staticmethod(lambda array: array[:, 1::2])


class Torch(NumPy):
    def __init__(self, torch, device):
        self.torch, self.device, self.on_gpu = torch, device, device != "cpu"
        self.name = f"torch {torch.__version__} on {device}"

    def array(self, values):
        return self.torch.tensor(np.array(values), device=self.device)

    def to_numpy(self, array):
        return array.cpu().numpy()

    def from_sinter(self, result):
        return self.torch.from_dlpack(result)

    def address(self, array):
        return array.data_ptr()

    transposed = staticmethod(lambda array: array.T)
    flipped = None  # PyTorch has no negative strides

    @contextlib.contextmanager
    def own_stream(self):
        with self.torch.cuda.stream(self.torch.cuda.Stream()):
            yield self.torch.cuda.current_stream().cuda_stream

    def slow_fill(self, array, value):
        """Work of milliseconds on the current stream, and then the value."""
        large = self.torch.ones((4096, 4096), device=self.device)
        for _ in range(8):
            large = (large @ large).clamp(max=1)
        array.fill_(value)


class CuPy(NumPy):
    on_gpu = True

    def __init__(self, cupy):
        self.cupy = cupy
        self.streams = []  # what Sinter was told to be a consumer's stream must exist until the tensor goes
        self.name = f"cupy {cupy.__version__} on cuda"

    def array(self, values):
        return self.cupy.asarray(np.array(values))

    def to_numpy(self, array):
        return self.cupy.asnumpy(array)

    def from_sinter(self, result):
        return self.cupy.from_dlpack(result)

    flipped = None  # CuPy 14 exports negative strides divided as unsigned numbers

    def address(self, array):
        return array.data.ptr

    @contextlib.contextmanager
    def own_stream(self):
        with self.cupy.cuda.Stream(non_blocking=True) as stream:
            self.streams.append(stream)
            yield stream.ptr

    def slow_fill(self, array, value):
        large = self.cupy.ones((4096, 4096), dtype="float32")
        for _ in range(8):
            large = self.cupy.minimum(large @ large, 1)
        array.fill(value)


class Jax(NumPy):
    """Its arrays cannot be written, and are row-major: operands only."""
    writable = False

    def __init__(self, jax, device):
        self.jax, self.device, self.on_gpu = jax, device, device.platform == "gpu"
        self.name = f"jax {jax.__version__} on {device.platform}"

    def array(self, values):
        return self.jax.device_put(np.array(values), self.device)

    def to_numpy(self, array):
        return np.asarray(array)

    def from_sinter(self, result):
        return self.jax.dlpack.from_dlpack(result)

    def address(self, array):
        return array.unsafe_buffer_pointer()

    transposed = flipped = every_second = None


def found_libraries(skipped):
    yield NumPy()
    try:
        import torch
        yield Torch(torch, "cpu")
        if torch.cuda.is_available():
            yield Torch(torch, "cuda")
        else:
            skipped.append("torch on cuda: no device")
    except ImportError as missing:
        skipped.append(f"torch: {missing}")
    try:
        import cupy
        if cupy.cuda.is_available():
            yield CuPy(cupy)
        else:
            skipped.append("cupy: no device")
    except ImportError as missing:
        skipped.append(f"cupy: {missing}")
    try:
        import jax
        jax.config.update("jax_enable_x64", True)
        yield Jax(jax, jax.devices("cpu")[0])
        try:
            yield Jax(jax, jax.devices("gpu")[0])
        except RuntimeError:
            skipped.append("jax on a GPU: no device")
    except ImportError as missing:
        skipped.append(f"jax: {missing}")


# ---- the checks -------------------------------------------------------------------------------------------------
class Checks:
    """Each method whose name begins with `check_` is a check of one library on one device. It returns why it cannot be
    made there, or None."""

    def __init__(self, sinter, library):
        self.sinter, self.library = sinter, library

    def scaled_sum(self, element_type="float32", rank=2):
        """x * 2 + y"""
        builder = self.sinter.builder()
        x, y = builder.input(element_type, rank), builder.input(element_type, rank)
        return builder.finish(builder.apply("add", builder.apply("multiply", x, builder.real(2)
                                                                 if element_type.startswith("float") else
                                                                 builder.integer(2)), y))

    def wait(self):
        if self.library.on_gpu:
            self.sinter.synchronize()

    def expect(self, array, expected):
        self.wait()
        np.testing.assert_array_equal(self.library.to_numpy(array), expected)

    def operands(self, shape=(6, 8), element_type="float32"):
        count = int(np.prod(shape))
        a = np.arange(count).reshape(shape).astype(element_type)
        return a, (a[::-1] + 1).copy()

    def check_results_of_every_type(self):
        for element_type in ("int8", "int32", "int64", "uint8", "float16", "float32", "float64"):
            a, b = self.operands((3, 5), element_type)
            x, y = self.library.array(a), self.library.array(b)
            result = self.library.from_sinter(self.scaled_sum(element_type)(x, y))
            self.expect(result, a * a.dtype.type(2) + b)

    def check_targets_are_written_in_place(self):
        if not self.library.writable:
            return "its arrays cannot be written"
        a, b = self.operands()
        x, y, out = (self.library.array(each) for each in (a, b, np.zeros_like(a)))
        before = self.library.address(out)
        assert self.scaled_sum()(x, y, out=out) is out
        assert self.library.address(out) == before
        self.expect(out, a * 2 + b)

    def check_nothing_is_copied(self):
        from sinter_ctypes import Tensor
        x = self.library.array(self.operands()[0])
        lent = Borrowed(x)
        tensor = Tensor.from_address(lent.pointer)
        assert tensor.data + tensor.byte_offset == self.library.address(x)

    def check_views_of_any_strides(self):
        views = [view for view in (self.library.transposed, self.library.flipped, self.library.every_second) if view]
        if not views:
            return "it has no views"
        a, b = self.operands()
        for view in views:
            wanted = view(a) * 2 + view(b)
            x, y = view(self.library.array(a)), view(self.library.array(b))
            self.expect(self.library.from_sinter(self.scaled_sum()(x, y)), wanted)
            if self.library.writable:  # a view is a target, and its neighbours stay
                whole = self.library.array(np.full_like(a, -1))
                self.scaled_sum()(x, y, out=view(whole))
                expected = np.full_like(a, -1)
                view(expected)[...] = wanted
                self.expect(whole, expected)

    def check_no_elements(self):
        for shape in ((0, 4), (3, 0)):
            x, y = (self.library.array(np.ones(shape, "float32")) for _ in range(2))
            result = self.library.from_sinter(self.scaled_sum()(x, y))
            self.wait()
            assert self.library.to_numpy(result).shape == shape

    def check_one_element_and_extents_of_one(self):
        for shape in ((1, 1), (1, 7), (7, 1)):
            a, b = self.operands(shape)
            x, y = self.library.array(a), self.library.array(b)
            self.expect(self.library.from_sinter(self.scaled_sum()(x, y)), a * 2 + b)
        a = np.array(3, "float32")
        x = self.library.array(a)
        self.expect(self.library.from_sinter(self.scaled_sum(rank=0)(x, x)), a * 3)

    def check_a_wrong_rank_is_refused(self):
        x = self.library.array(np.ones((2, 2, 2), "float32"))
        try:
            self.scaled_sum()(x, x)
        except RuntimeError as error:
            assert "float32[:,:], not float32[:,:,:]" in str(error), error
        else:
            raise AssertionError("an operand of rank 3 was taken for one of rank 2")

    def check_a_read_only_target_is_refused(self):
        if type(self.library) is not NumPy:
            return "its arrays do not say so"
        x, out = self.library.array(np.ones((2, 2), "float32")), np.zeros((2, 2), "float32")
        out.flags.writeable = False
        try:
            self.scaled_sum()(x, x, out=out)
        except (TypeError, BufferError):
            assert out.sum() == 0
        else:
            raise AssertionError("elements that are read only were written")
        constant = np.ones((2, 2), "float32")
        constant.flags.writeable = False
        self.expect(self.library.from_sinter(self.scaled_sum()(constant, x)), np.full((2, 2), 3, "float32"))

    def check_a_call_follows_the_producer_on_its_stream(self):
        """No synchronisation: elements are written by slow work on the current stream, then read on the same."""
        if not hasattr(self.library, "slow_fill") or not self.library.on_gpu:
            return "no streams"
        a, b = self.operands((64, 64))
        function = self.scaled_sum()
        with self.library.own_stream() as stream:
            x, y, out = (self.library.array(each) for each in (a, b, np.zeros_like(a)))
            self.library.slow_fill(x, 5)
            function(x, y, out=out, stream=stream)
            self.library.slow_fill(x, 7)  # after the call's reads
            result = self.library.from_sinter(function(x, y, stream=stream))
            doubled = result + result  # the library's own work, on its stream
            self.expect(out, np.full_like(a, 10) + b)
            self.expect(doubled, (np.full_like(a, 14) + b) * 2)

    def check_the_producer_orders_another_stream_behind_its_work(self):
        """Borrowing for a stream of Sinter's makes that wait for the producer's current one."""
        if not hasattr(self.library, "slow_fill") or not self.library.on_gpu:
            return "no streams"
        a, b = self.operands((64, 64))
        function, other = self.scaled_sum(), self.sinter.stream()
        with self.library.own_stream():
            x, y = (self.library.array(each) for each in (a, b))
            self.library.slow_fill(x, 5)
            result = self.library.from_sinter(function(x, y, stream=other.native))
            doubled = result + result  # the consumer's stream waits for `other`
            self.expect(doubled, (np.full_like(a, 10) + b) * 2)

    def check_results_outlive_their_operands(self):
        a, b = self.operands()
        function = self.scaled_sum()
        operands = [(self.library.array(a), self.library.array(b + i)) for i in range(20)]
        results = [self.library.from_sinter(function(*each)) for each in operands]
        self.wait()  # operands outlive the work, and no more
        del operands, function
        for i, result in enumerate(results):
            self.expect(result, a * 2 + b + i)

    def check_the_exchange_table_of_a_library(self):
        """DLPack 1.3: the type of a tensor has a table of C functions."""
        x = self.library.array(np.arange(1000, dtype="float32"))
        capsule = getattr(type(x), "__dlpack_c_exchange_api__", None)
        if capsule is None or len(sys.argv) < 3:
            return "no exchange table" if capsule is None else "no extension was given"
        pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
        pointer_in.restype, pointer_in.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        doubled = ctypes.PyDLL(sys.argv[2]).sinter_exchange_doubled
        doubled.restype, doubled.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object]
        for _ in range(3):
            result = doubled(pointer_in(capsule, b"dlpack_exchange_api"), x)
            assert type(result) is type(x), type(result)
            self.expect(result + result, np.arange(1000, dtype="float32") * 4)


def main():
    sinter, skipped, failures, ran = Sinter(sys.argv[1]), [], 0, 0
    for library in found_libraries(skipped):
        if library.on_gpu and sinter.cuda_devices() == 0:
            skipped.append(f"{library.name}: Sinter finds no CUDA device: {sinter.cuda_absence_reason()}")
            continue
        print(library.name)
        for name in sorted(each for each in dir(Checks) if each.startswith("check_")):
            sentence = name.removeprefix("check_").replace("_", " ")
            try:
                why = getattr(Checks(sinter, library), name)()
            except Exception:
                failures += 1
                print(f"  FAILED  {sentence}\n{traceback.format_exc()}")
                continue
            if why:
                skipped.append(f"{library.name}: {sentence}: {why}")
            else:
                ran += 1
                print(f"  ok      {sentence}")
    for each in skipped:
        print(f"not run: {each}")
    print(f"{ran} checks passed, {failures} failed")
    sys.exit(failures != 0)


main()
