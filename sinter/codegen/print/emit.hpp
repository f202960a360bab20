#pragma once
// The last step of the pass: the text of a kernel.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/kernel/stage.hpp>

#include <string>
#include <vector>

namespace sinter::inline v0 {

/// The text of a kernel, and the name of its entry point.
struct kernel_text {
  std::string source;
  std::string entry;
  /// Functions that the text declares and does not define: their code is to be linked to it.
  std::vector<const external_function*> linked{};
};
/// The kernel of a stage: written from its signature, so that stages of one signature have one text.
SINTER_API kernel_text emit(const stage& lowered);

}  // namespace sinter::inline v0
