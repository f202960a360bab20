#pragma once
// Third step of the pass: the schedule. A pure function of the nest, the alignment of its arrays, the target
// and the attempt number. thresholds.hpp has the numbers that it uses.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/access_alignment.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/target/target.hpp>

#include <optional>

namespace sinter::inline v0 {

/// Converts a number of threads, lanes or steps to the type of a schedule's fields.
constexpr std::uint16_t narrow(std::int64_t value) { return static_cast<std::uint16_t>(value); }

/// Loads in flight per thread of a shape-generic kernel.
std::uint16_t loads_of_generic(const nest& loop_nest, const gpu_shape_generic_thresholds& table,
                               unsigned attempt);

/// Chooses a schedule, of a nest whose axes order_axes() has ordered. For a shape-generic nest it depends on
/// axes, instructions and accesses alone.
schedule choose(const nest& loop_nest, std::span<const array_layout> inputs,
                std::span<const array_layout> outputs, const target_facts& target, unsigned attempt);

}  // namespace sinter::inline v0
