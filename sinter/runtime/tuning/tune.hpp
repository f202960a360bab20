#pragma once
// tune() of a call in type-erased form.

#include <sinter/runtime/call.hpp>
#include <sinter/runtime/tuning.hpp>

#include <span>

namespace sinter::inline v0::runtime {

/// Measures, and sets what is tuned for calls of this class. One thread tunes at a time; others wait. Throws
/// type_error for options that make no sense, for a call with a schedule of its own and for shape-generic
/// kernels, device_error during capture, and what call() throws. Arguments and targets are as they were.
tuning_report tune(const function_handle& called, std::span<const operand> operands,
                   std::span<const scalar> scalars, const call_options& options,
                   std::span<const operand> into, const tune_options& how);

}  // namespace sinter::inline v0::runtime
