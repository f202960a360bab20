#pragma once
// The last step of the pass: the text of a kernel.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/kernel/stage.hpp>

#include <span>
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
/// The kernel of a description. `called` are the functions that a stage calls, by the numbers in its
/// instructions: the text has their names and types from the description, and `linked` points to those whose
/// code is to be linked.
SINTER_API kernel_text emit(const kernel_description& described,
                            std::span<const external_function* const> called);
/// The kernel of a stage: that of the description that its signature is the bytes of, so that stages of one
/// signature have one text.
SINTER_API kernel_text emit(const stage& lowered);

}  // namespace sinter::inline v0
