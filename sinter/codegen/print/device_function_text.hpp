#pragma once
// What a kernel's text calls and does not define itself: device functions, and functions of users.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/math/lane_text.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::codegen {

/// Numbers of the external functions whose code is linked to the kernel: those that the text declares.
std::vector<std::uint64_t> linked_externals(const kernel_description& kernel);

/// The device functions `called`, with all that they call, and declarations of external ones; after them what
/// loops over lanes need, on the CPU.
std::string device_function_text(const kernel_description& kernel, std::span<const std::string_view> called);
std::string device_function_text(const kernel_description& kernel, std::span<const std::string_view> called,
                                 const lane_translator& lanes);

}  // namespace sinter::inline v0::codegen
