#pragma once
// The signature of a kernel: the bytes that decide its text.

#include <sinter/codegen/lowering.hpp>

#include <span>

namespace sinter {

/// Everything that emit() reads, and nothing else: of the nest its pattern, not its extents, offsets and
/// strides. Equal signatures have byte-equal text.
void write_signature(const nest& body, std::span<const external_function* const> externals,
                     const schedule& chosen, bool argument_block, const launch_overlap& overlap,
                     const target_facts& target, arithmetic_mode mode, std::string_view name,
                     std::string& bytes);

/// The signature of the same kernel for another CUDA architecture, and without its name.
std::string signature_for(std::string_view signature, int architecture);
std::string signature_without_name(std::string_view signature, std::string_view name);

}  // namespace sinter
