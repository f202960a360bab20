#pragma once

#include <string>
#include <string_view>

#include <sinter/runtime/cuda/driver_types.hpp>

namespace sinter::runtime {

/// Throws what a failed driver call means: execution_error for failed launches and kernels, out_of_memory, or
/// device_error (refused_code where loaded code is at fault). The message names the operation, CUDA's name
/// and text of the error, and what to do.
[[noreturn]] void throw_driver_error(CUresult answer, std::string_view operation,
                                     std::string_view kernel = {});

/// Throws unless the driver call succeeded. `operation` says what was being done, as in "copying to the
/// device".
inline void check(CUresult answer, const char* operation, const char* kernel = "") {
  if (answer != CUresult::success) [[unlikely]]
    throw_driver_error(answer, operation, kernel);
}

/// Whether the error leaves its context unusable, so that every later call there answers the same.
bool loses_context(CUresult answer) noexcept;

/// CUDA's own name and text of an error, as in "CUDA_ERROR_INVALID_VALUE (invalid argument)".
std::string describe(CUresult answer);

/// Destructors cannot throw: what fails there is handed to this hook if it is set, else to the log hook
/// (log.hpp). Returns the previous hook. It may be called from any thread and must not throw.
using failure_hook = void (*)(const char* message) noexcept;
failure_hook set_failure_hook(failure_hook hook) noexcept;

/// Reports a failed driver call from a place that cannot throw. A driver that has already shut down, as at
/// the end of a process, is no failure.
void report_failure(CUresult answer, const char* operation) noexcept;

}  // namespace sinter::runtime
