// The few functions that generated code may call without saying so, as relocatable objects.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace sinter::cpu_compiler {

using shared_bytes = std::shared_ptr<const std::string>;

// The objects that define those of `symbols` that are known here; the linker will name the others. Each is
// compiled at first need and kept. Returns false if that failed; `log` then says why. Must run inside
// run_guarded.
bool support_objects(const std::vector<std::string>& symbols, std::vector<shared_bytes>& objects,
                     std::string& log);

}  // namespace sinter::cpu_compiler
