#pragma once
// A graph that is built once and called often, with operands whose types are known at run time.
//
// Threads: any number of threads may call a function at once; a target is one call's meanwhile.
// Throws: the constructor what `body` and the builder throw; calls type_error or shape_error for other
// operands, and what a call throws (dsl/fuse.hpp).
// After a failure: no function has been made. Before the first kernel runs, targets are as they were; once
// kernels run (index_error, a failed launch), they are unspecified.

#include <sinter/codegen/base/export.hpp>
#include <sinter/dsl/any_array.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/tuning.hpp>

#include <cstddef>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace sinter::inline v0 {

/// What evaluate() runs, kept: its calls find their kernels as those of a fused function do, and build
/// nothing.
///
///     const any_function scaled({x, 2.5}, [](graph_builder& builder, auto operands) {
///       builder.output(builder.apply(operation::multiply, operands));
///     });
///     std::vector<any_array> results = scaled({y, 3.0});
///
/// The operands of the constructor give types and ranks; their elements and numbers are not read, except
/// literal(…), which is written into the graph and stays as it is. Operands of calls have the same types and
/// ranks, in the same order; a C++ number is of the kind it was: 2.5, not 2. Calls throw type_error or
/// shape_error for others, and what evaluate() throws. Copies share the function. Safe from any thread.
class SINTER_API any_function {
 public:
  /// A span of any_operand or of any_view.
  using operand_list = detail::any_operands;
  using operand_braces = std::initializer_list<any_operand>;

  template <detail::graph_body Body>
  any_function(operand_list like, const Body& body, arithmetic_mode mode = arithmetic_mode::standard,
               std::string_view name = {}, std::source_location at = std::source_location::current())
      : any_function(like, call_of<Body>(), &body, {.mode = mode, .name = name}, at) {}
  template <detail::graph_body Body>
  any_function(operand_braces like, const Body& body, arithmetic_mode mode = arithmetic_mode::standard,
               std::string_view name = {}, std::source_location at = std::source_location::current())
      : any_function(list_of(like), call_of<Body>(), &body, {.mode = mode, .name = name}, at) {}

  /// How many results a call has.
  [[nodiscard]] std::size_t results() const { return results_; }

  /// Runs the function into new arrays. Of the options, mode and name are those of the constructor.
  [[nodiscard]] std::vector<any_array> operator()(operand_list operands,
                                                  const evaluate_options& options = {}) const;
  [[nodiscard]] std::vector<any_array> operator()(operand_braces operands,
                                                  const evaluate_options& options = {}) const {
    return (*this)(list_of(operands), options);
  }
  /// Runs the function into existing elements: one view for each result.
  void operator()(operand_list operands, std::span<const any_view> into,
                  const evaluate_options& options = {}) const;
  void operator()(operand_braces operands, std::initializer_list<any_view> into,
                  const evaluate_options& options = {}) const {
    (*this)(list_of(operands), std::span(into.begin(), into.size()), options);
  }

  /// Compiles and loads what a call with these operands needs, and runs nothing.
  void prepare(operand_list operands, const evaluate_options& options = {}) const;
  void prepare(operand_braces operands, const evaluate_options& options = {}) const {
    prepare(list_of(operands), options);
  }
  /// Text: the graph, the stages, schedules, launch configuration, bytes moved and where the code came from.
  [[nodiscard]] std::string explain(operand_list operands, const evaluate_options& options = {}) const;
  [[nodiscard]] std::string explain(operand_braces operands, const evaluate_options& options = {}) const {
    return explain(list_of(operands), options);
  }
  /// Measures the schedules of a call and uses the fastest from now on, as tune() of a fused function does
  /// (runtime/tuning.hpp).
  tuning_report tune(operand_list operands, const tune_options& how = {},
                     const evaluate_options& options = {}) const;
  tuning_report tune(operand_braces operands, const tune_options& how = {},
                     const evaluate_options& options = {}) const {
    return tune(list_of(operands), how, options);
  }
  /// The exact text that is compiled for these operands.
  [[nodiscard]] std::string source(operand_list operands, const evaluate_options& options = {}) const;
  [[nodiscard]] std::string source(operand_braces operands, const evaluate_options& options = {}) const {
    return source(list_of(operands), options);
  }
  /// The PTX that NVRTC makes of it. Throws device_error where NVRTC is missing, and on the CPU, which has
  /// none.
  [[nodiscard]] std::string ptx(operand_list operands, const evaluate_options& options = {}) const;
  [[nodiscard]] std::string ptx(operand_braces operands, const evaluate_options& options = {}) const {
    return ptx(list_of(operands), options);
  }
  /// The kernels' machine code as text, as assembly() of a fused function shows it (dsl/fuse.hpp). Throws
  /// device_error that names the compiler or disassembler that is missing.
  [[nodiscard]] std::string assembly(operand_list operands, const evaluate_options& options = {}) const;
  [[nodiscard]] std::string assembly(operand_braces operands, const evaluate_options& options = {}) const {
    return assembly(list_of(operands), options);
  }
  /// How much memory options.workspace must hold for these operands.
  [[nodiscard]] std::size_t workspace_bytes(operand_list operands) const;
  [[nodiscard]] std::size_t workspace_bytes(operand_braces operands) const {
    return workspace_bytes(list_of(operands));
  }

 private:
  /// What an operand of a call has to be.
  struct declared {
    bool is_scalar = false, is_literal = false;
    operand_type type{};
    unsigned rank = 0;
  };

  template <class Body>
  static detail::any_body call_of() {
    return [](const void* context, graph_builder& builder, std::span<const graph_value> operands) {
      (*static_cast<const Body*>(context))(builder, operands);
    };
  }
  static operand_list list_of(operand_braces list) { return std::span(list.begin(), list.size()); }

  any_function(operand_list like, detail::any_body body, const void* context, const evaluate_options& options,
               const detail::location& at);
  void check(operand_list operands) const;
  void check_operand(operand_list operands, std::size_t i) const;
  std::string list_kernels(operand_list operands, const evaluate_options& options,
                           runtime::kernel_listing listing) const;

  std::vector<runtime::scalar> numbers_;  ///< of graph_builder::number(), fixed when it is built
  runtime::function_handle function_;
  std::vector<declared> declared_;
  std::size_t results_ = 0;
};

}  // namespace sinter::inline v0
