#pragma once
// The exception for code that cannot be loaded.

#include <sinter/codegen/base/error.hpp>

namespace sinter::inline v0::runtime {

/// The driver or the system's loader rejects an image: damaged, for another architecture, of a newer toolkit,
/// or without the kernel. A device_error to users; an image from a cache is compiled again. Other failures of
/// loading (memory, a lost context) say nothing about the image.
class refused_code : public device_error {
 public:
  using device_error::device_error;
};

}  // namespace sinter::inline v0::runtime
