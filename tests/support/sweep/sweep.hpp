#pragma once
// The sweep over the table of operations: groups of operations of one type as several results of one kernel,
// their reference, and the allowed errors.

#include "../drawn/real_types.hpp"
#include "sweep_array.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/reference/interpreter.hpp>
#include <string>

namespace sinter::test {

/// Operations of one element type. Operand i of each is input i; the boolean operand of `where` is input 3.
struct operation_group {
  element_type type{};
  bool smooth = false;  ///< compared with extended precision in ULP, not for equality
  std::vector<operation> operations;
};

/// Every operation that accepts the type, in groups of at most `size`.
std::vector<operation_group> groups_of(element_type type, std::size_t size = 9);
/// The groups of all types, one after the other.
std::vector<operation_group> all_groups(std::size_t size = 9);

/// Whether an operation on floating operands has a rounded result, not an exact one.
bool is_smooth(operation op);

/// The group as a graph: inputs a, b, c of the type and m of bool, rank 2, one result per operation. `paired`
/// turns a unary operation into where(m, op(a), op(b)), so that it has broadcast operands too.
graph graph_of(const operation_group& group, arithmetic_mode mode = arithmetic_mode::standard,
               bool paired = false);

/// Elements of the inputs of a group's graph.
std::vector<bits> inputs_of(const operation_group& group, std::size_t count, std::uint64_t seed);
/// Types of those inputs.
std::vector<element_type> input_types(const operation_group& group);

std::vector<placed_array> place(const operation_group& group, const std::vector<bits>& values,
                                const shape& extents, const std::vector<placement>& where, device on);

/// The interpreter's results of a graph.
std::vector<reference_array> reference_of(const graph& recorded, const std::vector<bits>& values,
                                          const shape& extents, reference_precision precision);

/// The elements of a reference array, rounded to its type.
bits elements_of(const reference_array& from);

/// The largest error, in ULP of the result's type, that the table allows for an operation computed in a type;
/// 0.5 if the result is correctly rounded.
double stated_ulp(operation op, element_type compute, element_type result, device on, arithmetic_mode mode);

/// "-0.0", "nan", "0x1.8p+3", "17".
std::string element_text(element_type type, std::uint64_t value);

/// Equal bits, or both NaN.
bool same_element(element_type type, std::uint64_t a, std::uint64_t b);

/// Failures of a test with several threads; the test reports them at its end.
class failure_list {
 public:
  /// Keeps the first few of each kind.
  void add(const std::string& kind, const std::string& text);
  std::size_t count() const { return count_; }
  std::string text() const;

 private:
  mutable std::mutex mutex_;
  std::size_t count_ = 0;
  struct kind_of_failure {
    std::size_t count = 0;
    std::vector<std::string> first;
  };
  std::map<std::string, kind_of_failure> kinds_;
};

/// The N of SINTER_SWEEP_SHARE=N: sweeps run one in N of their items (default 1), beginning with the one that
/// SINTER_SWEEP_FIRST numbers (default 0). For sanitizers, which make the library several times slower and do
/// not check the kernels that a sweep tests, and for machines that test many commits, another share of each.
std::size_t sweep_share();
/// Whether an item is in the share that is run.
bool is_in_sweep(std::size_t item);

/// Calls `work` with 0 … count - 1, or the share of them, on all threads of the machine; exceptions become
/// failures.
void in_parallel(std::size_t count, failure_list& failures, const std::function<void(std::size_t)>& work);

/// The CPU, and one CUDA device if there is one. SINTER_SWEEP_DEVICES=cpu or cuda leaves only one of them: a
/// machine with a GPU need not have the CPU compiler.
std::vector<device> sweep_devices();

}  // namespace sinter::test
