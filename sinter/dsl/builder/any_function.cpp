#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/dsl/builder/any_function.hpp>
#include <sinter/runtime/environment.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/tuning/tune.hpp>

#include <optional>
#include <string>

namespace sinter::inline v0 {
namespace {

/// Declares a scalar operand: as run-time parameters, or as literals if it is a literal.
graph_value declared_scalar(graph_builder& builder, const detail::scalar_source& number) {
  const element_type part = component_of(number.own.type);
  const bool whole = number.parts() == 1;
  const auto declare = [&](std::uint64_t bits) {
    const bool weak = whole && number.own.weak;
    return number.literal ? builder.literal(part, bits, weak) : builder.parameter(part, weak);
  };
  const graph_value real = declare(number.bits);
  if (whole) return real;
  graph_value made = builder.apply(operation::make_complex, {real, declare(number.imaginary)});
  made.type.weak = number.own.weak;
  return made;
}

void append_scalar(const detail::scalar_source& number, std::vector<runtime::scalar>& to) {
  if (number.literal) return;
  const element_type part = component_of(number.own.type);
  to.push_back(canonical_bits(part, number.bits));
  if (number.parts() == 2) to.push_back(canonical_bits(part, number.imaginary));
}

/// Operands of a call as the core takes them; borrows their lists.
struct call_arguments {
  std::vector<runtime::operand> elements;
  std::vector<runtime::scalar> scalars;
  runtime::call_options how;

