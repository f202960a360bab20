#pragma once
// The values of a stage's argument block, for each field of list_arguments().

#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/kernel/stage.hpp>

#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Sets the arguments and the number of tiles, or of blocks that have several, of a stage with a nest and a
/// schedule: the values of `fields`, which its kernel's description lists. `temporaries` has the offset of
/// each temporary in the workspace.
void fill_arguments(stage& made, const target_facts& target, std::span<const argument_field> fields,
                    std::span<const std::size_t> temporaries);

}  // namespace sinter::inline v0
