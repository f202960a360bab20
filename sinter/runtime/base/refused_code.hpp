#pragma once
// What is thrown where code is at fault and not what runs it.

#include <sinter/codegen/base/error.hpp>

namespace sinter::runtime {

/// A driver, or the system's loader, refuses an image as it is: damaged, for another architecture, of a newer
/// toolkit, without the kernel. A device_error to users; where the image came from a cache it is compiled
/// again. What else can fail while code is loaded (memory, a lost context) says nothing of the image.
class refused_code : public device_error {
 public:
  using device_error::device_error;
};

}  // namespace sinter::runtime
