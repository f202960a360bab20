#pragma once
// The values of a stage's argument block, field by field as list_arguments() has them.

#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/kernel/stage.hpp>

#include <span>
#include <vector>

namespace sinter {

/// Sets the arguments and the number of tiles of a stage whose nest and schedule are there: the values of
/// `fields`, which its kernel's description lists. `temporaries` are where each begins in the workspace.
void fill_arguments(stage& made, target_kind target, std::span<const argument_field> fields,
                    std::span<const std::size_t> temporaries);

}  // namespace sinter
