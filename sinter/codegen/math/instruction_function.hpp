#pragma once
// Which device function an instruction of a kernel calls, and whether that has a fast path.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/math/device_functions.hpp>

#include <string>

namespace sinter::inline v0::codegen {

text_target text_target_of(const kernel_description& kernel);
text_mode text_mode_of(const kernel_description& kernel);

/// "exp_f32": the function of an operation for a type, its own where a half type has one.
std::string function_name(const kernel_description& kernel, std::string_view operation, element_type type);

/// The function that an instruction calls; empty where text spells the operation, casts, or calls a user's
/// function.
std::string function_of(const kernel_description& kernel, const instruction& made);

/// Whether an instruction calls a function that has a cheaper form for most arguments
/// (device_function::fast_name).
bool has_fast_path(const kernel_description& kernel, const instruction& made);
/// Whether any instruction of a kernel does.
bool has_fast_paths(const kernel_description& kernel);

}  // namespace sinter::inline v0::codegen
