#pragma once
// The code of external functions: what users provide for each target, and how kernels that call it are
// linked.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/external_function.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/object/object_code.hpp>

#include <string>
#include <vector>

namespace sinter::inline v0 {

/// The forms of one function. For each target at most one is used: the first in this order that is not empty.
/// Texts define the function as `extern "C"`, for CUDA `extern "C" __device__`; no contraction applies to
/// them, as in kernels.
struct device_source {
  std::string cuda{};     ///< CUDA C++ text
  object_code code{};     ///< for CUDA: LTO-IR (which is inlined), PTX, a relocatable cubin, a fatbin
  std::string cpp{};      ///< for the CPU: C++ text, which is inlined
  std::string bitcode{};  ///< for the CPU: LLVM bitcode for x86-64, likewise
  /// Folders that are searched for included headers, after the includer's own folder. Headers are read once,
  /// when the function is made, and become part of its text: a kernel's key contains their content and no
  /// path. A missing header is a compile_error with the chain of includes. No other folders are searched.
  std::vector<std::string> folders{};
};

namespace runtime {

/// The properties of an external function apart from its code.
struct external_signature {
  element_type result{};
  std::array<element_type, max_external_arguments> arguments{};
  std::uint8_t arity = 0;
  void (*call)(std::uint64_t address, const std::uint64_t* arguments, std::uint64_t* result) = nullptr;
};

/// The function with this content; made if it is new, and never freed. `address` is that of a function in
/// this process, 0 for none. Throws error if the name is not a C identifier.
SINTER_API const external_function& intern_external(const external_signature& types, const std::string& name,
                                                    const device_source& source, std::uint64_t address);
/// The same for texts whose headers are already expanded.
SINTER_API const external_function& intern_expanded(const external_signature& types, const std::string& name,
                                                    const device_source& source, std::uint64_t address);

/// The forms of an external function, with expanded headers.
SINTER_API const device_source& source_of(const external_function& called);

/// Compiles a CUDA kernel's text and links it with the external functions that it calls, to a cubin, or to
/// PTX of the architecture. Throws compile_error that names the faulty function.
SINTER_API object_code link_external_calls(const kernel_text& text, int architecture, bool ptx);

/// Options that linking with external functions adds to a CUDA kernel's compile; part of a cache's key.
SINTER_API const std::string& external_link_options();

}  // namespace runtime
}  // namespace sinter::inline v0
