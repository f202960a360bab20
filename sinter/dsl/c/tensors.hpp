#pragma once
// Tensors and devices of the C interface, and the library's.

#include <sinter/sinter.h>
#include <sinter/dsl/any_array.hpp>

namespace sinter::inline v0::c {

/// Throws device_error for what is neither the CPU nor a CUDA device.
device device_of(const sinter_device& where);
/// Borrows the elements. Throws as borrowing a DLPack tensor does.
any_view view_of(const sinter_tensor& tensor);
/// The array's elements, shape and strides, borrowed.
sinter_tensor tensor_of(const any_array& elements);

}  // namespace sinter::inline v0::c
