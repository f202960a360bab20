#pragma once
// A stage's kernel: found in a layer of the cache, or emitted, compiled and kept there.

#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/cache/entry.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace sinter::runtime {

/// All that a stage's kernel depends on, as the cache's key has it (cache/key.hpp); of one for the CPU that
/// is compiled for this processor, or for the level of processors that is named. Calls no compiler.
std::string key_content_of(const stage& lowered, const target_facts& target, std::string_view processor = {});

/// Looks through the layers of the cache beyond this process' memory, and compiles where none has it.
/// `cuda_version` is what the driver runs, 0 for the CPU. Throws as compile_kernel() does.
made_kernel make_kernel(const stage& lowered, const target_facts& target, const graph& content,
                        int cuda_version);

/// Looks through those layers alone.
std::optional<made_kernel> find_made_kernel(const stage& lowered, const target_facts& target,
                                            const graph& content, int cuda_version);
/// Compiles quickly, and keeps it nowhere.
made_kernel make_quick_kernel(const stage& lowered, const target_facts& target);

/// Takes the kernel from no layer any more: what that one had could not be loaded.
void distrust(const kernel& refused);

/// Object code as an entry of the cache and back.
cache_entry entry_of(const object_code& code, const kernel_text& text, const schedule& chosen);
object_code code_of(const cache_entry& entry, const std::string& origin);

}  // namespace sinter::runtime
