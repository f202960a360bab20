"""Sinter's C interface by ctypes, for arrays of any library that speaks DLPack (NumPy, PyTorch, CuPy, JAX): they are
operands and targets without a copy, on the CPU and on GPUs.

    sinter = Sinter("libsinter.so")
    builder = sinter.builder()
    x, y = builder.input("float32", 2), builder.input("float32", 2)
    add = builder.finish(builder.apply("add", x, y))
    add(a, b, out=c)                             # on the device's default stream
    add(a, b, out=c, stream=handle)              # on a CUstream, such as torch.cuda.current_stream().cuda_stream
    result = torch.from_dlpack(add(a, b))        # a result of Sinter's own, handed over without a copy

On a GPU a call returns when its work is queued: operands and targets must outlive it, and a consumer on another stream
than `stream` must wait for it.
"""
import ctypes as c

STANDARD = 0
CPU, CUDA = 1, 2
READ_ONLY = 1
TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
         "float32", "float64", "complex64", "complex128"]

capsule_pointer = c.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
capsule_name = c.pythonapi.PyCapsule_GetName
capsule_name.restype, capsule_name.argtypes = c.c_char_p, [c.py_object]
new_capsule = c.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32), ("ndim", c.c_int32),
                ("code", c.c_uint8), ("bits", c.c_uint8), ("lanes", c.c_uint16), ("shape", c.c_void_p),
                ("strides", c.c_void_p), ("byte_offset", c.c_uint64)]


class VersionedTensor(c.Structure):
    _fields_ = [("major", c.c_uint32), ("minor", c.c_uint32), ("manager_ctx", c.c_void_p), ("deleter", c.c_void_p),
                ("flags", c.c_uint64), ("dl_tensor", Tensor)]


class Operand(c.Structure):
    _fields_ = [("tensor", c.c_void_p), ("array", c.c_void_p)]


class Arguments(c.Structure):
    _fields_ = [("size", c.c_size_t), ("operands", c.POINTER(Operand)), ("operand_count", c.c_size_t),
                ("scalars", c.c_void_p), ("scalar_count", c.c_size_t),
                ("into", c.POINTER(Operand)), ("into_count", c.c_size_t),
                ("stream", c.c_void_p), ("native_stream", c.c_void_p),
                ("workspace", c.c_void_p), ("workspace_bytes", c.c_size_t),
                ("assume_ordered", c.c_int32), ("shape_generic", c.c_int32)]


class Borrowed:
    """The tensor of an array, valid as long as this object. On a GPU the producer orders `stream` behind its work."""

    def __init__(self, array, stream=None, written=False):
        on_gpu = array.__dlpack_device__()[0] == CUDA
        # To DLPack in Python the default stream is 1; 0 would be an error.
        order = {"stream": stream or 1} if on_gpu else {}
        try:
            self.capsule = array.__dlpack__(max_version=(1, 0), **order)
        except TypeError:  # a producer from before DLPack 1.0
            self.capsule = array.__dlpack__(**order)
        if capsule_name(self.capsule) == b"dltensor_versioned":
            whole = VersionedTensor.from_address(capsule_pointer(self.capsule, b"dltensor_versioned"))
            if whole.major != 1:
                raise TypeError(f"a DLPack tensor of version {whole.major}.{whole.minor}: Sinter reads versions 1.x")
            if written and whole.flags & READ_ONLY:
                raise TypeError("a target is read only: name an array that may be written")
            self.pointer = c.addressof(whole) + VersionedTensor.dl_tensor.offset
        else:
            self.pointer = capsule_pointer(self.capsule, b"dltensor")
        self.device = (Tensor.from_address(self.pointer).device_type, Tensor.from_address(self.pointer).device_id)


class Sinter:
    """A loaded libsinter.so."""

    def __init__(self, path):
        self.library = c.CDLL(path)
        self.library.sinter_last_message.restype = c.c_char_p
        for handle in ("array", "function", "builder", "stream"):
            destroy = getattr(self.library, f"sinter_{handle}_destroy")
            destroy.restype, destroy.argtypes = None, [c.c_void_p]

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.library.sinter_last_message().decode())

    def builder(self):
        return Builder(self)

    def cuda_devices(self):
        count = c.c_int32()
        self.check(self.library.sinter_cuda_device_count(c.byref(count)))
        return count.value

    def cuda_absence_reason(self):
        reason = c.c_char_p()
        self.check(self.library.sinter_cuda_absence_reason(c.byref(reason)))
        return reason.value.decode()

    def synchronize(self, device=0):
        """Waits for all work on a CUDA device."""
        self.check(self.library.sinter_synchronize(Device(CUDA, device)))

    def stream(self, device=0):
        """A new stream of a CUDA device."""
        return Stream(self, device)


