#pragma once
// What is thrown where a kernel would have to be compiled and nothing here can.

#include <sinter/codegen/base/error.hpp>

namespace sinter::runtime {

/// A compiler's library is missing, or does not know the device. A device_error to users; a call then looks
/// for the general variant of its function before it gives up.
class no_compiler : public device_error {
 public:
  using device_error::device_error;
};

}  // namespace sinter::runtime
