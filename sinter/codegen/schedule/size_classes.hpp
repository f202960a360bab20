#pragma once
// Which extents stand for all of a range: what prepare() walks instead of every size.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter {

/// Extents of one axis, ascending, from `low` to `high`, such that lowering the function at each of them
/// meets every kernel that lowering it at any extent of the range meets, other axes being walked likewise.
/// What makes a kernel are the thresholds of the pass (extent_thresholds()), moved by the function's slices,
/// and whether an extent is a multiple of a vector: so these are both ends of each class, with numbers there
/// that are divisible and that are not. Reductions have classes at powers of two, at thrice those and where
/// their blocks fill the target; `beside` are extents of other axes, which merge with this one. A pure
/// function of its arguments; `scalars` are the values of the parameters that bound slices.
std::vector<std::int64_t> representative_extents(const graph& recorded,
                                                 std::span<const std::uint64_t> scalars, std::int64_t low,
                                                 std::int64_t high, const target_facts& target,
                                                 std::span<const std::int64_t> beside = {});

}  // namespace sinter
