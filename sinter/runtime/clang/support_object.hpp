// The functions that compiled code may call implicitly, as relocatable objects.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace sinter::inline v0::cpu_compiler {

using shared_bytes = std::shared_ptr<const std::string>;

// The objects that define the known ones among `symbols`; the linker reports the others. Each object is
// compiled on first use and cached. Returns false with the reason in `log` on failure. Must run inside
// run_guarded.
bool support_objects(const std::vector<std::string>& symbols, std::vector<shared_bytes>& objects,
                     std::string& log);

}  // namespace sinter::inline v0::cpu_compiler
