#pragma once
// From kernel text to object code, by the compiler of the target.

#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/object_code.hpp>

namespace sinter::runtime {

/// Compiles a kernel's text for a target. Needs no device. Throws compile_error, or device_error where the
/// compiler is missing. A compile of more than two seconds is reported to the log hook.
object_code compile_kernel(const kernel_text& text, const target_facts& target);

}  // namespace sinter::runtime
