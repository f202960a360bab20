#pragma once
// What a kernel is, apart from the call that it is launched for: the one value that decides its text and how
// its argument block is laid out. Its bytes are the signature.

#include <sinter/codegen/graph/external_function.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/stage.hpp>
#include <sinter/codegen/target/target.hpp>

#include <optional>

namespace sinter {

/// Version of everything that shapes text; part of every cache key.
inline constexpr int emitter_version = 9;

/// What emit() writes a kernel from. It holds patterns: which axes an access takes steps along, not how long
/// they are. What a launch brings (extents, strides, offsets, scalars, and what the schedule says of caches)
/// is not in it, so no text can depend on that.
struct kernel_description {
  target_kind target = target_kind::host;
  int architecture = 0;  ///< CUDA; no text depends on it, but what is compiled does
  arithmetic_mode mode = arithmetic_mode::standard;
  bool argument_block = false;  ///< CUDA: the kernel takes the address of its arguments
  launch_overlap overlap;
  schedule chosen;
  nest body;  ///< see pattern_of()
  /// By the numbers that instructions call them by: of those that are called, the name, the types and, unless
  /// it is called through an address, the hashes of what is linked for the target.
  std::vector<external_function> externals;
  std::string name;
};

/// The target, mode, schedule, arguments, access patterns, instructions and stores, as text that a person
/// reads: a line each.
std::string to_string(const kernel_description& described);

/// Describes the kernel of a stage whose nest, schedule, externals and overlap are there. Whether its
/// arguments lie in memory follows from the description (list_arguments()).
void describe_kernel(const stage& made, const target_facts& target, arithmetic_mode mode,
                     std::string_view name, kernel_description& described);

/// The bytes of a description: equal bytes are equal descriptions, and begin with emitter_version.
void write_signature(const kernel_description& described, std::string& bytes);

/// The description that bytes are of; nullopt of bytes that are none, or another emitter version's. Accepts
/// any bytes at all.
std::optional<kernel_description> read_signature(std::string_view bytes);

/// The signature of the same kernel for another CUDA architecture, and without its name.
std::string signature_for(std::string_view signature, int architecture);
std::string signature_without_name(std::string_view signature);

}  // namespace sinter
