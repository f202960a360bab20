#!/usr/bin/env python3
"""Sinter from Python by ctypes: NumPy arrays are operands without a copy, and results become NumPy arrays without one.
Any other library that speaks DLPack serves as well. Usage: numpy_arrays.py PATH_OF_LIBSINTER"""
import ctypes as c
import sys

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped, without python: 1 ({missing})")
    sys.exit()

sinter = c.CDLL(sys.argv[1])
sinter.sinter_last_message.restype = c.c_char_p
sinter.sinter_array_destroy.restype = None
STANDARD, FLOAT64 = 0, 12
CPU = (1, 0)

# What a DLPack capsule holds begins with the tensor that it lends: a sinter_tensor.
capsule_pointer = c.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
new_capsule = c.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]


class Operand(c.Structure):
    _fields_ = [("tensor", c.c_void_p), ("array", c.c_void_p)]


class Arguments(c.Structure):
    _fields_ = [("size", c.c_size_t), ("operands", c.POINTER(Operand)), ("operand_count", c.c_size_t),
                ("scalars", c.c_void_p), ("scalar_count", c.c_size_t),
                ("into", c.POINTER(Operand)), ("into_count", c.c_size_t),
                ("stream", c.c_void_p), ("native_stream", c.c_void_p),
                ("workspace", c.c_void_p), ("workspace_bytes", c.c_size_t),
                ("assume_ordered", c.c_int32), ("shape_generic", c.c_int32)]


def check(status):
    if status != 0:
        raise RuntimeError(sinter.sinter_last_message().decode())


class Builder:
    """A graph; each method adds a value and returns it."""

    def __init__(self):
        self.handle = c.c_void_p()
        check(sinter.sinter_builder_create(STANDARD, c.byref(self.handle)))

    def __del__(self):
        sinter.sinter_builder_destroy(self.handle)

    def input(self, element_type, rank):
        value = c.c_uint64()
        check(sinter.sinter_builder_input(self.handle, element_type, rank, c.byref(value)))
        return value

    def apply(self, name, *operands):
        value, values = c.c_uint64(), (c.c_uint64 * len(operands))(*operands)
        check(sinter.sinter_builder_apply(self.handle, name.encode(), values, c.c_size_t(len(operands)), c.byref(value)))
        return value

    def finish(self, result):
        function = c.c_void_p()
        check(sinter.sinter_builder_output(self.handle, result))
        check(sinter.sinter_builder_finish(self.handle, c.byref(function)))
        return function


class FromSinter:
    """A result for np.from_dlpack, which then owns it."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return CPU

    def __dlpack__(self, **_):
        tensor = c.c_void_p()
        check(sinter.sinter_array_to_dlpack(self.array, c.byref(tensor)))
        return new_capsule(tensor, b"dltensor", None)


def operands_of(arrays):
    """The arrays as operands, and what must live as long as those."""
    capsules = [array.__dlpack__() for array in arrays]
    return (Operand * len(arrays))(*[Operand(capsule_pointer(each, b"dltensor")) for each in capsules]), capsules


def call(function, *arrays, out=None):
    """Runs a function of one result on arrays, into `out` if it is given."""
    operands, kept = operands_of(arrays)
    arguments = Arguments(size=c.sizeof(Arguments), operands=operands, operand_count=len(arrays))
    if out is not None:
        arguments.into, kept_out = operands_of([out])
        arguments.into_count = 1
        check(sinter.sinter_call(function, c.byref(arguments), None, c.c_size_t(0)))
        return out
    result = c.c_void_p()
    check(sinter.sinter_call(function, c.byref(arguments), c.byref(result), c.c_size_t(1)))
    return np.from_dlpack(FromSinter(result))


def main():
    builder = Builder()
    x, y = builder.input(FLOAT64, 2), builder.input(FLOAT64, 2)
    length = builder.finish(builder.apply("sqrt", builder.apply("add", builder.apply("square", x), builder.apply("square", y))))

    a = np.arange(12.0).reshape(3, 4)
    b = np.arange(24.0).reshape(4, 6).T[::2]  # any strides: nothing is copied
    expected = np.sqrt(a * a + b * b)
    assert np.allclose(call(length, a, b), expected)
    out = np.empty((3, 4))
    assert call(length, a, b, out=out) is out and np.allclose(out, expected)

    try:
        builder.apply("squareroot", x)
    except RuntimeError as error:
        print(error)
    sinter.sinter_function_destroy(length)
    print("the lengths are NumPy's")


main()
