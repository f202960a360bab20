#pragma once
// Checks of a call that apply to every front end, before a plan is looked up.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/scalars/scalar_limits.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/dispatch/plan.hpp>

namespace sinter::inline v0::runtime {

/// Throw the error for a call's arguments. Out of line, because the hot path only compares.
[[noreturn]] void throw_devices(const function& called, std::span<const operand> operands,
                                std::span<const operand> into, const call_options& options);
/// Throws device_error for GPU arrays whose elements are not aligned to their size. Only views of foreign
/// memory can be like this. A key contains the alignment, so a plan exists only for arrays that passed this
/// check.
void check_alignment(const call_request& request);

/// Throws shape_error for an array that has elements but no memory.
void check_memory(const call_request& request);

[[noreturn]] void throw_no_function();
/// The function of a handle. Throws error for nullptr.
inline const function& held(const function_handle& called) {
  if (called == nullptr) [[unlikely]]
    throw_no_function();
  return *called;
}

[[noreturn]] void throw_counts(const function& called, std::size_t arrays, std::size_t scalars,
                               std::size_t into);
[[noreturn]] void throw_result_count(const function& called, std::size_t results);

/// The device of a call: the device of its arrays, else the stream's, else the default device.
inline device device_of(const function& called, std::span<const operand> operands,
                        std::span<const operand> into, const call_options& options) {
  const operand* first = !operands.empty() ? operands.data() : !into.empty() ? into.data() : nullptr;
  const device where = first != nullptr        ? first->where
                       : options.on != nullptr ? options.on->where()
                                               : device::current_default();
  bool same = options.on == nullptr || options.on->where() == where;
  for (const operand& array : operands) same &= array.where == where;
  for (const operand& array : into) same &= array.where == where;
  if (!same) [[unlikely]]
    throw_devices(called, operands, into, options);
  return where;
}

/// Checks counts, devices and the ranges of weak integers. The request launches nothing until a stream is
/// set.
inline call_request make_request(const function& called, std::span<const operand> operands,
                                 std::span<const scalar> scalars, std::span<const operand> into,
                                 const call_options& options) {
  const graph& recorded = called.recorded;
  if (operands.size() != recorded.inputs.size() || scalars.size() != recorded.parameters.size() ||
      (!into.empty() && into.size() != recorded.outputs.size())) [[unlikely]]
    throw_counts(called, operands.size(), scalars.size(), into.size());
  if (!recorded.parameter_limits.empty()) check_parameter_limits(recorded, scalars);
  if (!recorded.derived_limits.empty()) check_derived_limits(recorded, scalars);
  const device where = device_of(called, operands, into, options);
  return {.called = &called,
          .operands = operands,
          .scalars = scalars,
          .into = into,
          .where = where,
          .driver = where.is_cuda() ? &require_driver() : nullptr,
          .forced = options.forced,
          .on = nullptr,
          .variant = options.variant,
          .assume_ordered = options.assume_ordered,
          .memory = options.memory};
}

/// prepare() for a request that was checked.
void prepare(const call_request& request);

}  // namespace sinter::inline v0::runtime
