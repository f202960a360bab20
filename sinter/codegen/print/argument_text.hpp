#pragma once
// The argument block of a kernel as C++ text.

#include <sinter/codegen/kernel/kernel_description.hpp>

#include <string>

namespace sinter::inline v0::codegen {

/// "struct arguments { … };", eight bytes a field, behind the types that its fields have.
std::string argument_text(const kernel_description& kernel);

}  // namespace sinter::inline v0::codegen
