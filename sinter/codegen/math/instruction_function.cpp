#include <sinter/codegen/math/instruction_function.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

/// Whether an instruction has one value for the whole launch that is known only when it is launched.
bool is_uniform(const nest& body, std::uint32_t i) {
  const instruction& at = body.body[i];
  return at.op == operation::parameter || (at.op == operation::cast && is_uniform(body, at.arguments[0]));
}

}  // namespace

text_target text_target_of(const kernel_description& kernel) {
  return kernel.target == target_kind::cuda ? text_target::cuda : text_target::cpu;
}

text_mode text_mode_of(const kernel_description& kernel) {
  return kernel.mode == arithmetic_mode::fast ? text_mode::fast : text_mode::standard;
}

std::string function_name(const kernel_description& kernel, std::string_view operation, element_type type) {
  std::string own = std::string(operation) + "_" + std::string(facts(type).suffix);
  if (find_device_function(own, text_target_of(kernel), text_mode_of(kernel)) != nullptr) return own;
  return std::string(operation) + "_" + std::string(facts(facts(type).compute).suffix);
}

std::string function_of(const kernel_description& kernel, const instruction& made) {
  if (made.fused) return function_name(kernel, "fma", made.type);
  const operation_facts& row = facts(made.op);
  const bool of_integers = unrestricted(row.rule) == type_rule::predicate && !is_inexact(made.compute);
  if (made.arity == 0 || made.op == operation::cast || made.op == operation::external ||
      is_reduction(made.op) || is_scan(made.op) || of_integers || !row.spelling.empty())
    return {};
  const bool shared_exponent = made.op == operation::power && is_floating(made.compute) &&
                               is_uniform(kernel.body, made.arguments[1]) &&
                               kernel.mode == arithmetic_mode::standard;
  return function_name(kernel, shared_exponent ? "power_uniform" : row.name, made.compute);
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
