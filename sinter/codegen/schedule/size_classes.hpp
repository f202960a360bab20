#pragma once
// Extents that represent a whole range: prepare() tries these instead of every size.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Extents of one axis, ascending, from `low` to `high`. Lowering the function at each of them yields every
/// kernel that any extent of the range yields, if other axes are treated likewise. A kernel depends on the
/// pass's thresholds (extent_thresholds()), shifted by the function's slices, and on whether an extent is a
/// multiple of a vector. So the result has both ends of each class, with numbers that are divisible and
/// numbers that are not. Reductions have classes at powers of two, at three times those, and where their
/// blocks fill the target. `beside` are extents of other axes, which merge with this one; `scalars` are the
/// values of parameters that bound slices. A pure function of its arguments.
std::vector<std::int64_t> representative_extents(const graph& recorded,
                                                 std::span<const std::uint64_t> scalars, std::int64_t low,
                                                 std::int64_t high, const target_facts& target,
                                                 std::span<const std::int64_t> beside = {});

}  // namespace sinter::inline v0
