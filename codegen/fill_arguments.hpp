#pragma once
// The values of a stage's argument block, field by field as list_arguments() has them.

#include <sinter/codegen/arguments.hpp>
#include <sinter/codegen/lowering.hpp>

#include <span>
#include <vector>

namespace sinter {

/// Sets the arguments and the number of tiles of a stage whose nest and schedule are there. `temporaries` are
/// where each begins in the workspace; `fields` is working memory.
void fill_arguments(stage& made, target_kind target, std::span<const std::size_t> temporaries,
                    std::vector<argument_field>& fields);

}  // namespace sinter
