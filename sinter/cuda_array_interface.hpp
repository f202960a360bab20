#pragma once
// The CUDA Array Interface, version 3, from its fields: what Python's `__cuda_array_interface__` of a tensor
// says. With `where` = device::cpu() also NumPy's `__array_interface__`.
//
//     const cuda_array_interface tensor{.shape = extents, .typestr = "<f4", .data = address, .stream = 7};
//     order_after(tensor, mine);
//     scale.on(mine)(as_view<float, 2>(tensor));
//
// Threads: any thread may call these; the fields are read during the call.
// Throws: type_error, shape_error or device_error for fields that Sinter cannot take.
// After a failure: nothing has been made, and the tensor is as it was.

#include <sinter/dsl/foreign/cuda_array_interface.hpp>
#include <sinter/sinter.hpp>
