#pragma once
// A user's own function as an operand of the graph: what the pass must know of it. Its code is the runtime's.

#include <sinter/codegen/graph/element_type.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace sinter {

inline constexpr unsigned most_external_arguments = 3;

/// How a kernel of one target comes to an external function.
enum class external_form : std::uint8_t {
  none,     ///< not at all
  linked,   ///< its code is linked to the kernel's
  pointer,  ///< the kernel gets its address as an argument
};

/// One external function: interned by content, never changed and never freed, so that graphs hold its
/// address.
struct external_function {
  std::string name;  ///< of the extern "C" function
  element_type result{};
  std::array<element_type, most_external_arguments> arguments{};
  std::uint8_t arity = 0;
  external_form cuda = external_form::none, host = external_form::none;
  /// Hashes of what is linked: they stand for it in signatures, and so in the keys of caches.
  std::array<std::uint64_t, 2> cuda_content{}, host_content{};
  std::uint64_t address = 0;  ///< of a function that this process can call; 0 if there is none
  /// Calls the function at `address` with arguments as bits; the reference interpreter does.
  void (*call)(std::uint64_t address, const std::uint64_t* arguments, std::uint64_t* result) = nullptr;
  std::string forms;           ///< "CUDA C++ text, a function pointer": for messages
  const void* code = nullptr;  ///< what is linked; the pass does not look inside
};

}  // namespace sinter
