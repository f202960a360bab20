#pragma once
// Third step of the pass: the schedule. A pure function of the nest, the alignment of its arrays, the target
// and the attempt number. thresholds.hpp has the numbers that it uses.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/target/target.hpp>

#include <optional>

namespace sinter::inline v0 {

/// Converts a number of threads, lanes or steps to the type of a schedule's fields.
constexpr std::uint16_t narrow(std::int64_t value) { return static_cast<std::uint16_t>(value); }

/// True if the access follows memory in the order of the nest's elements, without gaps.
bool is_linear(const access& at, const nest& loop_nest);

/// True if the tiled order transposes this read on the chip: contiguous along axis 1, strided along axis 0.
bool is_transposed_access(const access& at);

/// Largest power of two up to most_alignment that divides the address of the access's first element.
std::uint32_t alignment_of(const access& at, std::span<const array_layout> inputs,
                           std::span<const array_layout> outputs);

/// Loads in flight per thread of a shape-generic kernel.
std::uint16_t loads_of_generic(const nest& loop_nest, const gpu_shape_generic_thresholds& table,
                               unsigned attempt);

/// Chooses a schedule. For a shape-generic nest it depends on axes, instructions and accesses alone. May swap
/// axes of the nest so that a transposed operand's contiguous axis is axis 1.
schedule choose(nest& loop_nest, std::span<const array_layout> inputs, std::span<const array_layout> outputs,
                const target_facts& target, unsigned attempt);

/// Throws type_error with the field's name for a caller's schedule that the nest cannot run under.
void check_schedule(const schedule& forced, const nest& loop_nest, std::span<const array_layout> inputs,
                    std::span<const array_layout> outputs, const target_facts& target);

}  // namespace sinter::inline v0
