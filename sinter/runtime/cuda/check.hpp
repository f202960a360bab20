#pragma once

#include <string>
#include <string_view>

#include <sinter/runtime/cuda/driver_types.hpp>

namespace sinter::inline v0::runtime {

/// Throws the exception for a failed driver call: execution_error for failed launches and kernels,
/// out_of_memory, or device_error (refused_code if loaded code is the cause). The message names the
/// operation, CUDA's name and text of the error, and the remedy.
[[noreturn]] void throw_driver_error(CUresult answer, std::string_view operation,
                                     std::string_view kernel = {});

/// Throws if the driver call failed. `operation` describes what was being done, as in "copying to the
/// device".
inline void check(CUresult answer, const char* operation, const char* kernel = "") {
  if (answer != CUresult::success) [[unlikely]]
    throw_driver_error(answer, operation, kernel);
}

/// Whether the error makes its context unusable, so that every later call in it returns the same error.
bool loses_context(CUresult answer) noexcept;

/// CUDA's own name and text of an error, as in "CUDA_ERROR_INVALID_VALUE (invalid argument)".
std::string describe(CUresult answer);

/// Destructors cannot throw: their failures go to this hook if it is set, else to the log hook (log.hpp).
/// Returns the previous hook. The hook may be called from any thread and must not throw.
using failure_hook = void (*)(const char* message) noexcept;
failure_hook set_failure_hook(failure_hook hook) noexcept;

/// Reports a failed driver call from code that cannot throw. A driver that has already shut down, as at the
/// end of a process, does not count as a failure.
void report_failure(CUresult answer, const char* operation) noexcept;

}  // namespace sinter::inline v0::runtime
