#pragma once
// The kernels of a function that serve a call: those of its layout class, or those for every layout.

#include <cstdint>

namespace sinter::inline v0 {

enum class lowering_variant : std::uint8_t {
  specialised,  ///< for the class of the call's extents, strides and alignments; the default
  /// For all layouts: the shape-generic kernels, which depend on the function, the target and the mode alone.
  /// They are slower. Compiled ahead, they serve classes without a kernel where nothing can be compiled.
  shape_generic,
  general = shape_generic,  ///< its former name
};

}  // namespace sinter::inline v0