class Stream:
    def __init__(self, sinter, device):
        self.sinter, self.handle, native = sinter, c.c_void_p(), c.c_void_p()
        sinter.check(sinter.library.sinter_stream_create(Device(CUDA, device), c.byref(self.handle)))
        sinter.check(sinter.library.sinter_stream_native(self.handle, c.byref(native)))
        self.native = native.value

    def synchronize(self):
        self.sinter.check(self.sinter.library.sinter_stream_synchronize(self.handle))

    def __del__(self):
        self.sinter.library.sinter_stream_destroy(self.handle)


class Device(c.Structure):
    _fields_ = [("type", c.c_int32), ("id", c.c_int32)]


class Builder:
    """A graph; each method adds a value and returns it."""

    def __init__(self, sinter):
        self.sinter, self.library, self.handle = sinter, sinter.library, c.c_void_p()
        sinter.check(self.library.sinter_builder_create(STANDARD, c.byref(self.handle)))

    def __del__(self):
        self.library.sinter_builder_destroy(self.handle)

    def input(self, element_type, rank):
        value = c.c_uint64()
        self.sinter.check(self.library.sinter_builder_input(self.handle, TYPES.index(element_type), rank, c.byref(value)))
        return value

    def real(self, number):
        value = c.c_uint64()
        self.sinter.check(self.library.sinter_builder_real(self.handle, c.c_double(number), c.byref(value)))
        return value

    def integer(self, number):
        value = c.c_uint64()
        self.sinter.check(self.library.sinter_builder_integer(self.handle, c.c_int64(number), c.byref(value)))
        return value

    def apply(self, name, *operands):
        value, values = c.c_uint64(), (c.c_uint64 * len(operands))(*operands)
        self.sinter.check(self.library.sinter_builder_apply(self.handle, name.encode(), values,
                                                            c.c_size_t(len(operands)), c.byref(value)))
        return value

    def finish(self, result):
        function = c.c_void_p()
        self.sinter.check(self.library.sinter_builder_output(self.handle, result))
        self.sinter.check(self.library.sinter_builder_finish(self.handle, c.byref(function)))
        return Function(self.sinter, function)


class Function:
    """A graph of one result. A call returns `out`, or a new Result."""

    def __init__(self, sinter, handle):
        self.sinter, self.library, self.handle = sinter, sinter.library, handle

    def __del__(self):
        self.library.sinter_function_destroy(self.handle)

    def __call__(self, *arrays, out=None, stream=None):
        lent = [Borrowed(each, stream) for each in arrays]
        operands = (Operand * len(lent))(*[Operand(each.pointer) for each in lent])
        arguments = Arguments(size=c.sizeof(Arguments), operands=operands, operand_count=len(lent), native_stream=stream)
        if out is not None:
            target = Borrowed(out, stream, written=True)
            arguments.into, arguments.into_count = (Operand * 1)(Operand(target.pointer)), 1
            self.sinter.check(self.library.sinter_call(self.handle, c.byref(arguments), None, c.c_size_t(0)))
            return out
        array = c.c_void_p()
        self.sinter.check(self.library.sinter_call(self.handle, c.byref(arguments), c.byref(array), c.c_size_t(1)))
        return Result(self.sinter, array, lent[0].device)


class Result:
    """A new array for `from_dlpack` of any library, which then owns it."""

    def __init__(self, sinter, array, device):
        self.sinter, self.array, self.device = sinter, array, device

    def __del__(self):
        self.sinter.library.sinter_array_destroy(self.array)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if dl_device not in (None, self.device) or copy:
            raise BufferError("a result of Sinter's is handed over where it is, without a copy")
        library, check = self.sinter.library, self.sinter.check
        tensor, consumer = c.c_void_p(), c.c_void_p()
        on_gpu = self.device[0] == CUDA
        if max_version is None or max_version[0] < 1:  # a consumer from before DLPack 1.0
            if on_gpu:
                check(library.sinter_synchronize(Device(*self.device)))
            check(library.sinter_array_to_dlpack(self.array, c.byref(tensor)))
            name = b"dltensor"
        else:
            if on_gpu and stream != -1:  # -1: the consumer orders its work itself
                check(library.sinter_stream_borrow(Device(*self.device), c.c_void_p(stream or 1), c.byref(consumer)))
            try:
                check(library.sinter_array_to_dlpack_versioned(self.array, consumer, c.byref(tensor)))
            finally:
                library.sinter_stream_destroy(consumer)
            name = b"dltensor_versioned"
        self.array = None
        return new_capsule(tensor, name, None)
