#include <sinter/codegen/math/instruction_function.hpp>

#include <sinter/codegen/math/assembler_guards.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::inline v0::codegen {
namespace {

/// Whether an instruction has one value for the whole launch that is known only when it is launched.
bool is_uniform(const nest_body& body, std::uint32_t i) {
  const instruction& at = body.body[i];
  return at.op == operation::parameter || (at.op == operation::cast && is_uniform(body, at.arguments[0]));
}

/// Whether a value is a number that the text states, other than -0: functions whose name ends with "_bound"
/// take it.
bool is_stated_bound(const nest_body& body, std::uint32_t i) {
  const instruction& at = body.body[i];
  if (at.op != operation::literal || !is_floating(at.type)) return false;
  const long double value = real_of(at.type, at.payload);
  return !std::isnan(value) && (value != 0 || !std::signbit(value));
}

/// Whether an instruction is a minimum, a maximum or a clip by such bounds.
bool has_stated_bounds(const nest_body& body, const instruction& made) {
  if (made.op != operation::minimum && made.op != operation::maximum && made.op != operation::clip)
    return false;
  for (unsigned a = 1; a < made.arity; ++a)
    if (!is_stated_bound(body, made.arguments[a])) return false;
  return true;
}

}  // namespace

text_target text_target_of(const kernel_description& kernel) {
  return kernel.target == target_kind::cuda ? text_target::cuda : text_target::cpu;
}

text_mode text_mode_of(const kernel_description& kernel) {
  return kernel.mode == arithmetic_mode::fast ? text_mode::fast : text_mode::standard;
}

std::string function_name(const kernel_description& kernel, std::string_view operation, element_type type) {
  std::string own = std::string(operation) + "_" + std::string(facts_of(type).suffix);
  if (find_device_function(own, text_target_of(kernel), text_mode_of(kernel)) != nullptr) return own;
  return std::string(operation) + "_" + std::string(facts_of(facts_of(type).compute).suffix);
}

std::string function_of(const kernel_description& kernel, const instruction& made) {
  if (made.fused) return function_name(kernel, "fma", made.type);
  const operation_facts& row = facts_of(made.op);
  const bool of_integers = unrestricted(row.rule) == type_rule::predicate && !is_inexact(made.compute);
  if (made.arity == 0 || is_structural(made.op) || is_reduction(made.op) || is_scan(made.op) || of_integers ||
      !row.spelling.empty())
    return {};
  const bool shared_exponent = made.op == operation::power && is_floating(made.compute) &&
                               is_uniform(kernel.body, made.arguments[1]) &&
                               kernel.mode == arithmetic_mode::standard;
  if (has_stated_bounds(kernel.body, made)) {
    const std::string bounded = function_name(kernel, std::string(row.name) + "_bound", made.compute);
    if (find_device_function(bounded, text_target_of(kernel), text_mode_of(kernel)) != nullptr)
      return bounded;
  }
  return function_name(kernel, shared_exponent ? "power_uniform" : row.name, made.compute);
}

applied_operation applied_by(const kernel_description& kernel, const instruction& made) {
  applied_operation applied{.op = made.op, .type = made.type, .compute = made.compute, .arity = made.arity};
  applied.fused = made.fused;
  applied.negated = made.negated;
  for (unsigned a = 0; a < made.arity; ++a) {
    const auto bit = static_cast<std::uint8_t>(1u << a);
    if (is_computed(kernel.body, made.arguments[a])) applied.computed |= bit;
    if (kernel.body.body[made.arguments[a]].op == operation::literal) applied.literals |= bit;
  }
  applied.function = function_of(kernel, made);
  return applied;
}

applied_operation combine_of(const kernel_description& kernel, const instruction& reduction) {
  const operation_facts& row = facts_of(facts_of(reduction.op).combine);
  const element_type type = reduction.compute;
  applied_operation applied{.op = row.op, .type = type, .compute = type, .arity = 2};
  if (is_computed(kernel.body, reduction.arguments[0])) applied.computed = 3;
  if (row.spelling.empty()) applied.function = function_name(kernel, row.name, type);
  return applied;
}

bool has_fast_path(const kernel_description& kernel, const instruction& made) {
  const std::string called = function_of(kernel, made);
  if (called.empty()) return false;
  const device_function* found = find_device_function(called, text_target_of(kernel), text_mode_of(kernel));
  return found != nullptr && !found->fast_name.empty();
}

bool has_fast_paths(const kernel_description& kernel) {
  return std::ranges::any_of(kernel.body.body,
                             [&](const instruction& at) { return has_fast_path(kernel, at); });
}

}  // namespace sinter::inline v0::codegen
