#pragma once
// Codes of indices that are out of range, for values of which it is decided later whether they are used.
//
// The code of a value is 0 if all indices that it depends on are in range, else one of those that are not: a
// positive integer, the greater one where there are several. It goes with the value: through conditions it is
// that of the chosen side, a reduction or scan has the greatest one of its elements.

#include <sinter/codegen/nest/build/indices/index_check.hpp>
#include <sinter/codegen/nest/nest_writer.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Appends to a nest the codes of its values.
class fault_codes {
 public:
  /// Of the indices that `checks` are for, which are some of `all`.
  fault_codes(std::span<const index_check* const> checks, std::span<const index_check> all, nest& to);

  /// The instruction that has the code of a value; index_check::none if it depends on no such index.
  std::uint32_t of(std::uint32_t value) const { return codes_[value]; }

 private:
  static constexpr std::uint32_t none = index_check::none;

  std::uint32_t code_of(std::uint32_t i);
  std::uint32_t code_of_bodies(std::uint32_t i);
  std::uint32_t code_of_arguments(std::span<const std::uint32_t> arguments);
  std::uint32_t either(std::uint32_t left, std::uint32_t right);
  std::uint32_t chosen(std::uint32_t condition, std::uint32_t left, std::uint32_t right);
  std::uint32_t combined(operation op, std::uint32_t code);

  nest& to_;
  nest_writer out_;
  std::vector<std::uint32_t> codes_;               ///< by instruction
  std::vector<std::uint32_t> elements_;            ///< by scan: the code of what it scans
  std::vector<std::uint32_t> inside_, otherwise_;  ///< by owner: what its bodies, or the second one, take
};

/// Whether codes can number the nodes of a graph.
constexpr bool can_be_coded(std::size_t nodes) { return nodes < std::size_t{1} << 20; }

/// The code of an index where it is out of range, else 0.
std::uint32_t code_where_out(const index_check& check, nest& to);
/// Whether a code is that of an index of the node `gather`, and that index: beyond 2^42 the nearest one.
std::uint32_t is_code_of(std::uint32_t code, std::uint32_t gather, nest& to);
std::uint32_t index_of_code(std::uint32_t code, nest& to);

}  // namespace sinter::inline v0
