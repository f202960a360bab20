#pragma once
// Functions of kernels that combine an element in memory with a value.

#include <sinter/codegen/graph/operation.hpp>
#include <sinter/codegen/target/target.hpp>

#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0::codegen {

/// The function that is called: update_add(pointer, value), update_minimum(…) and so on, or of a
/// task's own copy of an array own_add(…) and so on. On GPUs a copy is a block's, and these are called as
/// own_add(copy, place, value, elements).
std::string_view update_helper(operation combine, element_type type, bool is_own);
/// Of a block's copy whose updates all add the same number: it counts them.
inline constexpr std::string_view count_helper = "own_count";

/// Those of these functions that are among the helpers that a kernel has `called`. Updates of arrays are
/// atomic.
std::string update_text(std::span<const std::string_view> called, target_kind target);

}  // namespace sinter::inline v0::codegen
