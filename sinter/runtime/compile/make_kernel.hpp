#pragma once
// A stage's kernel: found in a layer of the cache, or emitted, compiled and stored there.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/cache/entry.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sinter::inline v0::runtime {

/// All that a stage's kernel depends on, in the form of the cache's key (cache/key.hpp). A CPU kernel is
/// compiled for this processor, or for the level that is named. Calls no compiler.
std::string key_content_of(const stage& lowered, const target_facts& target, std::string_view processor = {});

/// Searches the layers of the cache beyond this process's memory, and compiles if none has the kernel.
/// `cuda_version` is the version that the driver runs, 0 for the CPU. `before_compile`, unless empty, is
/// called once it is known that no layer has the kernel. Throws as compile_kernel() does.
made_kernel make_kernel(const stage& lowered, const target_facts& target, const graph& content,
                        int cuda_version, const std::function<void()>& before_compile = {});

/// Searches those layers only.
std::optional<made_kernel> find_made_kernel(const stage& lowered, const target_facts& target,
                                            const graph& content, int cuda_version);
/// Compiles quickly and stores the kernel in no layer.
made_kernel make_quick_kernel(const stage& lowered, const target_facts& target);

/// Takes this kernel from no layer any more, because the code from its layer could not be loaded.
void distrust(const kernel& refused);

/// Converts object code to an entry of the cache and back.
cache_entry entry_of(const object_code& code, const kernel_text& text, const schedule& chosen);
object_code code_of(const cache_entry& entry, const std::string& origin);

}  // namespace sinter::inline v0::runtime
