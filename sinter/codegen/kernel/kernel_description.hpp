#pragma once
// The description of a kernel, independent of the call that launches it: the single value that determines its
// text and the layout of its argument block. Its bytes are the signature.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/external_function.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/stage.hpp>
#include <sinter/codegen/target/target.hpp>

#include <optional>

namespace sinter::inline v0 {

/// Version of everything that shapes text; part of every cache key.
inline constexpr int emitter_version = 43;

/// The input of emit(). Values that belong to a launch (extents, strides, offsets, scalars, cache hints) are
/// not in it, so no text can depend on them.
struct kernel_description {
  target_kind target = target_kind::cpu;
  int architecture = 0;  ///< CUDA; no text depends on it, but the compiled code does
  arithmetic_mode mode = arithmetic_mode::standard;
  bool argument_block = false;  ///< CUDA: the kernel receives the address of its arguments
  /// CUDA reductions: whether positions along the reduced axes, and along the kept ones, are counted in 32
  /// bits.
  bool narrow_reduced = false, narrow_kept = false;
  launch_overlap overlap;
  schedule chosen;
  kernel_pattern body;
  /// By the index in the instructions that call them. Functions that are called have their name, types and,
  /// unless the call is through an address, the hashes of the code that is linked for the target.
  std::vector<external_function> externals;
  std::string name;
};

/// The target, mode, schedule, arguments, access patterns, instructions and stores as readable text, one line
/// each.
SINTER_API std::string to_string(const kernel_description& described);

/// Describes the kernel of a stage with a nest, schedule, externals and overlap. Whether its arguments are in
/// memory follows from the description (list_arguments()).
SINTER_API void describe_kernel(const stage& made, const target_facts& target, arithmetic_mode mode,
                                std::string_view name, kernel_description& described);

/// The bytes of a description. Descriptions are equal if their bytes are; the bytes start with
/// emitter_version.
SINTER_API void write_signature(const kernel_description& described, std::string& bytes);

/// The description with these bytes; nullopt for malformed bytes and those of another emitter version. Safe
/// for arbitrary bytes.
SINTER_API std::optional<kernel_description> read_signature(std::string_view bytes);

/// The signature of the same kernel for another CUDA architecture, without its name.
SINTER_API std::string signature_for(std::string_view signature, int architecture);
SINTER_API std::string signature_without_name(std::string_view signature);

}  // namespace sinter::inline v0
