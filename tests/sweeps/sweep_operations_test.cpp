// Every operation of the table on every element type that it accepts, compared with the reference
// interpreter, on every target.

#include <doctest/doctest.h>

#include "../support/sweep/sweep.hpp"
#include "../support/ulp.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/types/scalar.hpp>

namespace sinter::test {
namespace {

const shape whole{33, 257};  // 8481 elements; no vector width divides a row
constexpr std::size_t whole_count = 33 * 257;

/// The largest errors, printed if SINTER_SWEEP_VERBOSE is set.
class error_table {
 public:
  void add(device on, operation op, element_type type, long double ulp) {
    const std::scoped_lock lock(mutex_);
    long double& worst = worst_[on.to_string() + " " + std::string(facts_of(op).name) + " " +
                                std::string(facts_of(type).name)];
    worst = std::max(worst, ulp);
  }
  void print() const {
    if (std::getenv("SINTER_SWEEP_VERBOSE") == nullptr) return;
    for (const auto& [name, ulp] : worst_) std::printf("%-40s %.3Lf ulp\n", name.c_str(), ulp);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, long double> worst_;
};

/// Distance of neighbouring elements at a value.
long double spacing_at(element_type type, long double value) {
  const std::uint64_t at = real_bits(type, std::fabs(value));
  return real_of(type, at + 1) - real_of(type, at);
}

std::string operand_text(const graph& recorded, operation op, const std::vector<bits>& values,
                         std::size_t i) {
  std::string text = std::string(facts_of(op).name) + "(";
  if (op == operation::where) text += std::to_string(values[3][i]) + ", ";
  for (unsigned a = 0; a < std::min<unsigned>(facts_of(op).arity, 3) - (op == operation::where ? 1u : 0u);
       ++a)
    text += (a == 0 ? "" : ", ") + element_text(recorded.inputs[a].type, values[a][i]);
  return text + ") of " + std::string(facts_of(recorded.inputs[0].type).name);
}

/// Operations of which two terms can cancel: an error is measured at the larger term (accuracy.cpp).
bool can_cancel(operation op) {
  return op == operation::logaddexp || op == operation::logaddexp2 || op == operation::gammaln;
}

/// Distance in ULP; for the operations that can cancel, in ULP of the larger term if that is larger.
// NOLINTNEXTLINE(readability-function-size): one element of a call, and what it was made of
long double error_of(operation op, element_type type, long double expected, std::uint64_t actual,
                     const std::vector<bits>& values, std::size_t i, element_type operand) {
  const long double ulp = testing::ulp_distance(type, expected, actual);
  if (!can_cancel(op)) return ulp;
  const auto real = [&](std::uint64_t value) {
    return is_floating(operand) ? real_of(operand, value)
                                : integer_as_real(operand, integer_of(operand, value));
  };
  const long double first = real(values[0][i]), second = real(values[1][i]);
  long double larger = std::fmax(std::fabs(first), std::fabs(second));
  if (op == operation::gammaln) larger = first < 0 ? std::fmax(1, std::lgamma(-first)) : 0;
  if (!std::isfinite(expected) || !std::isfinite(larger) || larger <= std::fabs(expected)) return ulp;
  return std::fabs(real_of(type, actual) - expected) / spacing_at(type, larger);
}

/// Compares a group's results with the reference.
// NOLINTNEXTLINE(readability-function-size): two results of a call, and all that a report says of it
void compare(const operation_group& group, const graph& recorded, device on, const std::vector<bits>& values,
             const std::vector<reference_array>& expected, const std::vector<bits>& actual,
             double tolerance_factor, failure_list& failures, error_table& errors) {
  for (std::size_t o = 0; o < group.operations.size(); ++o) {
    const operation op = group.operations[o];
    const element_type type = expected[o].type;
    const node& applied = recorded.nodes[recorded.outputs[o]];
    const element_type compute = recorded.nodes[applied.inputs[applied.arity - 1u]].type;
    const double allowed = tolerance_factor * stated_ulp(op, compute, type, on, recorded.mode);
    const std::string kind =
        on.to_string() + " " + std::string(facts_of(op).name) + " " + std::string(facts_of(group.type).name);
    for (std::size_t i = 0; i < actual[o].size(); ++i) {
      const std::uint64_t wanted = store_reference(type, expected[o].at(i));
      if (same_element(type, wanted, actual[o][i])) continue;
      std::string text = operand_text(recorded, op, values, i) + " is " + element_text(type, wanted) +
                         ", got " + element_text(type, actual[o][i]);
      if (group.smooth) {
        const long double ulp =
            error_of(op, type, expected[o].at(i).real, actual[o][i], values, i, group.type);
        errors.add(on, op, type, ulp);
        const bool cancels = can_cancel(op);
        if ((ulp > 0 || cancels) && ulp <= allowed) continue;  // 0: a zero of the wrong sign
        text += ", " + std::to_string(static_cast<double>(ulp)) + " ulp of " + std::to_string(allowed);
      }
      failures.add(kind, text);
    }
  }
}

void sweep(arithmetic_mode mode, double tolerance_factor) {
  const std::vector<operation_group> groups = all_groups();
  failure_list failures;
  error_table errors;
  in_parallel(groups.size(), failures, [&](std::size_t g) {
    const operation_group& group = groups[g];
    // integers are the same in all modes
    if (mode != arithmetic_mode::standard && !is_floating(group.type)) return;
    const graph recorded = graph_of(group, mode);
    const runtime::function_handle called = runtime::intern(recorded);
    const std::vector<bits> values = inputs_of(group, whole_count, g);
    const std::vector<reference_array> expected = reference_of(
        recorded, values, whole, group.smooth ? reference_precision::extended : reference_precision::native);
    for (const device on : sweep_devices()) {
      const std::vector<bits> actual =
          run(called, place(group, values, whole, {placement::contiguous}, on), {}, on);
      compare(group, recorded, on, values, expected, actual, tolerance_factor, failures, errors);
    }
  });
  errors.print();
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace

TEST_CASE("every operation on every type it accepts is as the reference says") {
  sweep(arithmetic_mode::standard, 1);
}

TEST_CASE("strict mode gives each operation on its own the same value") { sweep(arithmetic_mode::strict, 1); }

}  // namespace sinter::test
