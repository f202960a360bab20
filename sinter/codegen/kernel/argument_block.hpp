#pragma once
// The argument block of a kernel: a list of eight-byte fields. lower() reads it for the values and the
// emitter for names and types, so that the two cannot disagree.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::inline v0 {

struct argument_field {
  enum class kind : std::uint8_t {
    pointer,       ///< address of access `index`, at the element of position 0
    offset,        ///< of position access `index`
    extent,        ///< of axis `index`
    stride,        ///< of group `index` along `axis`
    divisor,       ///< digit `index`, of a reduction axis `index`: three slots, see make_divisor()
    divisors,      ///< of the `axis` axes that share a digit: kept ones (index 0) or reduced ones (index 1)
    strides,       ///< of group `index` along the kept (axis 0) or reduced (axis 1) axes that share a digit
    term_extent,   ///< of term `index`: of the axis that it stays on
    term_divisor,  ///< of term `index`: what it is divided by, three slots
    term_modulus,  ///< of term `index`: the extent of a digit, three slots
    term_stride,   ///< of term `index`
    constant,      ///< run-time integer `index` of the nest
    parameter,     ///< scalar argument `index`
    row,           ///< flat order: axis 0 as a divisor of 32-bit numbers, three slots
    size,          ///< flat order: number of elements
    piece,         ///< CPU: elements (index 0) and rows (index 1) of a tile
    rows,          ///< reductions: positions of the kept axes
    elements,      ///< reductions: positions of the reduced axes
    whole,         ///< reductions: elements of a row before it was split
    tiles,         ///< CUDA, updates of copies: the tiles of all blocks (index 0) and of one (index 1)
    streaming,     ///< CPU: not 0 if results bypass the cache
    read_once,     ///< CUDA: access property of elements that one position of the nest reads
    read_again,    ///< CUDA: access property of elements that several positions read
    fault,         ///< address of the record of an index that is out of range (index_fault.hpp)
    site,          ///< what the kernel's reports count from in that record
    function,      ///< CPU: address of the graph's external function `index`
  };
  kind what;
  std::uint32_t index = 0;
  std::uint32_t axis = 0;
  int bits = 0;  ///< of divisors: of the numbers that they take apart
};

/// The field's name in the block, as text and loops say it: "p0", "s1_0", "outer_kept".
std::string name_of(const argument_field& field);

/// "extent 1", "stride 0 along axis 2": a field's kind and indices.
std::string to_string(const argument_field& field);

/// The fields of a kernel's argument block, in order.
void list_arguments(const kernel_description& described, std::vector<argument_field>& fields);

/// Bytes of a block of `slots` slots.
constexpr std::size_t argument_bytes(std::size_t slots) { return slots * sizeof(std::uint64_t); }

/// Whether a CUDA kernel reads its argument block from device memory, because this many slots do not fit its
/// parameters. The number of slots depends on the description alone, so the text may depend on this.
constexpr bool needs_argument_block(std::size_t slots, const target_facts& target) {
  return is_gpu(target.kind) && argument_bytes(slots) > target.parameter_bytes;
}

/// Division of n < 2^(bits - 1) by `value` as (multiply_high(n, multiplier) + n) >> shift, in 32-bit or
/// 64-bit arithmetic (Granlund and Montgomery 1994).
struct divisor {
  std::int64_t value;
  std::uint64_t multiplier;
  std::int64_t shift;
};
divisor make_divisor(std::int64_t value, int bits);
/// Bits of the numbers that a kernel takes apart by the divisor of a digit, or of the flat order's rows.
int divisor_bits(const kernel_description& described, unsigned digit);
inline constexpr int row_divisor_bits = 32;
/// Of the numbers that terms of accesses are made of.
inline constexpr int term_divisor_bits = 64;

}  // namespace sinter::inline v0
