#pragma once
// The class of a call: calls that are so alike that one schedule is the best for all of them.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/target/target.hpp>
#include <sinter/runtime/device.hpp>

#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0::runtime {

/// As text, "float32[2^12,1000] contiguous; float32[2^12] aligned by 4": for each operand its type, its
/// extents (exact below 64, else the largest power of two below), its strides if it is not contiguous, its
/// alignment below 16 bytes, and the operand before it that is the same array. Then the same for results, but
/// for new ones.
std::string class_of_call(std::span<const array_layout> inputs, std::span<const array_layout> outputs);

/// The model of a device, with what its schedules depend on: "NVIDIA H200, 132 multiprocessors".
std::string model_of(device where);
/// Whether a target has what schedules depend on of a model that model_of() named.
bool is_of_model(std::string_view model, const target_facts& facts);

}  // namespace sinter::inline v0::runtime
