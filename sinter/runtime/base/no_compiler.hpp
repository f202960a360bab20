#pragma once
// The exception for a kernel that needs compiling when nothing here can compile it.

#include <sinter/codegen/base/error.hpp>

namespace sinter::inline v0::runtime {

/// A compiler's library is missing, or does not support the device. A device_error to users; a call then
/// tries the shape-generic kernels of its function first.
class no_compiler : public device_error {
 public:
  using device_error::device_error;
};

}  // namespace sinter::inline v0::runtime
