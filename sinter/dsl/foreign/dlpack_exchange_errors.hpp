#pragma once
// What goes wrong between Sinter and a producer's exchange table. Part of sinter/dlpack_exchange.hpp.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/device.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::inline v0::detail {

[[noreturn]] SINTER_API void throw_null_exchange();
/// `major` and `minor` are the version of the newest table.
[[noreturn]] SINTER_API void throw_exchange_version(std::uint32_t major, std::uint32_t minor);
/// Throws type_error: the table has a null pointer for a function that every table must have.
[[noreturn]] SINTER_API void throw_missing_function(const char* function);
/// Throws type_error: the producer lends no tensors.
[[noreturn]] SINTER_API void throw_lends_nothing();
/// Throws type_error: a null pointer instead of a Python object.
[[noreturn]] SINTER_API void throw_null_object(const char* function);
/// Throws error: a function returned `code`, or gave a null pointer although it returned 0.
[[noreturn]] SINTER_API void throw_exchange_failure(const char* function, int code);
/// Throws device_error.
[[noreturn]] SINTER_API void throw_stream_failure(int code, const device& where);

/// What an allocator says about its failure. It calls set() from C code, so that nothing may leave that.
struct SINTER_API allocation_failure {
  std::string kind{}, message{};

  static void set(void* failure, const char* kind, const char* message) noexcept;
  /// Throws out_of_memory where the kind is MemoryError, else error.
  [[noreturn]] void raise(int code, std::size_t bytes) const;
};

}  // namespace sinter::inline v0::detail