  call_arguments(const detail::any_operands& operands, std::span<const runtime::scalar> numbers,
                 const evaluate_options& options) {
    how.on = options.on;
    how.workspace = options.workspace;
    how.assume_ordered = options.assume_ordered;
    how.memory = options.memory;
    elements.reserve(operands.count);
    for (std::size_t i = 0; i < operands.count; ++i) {
      if (operands.is_scalar(i))
        append_scalar(operands.number(i), scalars);
      else
        elements.push_back(operands.elements(i).erased());
    }
    scalars.insert(scalars.end(), numbers.begin(), numbers.end());
  }
};

/// The scope of an environment, if one is named.
struct optional_scope {
  std::optional<environment_scope> inside;
  explicit optional_scope(const evaluate_options& options) {
    if (options.in != nullptr) inside.emplace(*options.in);
  }
};

/// Builds the graph of operands of these types, and lists the values of its number()s.
runtime::function_handle built(const detail::any_operands& like, detail::any_body body, const void* context,
                               const evaluate_options& options, const detail::location& at,
                               std::vector<runtime::scalar>& numbers) {
  // a new one for each function: the body may itself build another one
  graph_builder builder;
  builder.restart(options.mode);
  builder.recorded().defined_at = at;
  builder.recorded().name = options.name;
  std::vector<graph_value> values;
  for (std::size_t i = 0; i < like.count; ++i)
    values.push_back(like.is_scalar(i) ? declared_scalar(builder, like.number(i))
                                       : builder.input(like.elements(i).type(), like.elements(i).rank()));
  body(context, builder, values);
  numbers.assign(builder.numbers().begin(), builder.numbers().end());
  return runtime::intern(builder.recorded());
}

std::vector<any_array> run_into_new(const runtime::function_handle& function, std::size_t count,
                                    const call_arguments& given) {
  std::vector<runtime::result> results(count);
  runtime::call(function, given.elements, given.scalars, {}, results, given.how);
  std::vector<any_array> made;
  made.reserve(count);
  for (runtime::result& result : results) made.emplace_back(std::move(result));
  return made;
}

void run_into_existing(const runtime::function_handle& function, std::size_t count,
                       std::span<const any_view> into, const call_arguments& given) {
  std::vector<runtime::operand> targets;
  targets.reserve(into.size());
  for (const any_view& target : into) {
    if (target.read_only()) throw type_error("a result cannot be written to elements that are read only");
    targets.push_back(target.erased());
  }
  if (into.size() != count)
    throw shape_error("evaluate" + describe(runtime::recorded_graph(function).defined_at) +
                      ": the graph has " + std::to_string(count) + " results, and there are views for " +
                      std::to_string(into.size()) + " of them");
  runtime::call(function, given.elements, given.scalars, targets, {}, given.how);
}

std::size_t results_of(const runtime::function_handle& function) {
  return runtime::recorded_graph(function).outputs.size();
}

}  // namespace

std::vector<any_array> detail::evaluate_any(const any_operands& operands,
                                            const std::span<const any_view>* into, any_body body,
                                            const void* context, const evaluate_options& options,
                                            const location& at) {
  const optional_scope scope(options);
  std::vector<runtime::scalar> numbers;
  const runtime::function_handle function = built(operands, body, context, options, at, numbers);
  const call_arguments given(operands, numbers, options);
  if (into == nullptr) return run_into_new(function, results_of(function), given);
  run_into_existing(function, results_of(function), *into, given);
  return {};
}

any_function::any_function(operand_list like, detail::any_body body, const void* context,
                           const evaluate_options& options, const detail::location& at)
    : function_(built(like, body, context, options, at, numbers_)), results_(results_of(function_)) {
  for (std::size_t i = 0; i < like.count; ++i)
    declared_.push_back(like.is_scalar(i)
                            ? declared{true, like.number(i).literal, like.number(i).own, 0}
                            : declared{false, false, {like.elements(i).type()}, like.elements(i).rank()});
}

void any_function::check(operand_list operands) const {
  if (operands.count != declared_.size())
    throw type_error("the function takes " + std::to_string(declared_.size()) +
                     " operands, and is called with " + std::to_string(operands.count));
  for (std::size_t i = 0; i < operands.count; ++i) check_operand(operands, i);
}

void any_function::check_operand(operand_list operands, std::size_t i) const {
  const declared& wanted = declared_[i];
  const auto name = [i] { return "operand " + std::to_string(i); };
  if (operands.is_scalar(i) != wanted.is_scalar)
    throw type_error(name() + " is " + (wanted.is_scalar ? "a number" : "an array") +
                     " of this function, and the call has " + (wanted.is_scalar ? "an array" : "a number"));
  if (wanted.is_scalar) {
    const detail::scalar_source& number = operands.number(i);
    if (number.own == wanted.type && number.literal == wanted.is_literal) return;
    throw type_error(name() + " is a" + (wanted.is_literal ? " literal " : " ") +
                     std::string(facts_of(wanted.type.type).name) + " of this function, and the call has a" +
                     (number.literal ? " literal " : " ") + std::string(facts_of(number.own.type).name) +
                     ": give it that type, as in 2.0 for 2");
  }
  const any_view& given = operands.elements(i);
  if (given.type() == wanted.type.type && given.rank() == wanted.rank) return;
  const std::string text = name() + " is " + describe(wanted.type.type, wanted.rank) +
                           " of this function, and the call has " + describe(given.type(), given.rank());
  if (given.type() != wanted.type.type) throw type_error(text);
  throw shape_error(text);
}

std::vector<any_array> any_function::operator()(operand_list operands,
                                                const evaluate_options& options) const {
  const optional_scope scope(options);
  check(operands);
  return run_into_new(function_, results_, call_arguments(operands, numbers_, options));
}

void any_function::operator()(operand_list operands, std::span<const any_view> into,
                              const evaluate_options& options) const {
  const optional_scope scope(options);
  check(operands);
  run_into_existing(function_, results_, into, call_arguments(operands, numbers_, options));
}

void any_function::prepare(operand_list operands, const evaluate_options& options) const {
  const optional_scope scope(options);
  check(operands);
  const call_arguments given(operands, numbers_, options);
  runtime::prepare(function_, given.elements, given.scalars, given.how);
}

tuning_report any_function::tune(operand_list operands, const tune_options& how,
                                 const evaluate_options& options) const {
  const optional_scope scope(options);
  check(operands);
  const call_arguments given(operands, numbers_, options);
  return runtime::tune(function_, given.elements, given.scalars, given.how, {}, how);
}

std::string any_function::explain(operand_list operands, const evaluate_options& options) const {
  const optional_scope scope(options);
  check(operands);
  const call_arguments given(operands, numbers_, options);
  return runtime::explain(function_, given.elements, given.scalars, given.how);
}

std::string any_function::list_kernels(operand_list operands, const evaluate_options& options,
                                       runtime::kernel_listing listing) const {
  const optional_scope scope(options);
  check(operands);
  const call_arguments given(operands, numbers_, options);
  return runtime::source(function_, given.elements, given.scalars, given.how, {}, listing);
}

std::string any_function::source(operand_list operands, const evaluate_options& options) const {
  return list_kernels(operands, options, runtime::kernel_listing::source);
}

std::string any_function::ptx(operand_list operands, const evaluate_options& options) const {
  return list_kernels(operands, options, runtime::kernel_listing::ptx);
}

std::string any_function::assembly(operand_list operands, const evaluate_options& options) const {
  return list_kernels(operands, options, runtime::kernel_listing::assembly);
}

std::size_t any_function::workspace_bytes(operand_list operands) const {
  check(operands);
  const call_arguments given(operands, numbers_, {});
  return runtime::workspace_bytes(function_, given.elements, given.scalars, given.how);
}

}  // namespace sinter::inline v0
