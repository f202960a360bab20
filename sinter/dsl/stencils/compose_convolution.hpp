#pragma once
// Convolutions along an axis, as nodes of a graph: what functions of lambdas record (convolve.hpp), for those
// who build graphs.
//
// Threads: a builder is used by one thread at a time.
// Throws: type_error or shape_error as nodes are added, where operands or axes do not fit; extents and
// indices are checked by the call: shape_error, index_error.
// After a failure: the graph has no new result, and values that were given before are still good; nodes that
// were added before the exception stay, unused.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph_value.hpp>

#include <cstdint>
#include <source_location>

namespace sinter::inline v0 {

/// Which positions of a kernel beside n elements are results, of m elements of the kernel.
enum class convolution : std::uint8_t {
  full,   ///< all at which they meet: n + m - 1
  same,   ///< those in the middle: max(n, m)
  valid,  ///< those at which the shorter lies within the longer: max(n, m) - min(n, m) + 1
};

/// The convolution of x along an axis with a kernel of rank 1, as NumPy's convolve: element i is the sum of
/// kernel[j] x[i - j], where x is 0 past its ends. In the promoted type; integers wrap, and booleans are
/// combined by `and` and `or`. The sum reads x where it is, and takes as many steps for each element as the
/// kernel has elements. Throws shape_error for other ranks, and, when called, for an axis or a kernel without
/// elements.
SINTER_API graph_value convolve(graph_builder& into, graph_value x, graph_value kernel, convolution mode,
                                unsigned axis,
                                const std::source_location& at = std::source_location::current());

/// The same with the kernel's order reversed, and of its complex numbers the conjugates, as NumPy's
/// correlate.
SINTER_API graph_value correlate(graph_builder& into, graph_value x, graph_value kernel, convolution mode,
                                 unsigned axis,
                                 const std::source_location& at = std::source_location::current());

namespace detail {

/// The number of a part (parts/compose_parts.hpp).
constexpr std::uint64_t packed_convolution(std::uint64_t axis, convolution mode) {
  return axis | static_cast<std::uint64_t>(mode) << 8;
}
constexpr unsigned axis_of_convolution(std::uint64_t packed) { return static_cast<unsigned>(packed & 0xff); }
constexpr convolution mode_of_convolution(std::uint64_t packed) {
  return static_cast<convolution>(packed >> 8);
}

}  // namespace detail

}  // namespace sinter::inline v0
