#pragma once
// A user's own function in a graph: what the pass knows of it. The runtime holds its code.

#include <sinter/codegen/types/element_type.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace sinter::inline v0 {

inline constexpr unsigned max_external_arguments = 3;

/// How a kernel of one target calls an external function.
enum class external_form : std::uint8_t {
  none,     ///< it cannot
  linked,   ///< the function's code is linked to the kernel's
  pointer,  ///< the kernel gets the function's address as an argument
};

/// One external function: interned by content, never changed and never freed, so that graphs can hold its
/// address.
struct external_function {
  std::string name;  ///< of the extern "C" function
  element_type result{};
  std::array<element_type, max_external_arguments> arguments{};
  std::uint8_t arity = 0;
  external_form cuda = external_form::none, cpu = external_form::none;
  /// Hashes of the linked content, which stand for it in signatures, and so in the keys of caches.
  std::array<std::uint64_t, 2> cuda_content{}, cpu_content{};
  std::uint64_t address = 0;  ///< of the function in this process; 0 if there is none
  /// Calls the function at `address` with arguments as bits; for the reference interpreter.
  void (*call)(std::uint64_t address, const std::uint64_t* arguments, std::uint64_t* result) = nullptr;
  std::string forms;           ///< "CUDA C++ text, a function pointer": for messages
  const void* code = nullptr;  ///< the linked content, which the pass does not read
};

}  // namespace sinter::inline v0
