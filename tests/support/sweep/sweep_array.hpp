#pragma once
// Arrays on a device in any layout, made from elements in row-major order, and read back.

#include "sweep_layout.hpp"
#include "sweep_values.hpp"

#include <sinter/runtime/call.hpp>
#include <string_view>

namespace sinter::test {

/// The layout of an array in memory. The last three have fewer elements than the shape and broadcast to it.
enum class placement : std::uint8_t {
  contiguous,
  unaligned,   ///< contiguous, one element past an aligned address
  strided,     ///< every second element of rows that are padded
  padded,      ///< padded rows
  backwards,   ///< every axis has a negative stride
  transposed,  ///< the last two axes exchanged in memory
  row,         ///< only the first row, extents {1, …, n}
  column,      ///< only the first column, extents {n, 1}
  single,      ///< only the first element, extents {1, 1}
};
std::string_view to_string(placement where);
inline bool broadcasts(placement where) { return where >= placement::row; }

/// The elements of an array with this placement after broadcasting to its shape.
bits spread(const bits& values, const shape& extents, placement where);

/// An array on a device.
class placed_array {
 public:
  /// `values` in row-major order of `extents`.
  placed_array(element_type type, const bits& values, const shape& extents, placement where, device on);

  runtime::operand operand() const;
  /// All elements in row-major order; the gaps between them must be unchanged.
  bits read() const;
  /// Whether the bytes of no element are unchanged.
  bool gaps_untouched() const;

 private:
  std::vector<std::byte> download() const;
  std::int64_t position_of(std::size_t index) const;

  element_type type_;
  shape extents_, strides_;
  std::int64_t first_ = 0;    ///< elements before the first one
  std::size_t elements_ = 0;  ///< of memory, including gaps
  buffer storage_;
  device on_;
};

/// Runs a function with new results and returns their elements.
std::vector<bits> run(runtime::function_handle called, const std::vector<placed_array>& arrays,
                      const std::vector<runtime::scalar>& scalars, device on,
                      lowering_variant variant = lowering_variant::specialised);
/// Runs a function into results with this placement.
std::vector<bits> run_into(runtime::function_handle called, const std::vector<placed_array>& arrays,
                           const std::vector<runtime::scalar>& scalars, device on, const shape& extents,
                           placement where, bool& gaps_untouched,
                           lowering_variant variant = lowering_variant::specialised);

}  // namespace sinter::test
