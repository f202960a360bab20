#pragma once
// The code behind external functions: what users hand in for each target, and how a kernel that calls it is
// made.

#include <sinter/codegen/graph/external_function.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/object/object_code.hpp>

#include <string>
#include <vector>

namespace sinter {

/// The forms in which one function is given: for each target at most one is used, the first here that is not
/// empty. Texts define the function as `extern "C"`, on CUDA `extern "C" __device__`; nothing is contracted
/// in them, as in kernels.
struct device_source {
  std::string cuda{};     ///< CUDA C++ text
  object_code code{};     ///< for CUDA: LTO-IR (which is inlined), PTX, a relocatable cubin, a fatbin
  std::string cpp{};      ///< for the CPU: C++ text, which is inlined
  std::string bitcode{};  ///< for the CPU: LLVM bitcode for x86-64, likewise
  /// Where headers that the texts include are looked for, after the includer's own folder. They are read
  /// once, when the function is made, and become part of its text: what a kernel is found by is their
  /// content, no path. A header that is missing is a compile_error with the chain of those that include it.
  /// No other header is found.
  std::vector<std::string> folders{};
};

namespace runtime {

/// What an external function is beside its code.
struct external_signature {
  element_type result{};
  std::array<element_type, most_external_arguments> arguments{};
  std::uint8_t arity = 0;
  void (*call)(std::uint64_t address, const std::uint64_t* arguments, std::uint64_t* result) = nullptr;
};

/// The function of this content, made if it is new, and never freed. `address` is that of a function of this
/// process, 0 for none. Throws error if the name is no C identifier.
const external_function& intern_external(const external_signature& types, const std::string& name,
                                         const device_source& source, std::uint64_t address);
/// Likewise of texts that have their headers in them already.
const external_function& intern_expanded(const external_signature& types, const std::string& name,
                                         const device_source& source, std::uint64_t address);

/// The forms that an external function was made of; texts with their headers in them.
const device_source& source_of(const external_function& called);

/// Compiles a CUDA kernel's text and links it with the external functions that it calls: a cubin, or PTX of
/// the architecture. Throws compile_error that names the function whose text or code is at fault.
object_code link_external_calls(const kernel_text& text, int architecture, bool ptx);

/// What linking a CUDA kernel with external functions adds to its compiler's options: belongs in a cache's
/// key.
const std::string& external_link_options();

}  // namespace runtime
}  // namespace sinter
