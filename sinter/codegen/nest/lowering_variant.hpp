#pragma once
// Which kernels of a function serve a call: those of its own class of layouts, or those of every layout.

#include <cstdint>

namespace sinter {

enum class lowering_variant : std::uint8_t {
  specialised,  ///< for the class of the call's extents, strides and alignments: what a call asks for
  /// For all of them, the shape-generic kernels of a function: they depend on the function, the target and the
  /// mode alone. Slower, and there once it was compiled ahead: it serves classes that are not compiled where
  /// nothing can be compiled.
  shape_generic,
  general = shape_generic,  ///< its name in version 0.1
};

}  // namespace sinter
